/** The forms of the names and ids that come from outside (SPEC §2, §3). */
import { noteCharsMax } from "../tasks/limits.ts";
import { hasMoreCodePoints } from "../tasks/text.ts";

/** A pod or tool token, fit to be part of a subject, key or header; `_` alone is reserved. */
export function isToken(text: string): boolean {
  return text !== "_" && /^[A-Za-z0-9_-]{1,64}$/.test(text);
}

export function isAgentName(text: string): boolean {
  return /^[A-Za-z0-9_.:@/-]{1,64}$/.test(text);
}

/** A `call_id`, `compact_id`, `restore_id` or `event_id`: 1 to 128 printable ASCII characters. */
export function isId(value: unknown): value is string {
  return typeof value === "string" && /^[\x20-\x7e]{1,128}$/.test(value);
}

/** A session name or a reason. */
export function isNote(text: string): boolean {
  return !hasMoreCodePoints(text, noteCharsMax);
}
