/**
 * Unicode, and how text of tasks may appear in a text that a model reads: as JSON whose escapes keep it from
 * closing a fence, starting a line or looking like another role (SPEC R11, R22, §4).
 */

/** What JSON leaves as it is and a text for a model must not: markup, fences, controls, bidi, tags. */
const unsafeInText =
  /\\.|[<>&`\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu;

/** Whatever the pattern above finds has one of these; a text that has none is told much faster so. */
const maybeUnsafe = /[\\<>&`\u007f-\uffff]/;

const shortEscapes: ReadonlyMap<string, string> = new Map([
  ["\\b", "\\u0008"],
  ["\\t", "\\u0009"],
  ["\\n", "\\u000a"],
  ["\\f", "\\u000c"],
  ["\\r", "\\u000d"],
]);

function escapeUnits(text: string): string {
  let escaped = "";
  for (let i = 0; i < text.length; i++) {
    escaped += "\\u" + text.charCodeAt(i).toString(16).padStart(4, "0");
  }
  return escaped;
}

/** The value as one line of JSON, with the escapes of the list text. */
export function jsonText(value: unknown): string {
  const json = JSON.stringify(value);
  if (!maybeUnsafe.test(json)) return json;
  return json.replace(
    unsafeInText,
    (found) => found.startsWith("\\") ? shortEscapes.get(found) ?? found : escapeUnits(found),
  );
}

/** Text as it may stand inside a sentence: escaped as in {@link jsonText}, without quotation marks. */
export function inlineText(text: string): string {
  return jsonText(text).slice(1, -1);
}

/** The same text, to be kept: a part of a text keeps all of that in memory. */
export function detached(part: string): string {
  return JSON.parse(JSON.stringify(part));
}

/** Bytes of the text in UTF-8; the text must be well formed. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00) {
      bytes += 4;
      i++;
    } else bytes += 3;
  }
  return bytes;
}

/** Whether the text has more than `max` code points; looks no further than it must. */
export function hasMoreCodePoints(text: string, max: number): boolean {
  if (text.length <= max) return false;
  if (text.length > 2 * max) return true;
  return [...text].length > max;
}

const whiteSpace = /^\p{White_Space}$/u;

/** Trims characters with the Unicode property White_Space, and no others (an emoji keeps its selector). */
export function trimWhiteSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && whiteSpace.test(text.charAt(start))) start++;
  while (end > start && whiteSpace.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

const nothingVisible = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}]*$/u;

/** Whether the text has nothing that a reader could see. */
export function isBlank(text: string): boolean {
  return nothingVisible.test(text);
}

const lineBreaks = /[\n\v\f\r\u0085\u2028\u2029]+/g;

/** Lines joined by single spaces. */
export function joinLines(text: string): string {
  return text.replace(lineBreaks, " ");
}

/** At most `max` UTF-16 units of the text, cut between graphemes, with an ellipsis where something is missing. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  let kept = 0;
  // The code point after `max` tells whether a grapheme ends there; it may take two units.
  for (const { index, segment } of new Intl.Segmenter("en").segment(text.slice(0, max + 2))) {
    if (index + segment.length > max) break;
    kept = index + segment.length;
  }
  return text.slice(0, kept) + "…";
}
