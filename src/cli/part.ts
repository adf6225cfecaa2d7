/** The part of the log that a command is about: one pod's, or all of it. */
import type { LogMessage } from "../log/log_message.ts";
import type { Subjects } from "../log/subjects.ts";
import type { ReadOptions } from "../worker/ports.ts";

/** A pod's id; null for the whole log. */
export type Part = string | null;

export function readOf(part: Part): ReadOptions["only"] {
  return part === null ? "everything" : { pod: part };
}

/** A reader may give messages of other pods, too. */
export function isOf(part: Part, { subject }: LogMessage, subjects: Subjects): boolean {
  return part === null || subjects.parse(subject)?.pod === part;
}
