/** What of an output, and of a store, must be the same whenever the same inputs are decided by the same rules (R14). */
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { findTask, type TaskStore } from "../tasks/store.ts";
import { shown } from "../tools/shown.ts";
import { headerNames, type LogMessage } from "./log_message.ts";
import type { Output } from "./outputs.ts";
import type { OutputKind } from "./subjects.ts";

/** What an output says and a later version must say, too; texts are not part of it. */
interface Saying {
  /** Null where it does not say. */
  readonly rules: number | null;
  readonly kind: OutputKind;
  /** The code of a refusal, or the reason of a rejection. */
  readonly error: string | null;
  readonly isDuplicate: boolean;
  readonly changes: readonly unknown[];
  readonly reset: unknown;
  /** What a repeat of the call is recognised by. */
  readonly hash: string | null;
}

/** What is not in its form says nothing; what a replay needs is checked where it is read. */
const error = z.object({ code: z.string() }).optional().catch(undefined);
const body = z.object({
  rules: z.number().nullable().catch(null),
  duplicate: z.boolean().catch(false),
  changes: z.array(z.unknown()).catch([]),
  reset: z.unknown().optional(),
  error,
  reason: z.string().nullable().catch(null),
  result: z.object({ structuredContent: z.object({ error }) }).optional().catch(undefined),
});

function sayingOf(kind: OutputKind, value: unknown, hash: string | null): Saying {
  const { rules, duplicate, changes, reset, error, reason, result } = body.parse(value);
  const code = kind === "rejected" ? reason : error?.code ?? result?.structuredContent.error?.code;
  // A repeat repeats the text of the first answer, which may have been a refusal: only that it is a repeat counts.
  return {
    rules,
    kind,
    error: duplicate ? null : code ?? null,
    isDuplicate: duplicate,
    changes,
    reset,
    hash,
  };
}

/** Of an output that can be applied: it is JSON. */
export function sayingOfRecord(kind: OutputKind, message: LogMessage): Saying {
  const value: unknown = JSON.parse(new TextDecoder().decode(message.data));
  return sayingOf(kind, value, message.header(headerNames.call));
}

/** As the output would be read once it is recorded. */
export function sayingOfOutput({ kind, body, callHash }: Output): Saying {
  return sayingOf(kind, JSON.parse(JSON.stringify(body)), callHash);
}

/** Null where they say the same. */
export function differenceOf(recorded: Saying, now: Saying): string | null {
  const parts = ([
    ["kind", recorded.kind, now.kind],
    ["error", recorded.error, now.error],
    ["duplicate", recorded.isDuplicate, now.isDuplicate],
    ["reset", recorded.reset, now.reset],
    ["changes", recorded.changes, now.changes],
    ["call hash", recorded.hash, now.hash],
  ] as const).filter(([, before, after]) => !isDeepStrictEqual(before, after));
  if (parts.length === 0) return null;
  return parts.map(([name, before, after]) =>
    `${name} recorded as ${shown(before)}, decided now ${shown(after)}`
  )
    .join("; ");
}

const tasksNamedMax = 10;

/** Null where they are the same. */
export function storeDifference(recorded: TaskStore, decided: TaskStore): string | null {
  const taskids = new Set([...recorded.tasks, ...decided.tasks].map((task) => task.taskid));
  const differing = [...taskids].filter((taskid) =>
    !isDeepStrictEqual(findTask(recorded, taskid), findTask(decided, taskid))
  ).sort((a, b) => a - b);
  const parts = [
    ...differing.slice(0, tasksNamedMax).map((taskid) => `task ${taskid}`),
    ...(differing.length > tasksNamedMax ? [`${differing.length - tasksNamedMax} more tasks`] : []),
    ...(recorded.nextTaskid === decided.nextTaskid ? [] : ["the next taskid"]),
  ];
  return parts.length === 0
    ? null
    : `the store of the records differs in the end from the one decided now: ${parts.join(", ")}`;
}
