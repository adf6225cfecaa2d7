/** Compares an answer with what a case expects of it. */
import { assertEquals } from "@std/assert";
import type { Json } from "../helpers/pod.ts";
import type { Expectation } from "./cases.ts";

/** What an expectation speaks of, from whatever kind of answer. */
export interface Answer {
  readonly isOk: boolean;
  readonly isRejected: boolean;
  readonly text: string;
  readonly structured: Json;
  readonly changes: readonly Json[];
  readonly warnings: readonly string[];
  readonly isDuplicate: boolean;
}

export function answerOfResult(result: Json, body: Json = {}): Answer {
  return {
    isOk: !result.isError,
    isRejected: false,
    text: result.content.map(({ text }: Json) => text).join("\n"),
    structured: result.structuredContent,
    changes: body.changes ?? [],
    warnings: body.warnings ?? [],
    isDuplicate: body.duplicate === true,
  };
}

export function answerOfOutput(kind: string, body: Json): Answer {
  if (body.result) return answerOfResult(body.result, body);
  return {
    isOk: kind === "event" && !body.error,
    isRejected: kind === "rejected",
    text: "",
    structured: {},
    changes: body.changes ?? [],
    warnings: [],
    isDuplicate: body.duplicate === true,
  };
}

/** Throws where the answer is not what the case expects; everything at once, so that the difference tells all. */
export function assertExpected(answer: Answer, expected: Expectation = {}, where: string): void {
  assertEquals(seenOf(answer, expected), wantedOf(expected), where);
}

type Seen = { readonly [name in keyof Expectation]: unknown };

function wantedOf({ changed, text, no_text, ...rest }: Expectation): Seen {
  return {
    ...rest,
    ...(text === undefined ? {} : { text: [text].flat() }),
    ...(no_text === undefined ? {} : { no_text: [] }),
    ...(changed === undefined ? {} : { changed: changed.toSorted() }),
  };
}

function seenOf(answer: Answer, expected: Expectation): Seen {
  const { structured, text, warnings, isDuplicate } = answer;
  const { task, tasks, changed, warning } = expected;
  const seen: { [name in keyof Expectation]-?: () => unknown } = {
    ok: () => answer.isOk,
    error: () => structured.error?.code,
    taskid: () => structured.task?.taskid,
    task: () => fieldsOf(task, structured.task),
    tasks: () => Array.isArray(tasks) ? tasksLike(tasks, structured.tasks) : structured.tasks?.length,
    text: () => [expected.text ?? []].flat().filter((part) => text.includes(part)),
    no_text: () => [expected.no_text ?? []].flat().filter((part) => text.includes(part)),
    warning: () =>
      typeof warning === "string"
        ? warnings.find((one) => one.includes(warning)) && warning
        : warnings.length > 0,
    duplicate: () => isDuplicate,
    unblocked: () => (structured.unblocked ?? []).map(({ taskid }: Json) => taskid),
    changed: () => isDuplicate && changed?.length ? changed.toSorted() : changedFields(answer.changes),
    rejected: () => answer.isRejected,
  };
  const names = (Object.keys(seen) as (keyof Expectation)[]).filter((name) => expected[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, seen[name]()]));
}

/** Those fields of `got` that `wanted` names. */
function fieldsOf(wanted: Json, got: Json): Json {
  if (got === undefined || got === null) return got;
  return Object.fromEntries(Object.keys(wanted).map((name) => [name, got[name]]));
}

/** Also where there are more or fewer of them than wanted. */
function tasksLike(wanted: readonly Json[], got: readonly Json[] | undefined): readonly Json[] | undefined {
  return got?.map((task, n) => wanted[n] ? fieldsOf(wanted[n], task) : task);
}

function changedFields(changes: readonly Json[]): readonly string[] {
  const names = new Set(changes.flatMap((change) => Object.keys(change)));
  return [...names].filter((name) => name !== "taskid").toSorted();
}
