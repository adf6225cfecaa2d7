/** How many columns of a terminal a text takes, and texts cut and filled to a number of columns. */
import { eastAsianWidth } from "get-east-asian-width";

/** The text must be fit for a terminal: no controls. */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of new Intl.Segmenter("en").segment(text)) columns += graphemeWidth(segment);
  return columns;
}

/** At most so many columns of the text, cut between graphemes, with an ellipsis where something is missing. */
export function cutToWidth(text: string, columnsMax: number): string {
  if (displayWidth(text) <= columnsMax) return text;
  let columns = 0;
  let kept = "";
  for (const { segment } of new Intl.Segmenter("en").segment(text)) {
    columns += graphemeWidth(segment);
    if (columns > columnsMax - 1) break;
    kept += segment;
  }
  return columnsMax < 1 ? "" : `${kept}…`;
}

/** Filled with spaces up to so many columns. */
export function padToWidth(text: string, columns: number, side: "left" | "right"): string {
  const spaces = " ".repeat(Math.max(0, columns - displayWidth(text)));
  return side === "left" ? text + spaces : spaces + text;
}

const invisible = /^[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]/u;
const emoji = /^\p{RGI_Emoji}|\ufe0f/v;

function graphemeWidth(grapheme: string): number {
  if (emoji.test(grapheme)) return 2;
  if (invisible.test(grapheme)) return 0;
  return eastAsianWidth(grapheme.codePointAt(0) ?? 0);
}
