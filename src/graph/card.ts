/** The box that stands for a task in the picture. */
import { isOpen, type Task } from "../tasks/task.ts";
import type { Look } from "./palette.ts";
import type { Place, Size } from "./place.ts";
import { standingOf } from "./standing.ts";
import { fontPx, smallFontPx } from "./svg_style.ts";
import { cutToEm, visibleText, wrapText } from "./visible_text.ts";
import { px, xmlText } from "./xml_text.ts";

/** What stands in a box. */
interface Card extends Size {
  readonly look: Look;
  readonly taskid: number;
  /** After the taskid in its first line. */
  readonly words: string;
  /** The subject as far as there is room for it. */
  readonly lines: readonly string[];
  /** The whole subject, for whoever points at the box. */
  readonly title: string;
}

const boxPx = 212;
const paddingPx = 11;
const textPx = boxPx - 2 * paddingPx;
const linePx = 17;
const linesMax = 3;
/** Where the first line stands, and what is in front of it. */
const headPx = 22;
const signPx = 17;

export function cardOf(task: Task): Card {
  const standing = standingOf(task);
  const subject = visibleText(task.subject);
  const words = task.owner === null || !isOpen(task.status) ? standing : `${standing} · ${task.owner}`;
  const lines = wrapText(subject, textPx / fontPx, linesMax);
  return sized({
    look: standing,
    taskid: task.taskid,
    words,
    lines,
    title: `${task.taskid} ${standing}: ${subject}`,
  });
}

/** A blocker that the store does not have. */
export function missingCard(taskid: number): Card {
  return sized({ look: "missing", taskid, words: "missing", lines: [], title: `${taskid} is missing` });
}

function sized(card: Omit<Card, keyof Size>): Card {
  return { ...card, width: boxPx, height: headPx + linePx * card.lines.length + paddingPx };
}

/** An image of its own, since that cuts whatever a typeface would draw outside of it. */
export function cardText(
  { look, taskid, words, lines, title }: Card,
  { x, y, width, height }: Place,
): string {
  const head = cutToEm(words, (textPx - signPx) / smallFontPx - String(taskid).length);
  const subject = lines.map((line, index) =>
    `<text class="subject" x="${paddingPx}" y="${headPx + linePx * (index + 1) + 1}">${xmlText(line)}</text>`
  );
  return `<svg class="${look}" x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}">
<title>${xmlText(title)}</title>
<rect x="1" y="1" width="${px(width - 2)}" height="${px(height - 2)}" rx="8"/>
<path class="sign" transform="translate(${paddingPx - 1} ${headPx - 10})" d="${signPaths[look]}"/>
<text class="head" x="${paddingPx + signPx}" y="${headPx}"><tspan class="id">${taskid}</tspan> ${
    xmlText(head)
  }</text>
${subject.join("\n")}
</svg>`;
}

/** Drawn in 12 by 12 pixels. */
const signPaths: { readonly [look in Look]: string } = {
  ready: "M6 2a4 4 0 1 0 .01 0z",
  claimed: "M6 2a4 4 0 1 0 .01 0zM6 6h.01",
  running: "M3.5 2l6.5 4-6.5 4z",
  blocked: "M4 2.5v7M8 2.5v7",
  done: "M1.5 6.5l3 3 6-7",
  deleted: "M2.5 2.5l7 7M9.5 2.5l-7 7",
  missing: "M3.5 4a2.5 2.5 0 1 1 3.4 2.3q-.9.4-.9 1.4M6 10.2h.01",
};
