/** The graph as a picture: one SVG file without scripts, links or fonts from elsewhere, for light and dark pages. */
import { findTask, type TaskStore } from "../tasks/store.ts";
import { isOpen } from "../tasks/task.ts";
import { cardOf, cardText, missingCard } from "./card.ts";
import { graphOf } from "./graph.ts";
import { type Arrow, layOut } from "./layout.ts";
import type { Place, Point } from "./place.ts";
import type { Route } from "./route.ts";
import { styleText } from "./svg_style.ts";
import { px } from "./xml_text.ts";

/** Laying out more takes minutes, and nobody could read it. */
export const svgBoxesMax = 500;
export const svgArrowsMax = 1_000;

/** A picture that would be too large, with what it would have. */
interface TooLarge {
  readonly boxes: number;
  readonly arrows: number;
}

export function svgText(store: TaskStore): string | TooLarge {
  const { missing, dependents } = graphOf(store);
  const cards = [...missing.map(missingCard), ...store.tasks.map(cardOf)];
  const arrowsCount = store.tasks.reduce((count, { blockedBy }) => count + blockedBy.length, 0);
  if (cards.length > svgBoxesMax || arrowsCount > svgArrowsMax) {
    return { boxes: cards.length, arrows: arrowsCount };
  }
  if (cards.length === 0) {
    return documentText(
      { x: 0, y: 0, width: 160, height: 48 },
      `<text class="none" x="24" y="28">no tasks yet</text>`,
    );
  }
  const { width, height, places, arrows } = layOut(
    new Map(cards.map((card) => [card.taskid, card])),
    dependents,
  );
  const boxes = cards.map((card) => {
    const place = places.get(card.taskid);
    return place ? cardText(card, place) : "";
  });
  const content = [...arrows.map((arrow) => arrowText(arrow, store)), ...boxes].join("\n");
  return documentText({ x: 0, y: 0, width, height }, content);
}

function documentText({ x, y, width, height }: Place, content: string): string {
  const size = [x, y, width, height].map(px);
  return `<svg xmlns="http://www.w3.org/2000/svg" class="tasuki" role="img" viewBox="${size.join(" ")}" \
width="${size[2]}" height="${size[3]}">
<title>Tasks, and what they wait for</title>
<style>
${styleText}
</style>
<defs>
${tipText("waiting")}
${tipText("passed")}
</defs>
${content}
</svg>
`;
}

/** What an arrow ends with. */
function tipText(look: ArrowLook): string {
  return `<marker id="tasuki-${look}" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" \
orient="auto" markerUnits="userSpaceOnUse"><path class="tip ${look}" d="M0 .5L8 4L0 7.5z"/></marker>`;
}

/** Whether the dependent still waits for the blocker. */
type ArrowLook = "waiting" | "passed";

function arrowText({ blocker, route }: Arrow, store: TaskStore): string {
  const task = findTask(store, blocker);
  const look: ArrowLook = task !== undefined && !isOpen(task.status) ? "passed" : "waiting";
  return `<path class="arrow ${look}" d="${pathText(route)}" marker-end="url(#tasuki-${look})"/>`;
}

function pathText([start, ...curves]: Route): string {
  if (!start) return "";
  const at = ({ x, y }: Point): string => `${px(x)} ${px(y)}`;
  return `M${at(start)}C${curves.map(at).join(" ")}`;
}
