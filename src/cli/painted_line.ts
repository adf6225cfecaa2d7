/** A line of a terminal as spans of text with a style each, so that it can be cut before it is painted. */
import { cutToWidth, displayWidth } from "./display_width.ts";

/** SGR parameters (ECMA-48, 8.3.117). */
const styleCodes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Style = keyof typeof styleCodes;

/** The text must be fit for a terminal, and one line. */
export interface Span {
  readonly text: string;
  readonly style?: Style;
}

export type Line = readonly Span[];

export function lineWidth(line: Line): number {
  return line.reduce((columns, { text }) => columns + displayWidth(text), 0);
}

/** The line in at most so many columns; the last one shows where something is missing. */
export function cutLine(line: Line, columnsMax: number): Line {
  if (lineWidth(line) <= columnsMax) return line;
  const cut: Span[] = [];
  let columnsLeft = columnsMax;
  for (const span of line) {
    const width = displayWidth(span.text);
    const isLast = width >= columnsLeft;
    cut.push(isLast ? { ...span, text: cutToWidth(`${span.text}…`, columnsLeft) } : span);
    if (isLast) break;
    columnsLeft -= width;
  }
  return cut;
}

export function paint(line: Line, isColored: boolean): string {
  return line.map(({ text, style }) =>
    isColored && style !== undefined ? `\x1b[${styleCodes[style]}m${text}\x1b[0m` : text
  ).join("");
}
