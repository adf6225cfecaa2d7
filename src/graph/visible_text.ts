/** Text of tasks as a picture may show it: what has no look of its own, or turns text around, is shown as an escape. */
import { eastAsianWidth } from "get-east-asian-width";

/** Emoji stay whole, flags and families too; joiners stay, since letters need them. */
const emojiOrInvisible =
  /\p{RGI_Emoji}|[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]--[\u200c\u200d]]/gv;
const emoji = /^\p{RGI_Emoji}/v;

export function visibleText(text: string): string {
  return text.replace(emojiOrInvisible, (found) => emoji.test(found) ? found : escapeUnits(found));
}

function escapeUnits(text: string): string {
  return text.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}

/** Widths in em of a sans-serif typeface, rather too wide than too narrow. */
const widths: readonly (readonly [pattern: RegExp, em: number])[] = [
  [/^[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]/u, 0],
  [/^(?:\p{RGI_Emoji}|.\ufe0f)/v, 1.35],
  [/^[iljI.,:;'|!()[\]{} `]/, 0.36],
  [/^[ftr"/\\-]/, 0.45],
  [/^[mwMW@%]/, 0.98],
  [/^[A-Z&#+=<>~]/, 0.76],
  [/^[\x20-\x7e]/, 0.62],
];

/** How wide a grapheme is, in em, as far as one can tell without the typeface. */
function graphemeEm(grapheme: string): number {
  const known = widths.find(([pattern]) => pattern.test(grapheme));
  if (known) return known[1];
  return eastAsianWidth(grapheme.codePointAt(0) ?? 0) === 2 ? 1.05 : 0.68;
}

export function textEm(text: string): number {
  let em = 0;
  for (const { segment } of new Intl.Segmenter("en").segment(text)) em += graphemeEm(segment);
  return em;
}

/** So much of the text as is at most so wide, cut between graphemes; an ellipsis shows where something is missing. */
export function cutToEm(text: string, emMax: number): string {
  return textEm(text) <= emMax ? text : `${headOf(text, emMax - textEm("…"))}…`;
}

/** The longest beginning that is at most so wide; one grapheme at least. */
function headOf(text: string, emMax: number): string {
  let em = 0;
  let end = 0;
  for (const { index, segment } of new Intl.Segmenter("en").segment(text)) {
    em += graphemeEm(segment);
    if (em > emMax && end > 0) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** The text in lines that are at most so wide, broken between words where that makes no short line; the last one is cut. */
export function wrapText(text: string, emMax: number, linesMax: number): readonly string[] {
  const lines: string[] = [];
  let rest = text.trim();
  while (lines.length < linesMax - 1 && textEm(rest) > emMax) {
    const line = lineOf(rest, emMax);
    lines.push(line.trimEnd());
    rest = rest.slice(line.length).trimStart();
  }
  return [...lines, cutToEm(rest, emMax)];
}

function lineOf(text: string, emMax: number): string {
  const head = headOf(text, emMax);
  if (/^\s/.test(text.slice(head.length))) return head;
  const space = head.lastIndexOf(" ") + 1;
  if (space > head.length / 2) return head.slice(0, space);
  // Chinese, Japanese and Thai have no spaces between words.
  const words = [...new Intl.Segmenter("en", { granularity: "word" }).segment(text)];
  const word = words.findLast(({ index, isWordLike }) => isWordLike === true && index <= head.length);
  return word && word.index > head.length / 2 ? head.slice(0, word.index) : head;
}
