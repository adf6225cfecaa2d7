/** What came, as a refusal or a warning shows it. */
import { nestingMax, quoteCharsMax } from "../tasks/limits.ts";
import { cutText, inlineText, jsonText } from "../tasks/text.ts";
import { isNestedDeeper } from "./nesting.ts";

/** The value as JSON, escaped, cut at `quoteCharsMax`. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return `"${inlineText(cutText(value, quoteCharsMax).toWellFormed())}"`;
  if (isNestedDeeper(value, nestingMax)) return `brackets nested deeper than ${nestingMax} levels`;
  return cutText(jsonText(value), quoteCharsMax);
}
