/** What a restore leads to, in few words: for tables of entries. */
import { emptyStore } from "../../src/tasks/store.ts";
import type { Task } from "../../src/tasks/task.ts";
import { isRefusal } from "../../src/tasks/refusal.ts";
import { restore } from "../../src/log/restore.ts";

export interface InShort {
  /** `2 pending write it of w waits for 1`. */
  readonly tasks: readonly string[];
  readonly next: number;
  readonly applied: number;
  readonly [more: string]: unknown;
}

/** Restores into an empty store; counts that are 0 and lists that are empty are left out. */
export function restored(entries: readonly unknown[]): InShort {
  const done = restore(emptyStore(), { entries, mode: "into_empty" }, 1_000);
  if (isRefusal(done)) throw new Error(done.message);
  const { store, applied, snapshots, passedOver, differing } = done;
  const counts = Object.entries({ ...passedOver, snapshots }).filter(([, count]) => count > 0);
  return {
    tasks: store.tasks.map(inShort),
    next: store.nextTaskid,
    applied,
    ...Object.fromEntries(counts),
    ...(differing.length === 0 ? {} : { differing }),
  };
}

function inShort({ taskid, status, subject, owner, blockedBy }: Task): string {
  const words = [`${taskid}`, status, subject];
  if (owner !== null) words.push("of", owner);
  if (blockedBy.length > 0) words.push("waits for", blockedBy.join(", "));
  return words.join(" ");
}

/** An entry of a session's history. */
export function toolCall(call_id: string, args: unknown, name = "TaskCreate") {
  return { type: "tool_call", call_id, name, arguments: args };
}

export function toolResult(call_id: string, fields: { is_error?: boolean; taskid?: unknown } = {}) {
  return { type: "tool_result", call_id, ...fields };
}

export function systemMessage(text: string) {
  return { type: "message", role: "system", text };
}
