/** Text from anywhere, made fit for a terminal: what could steer it, or turn a line around, is shown as `\u` escapes. */

/** Joiners stay, since letters and emoji need them; lone surrogates are no text. */
const unsafeInLine = /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]--[\u200c\u200d]]/gv;
const unsafeInLines = /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]--[\u200c\u200d\n]]/gv;

/** One line: a line feed is escaped, too. */
export function lineForTerminal(text: string): string {
  return text.replace(unsafeInLine, escape);
}

/** Any number of lines. */
export function linesForTerminal(text: string): string {
  return text.replace(unsafeInLines, escape);
}

/** The same value for whoever parses it, harmless for whoever only looks at it. */
export function jsonForTerminal(value: unknown, indent = 0): string {
  return linesForTerminal(JSON.stringify(value, null, indent));
}

function escape(character: string): string {
  return character.split("").map((unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0")).join("");
}
