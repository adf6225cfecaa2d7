/** Reads a recorded output back into the effect that it had: the only way in which a replay changes a pod (R13). */
import { z } from "zod";
import type { JsonObject, JsonValue } from "../tasks/task.ts";
import { statuses } from "../tasks/task.ts";
import { detached } from "../tasks/text.ts";
import { headerNames, type LogMessage } from "./log_message.ts";
import { wireVersion } from "./outputs.ts";
import { isPlainResult, type PlainResult } from "./plain_result.ts";
import { type Effect, noEffect } from "./pod.ts";
import { idFields, isEventKind } from "./read_input.ts";
import type { OutputKind } from "./subjects.ts";
import { textBefore, textOf } from "./utf8.ts";

/** An output that this version cannot apply: its pod is not served (R15). */
export class UnreadableRecord extends Error {
  override readonly name = "UnreadableRecord";
}

const json: z.ZodType<JsonValue> = z.json();
const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), json);
const taskid = z.int().min(1);

/** One entry of `changes` on the wire. */
export const change = z.object({
  taskid,
  status: z.enum(statuses).exactOptional(),
  subject: z.string().exactOptional(),
  description: z.string().exactOptional(),
  activeForm: z.string().nullable().exactOptional(),
  owner: z.string().nullable().exactOptional(),
  blockedBy: z.array(taskid).nullable().exactOptional(),
  metadata: jsonObject.nullable().exactOptional(),
});

const body = z.object({
  v: z.int(),
  kind: z.string().optional(),
  call_id: z.string().optional(),
  compact_id: z.string().optional(),
  restore_id: z.string().optional(),
  event_id: z.string().optional(),
  duplicate: z.boolean().optional(),
  changes: z.array(change).default([]),
  taskids: z.array(taskid).optional(),
  reset: z.object({ next_taskid: z.int().min(1) }).exactOptional(),
  calls: z.array(z.object({ call_id: z.string(), hash: z.string(), taskids: z.array(taskid) })).default([]),
});
type Body = z.infer<typeof body>;

/** @throws {UnreadableRecord} when the record is of a newer version, or corrupt */
export function readRecorded(kind: OutputKind, message: LogMessage): Effect {
  const value = jsonOf(message, kind === "result");
  if (kind === "result" && isPlainResult(value)) return callEffect(value, message.header(headerNames.call));
  const read = bodyOf(value, message);
  switch (kind) {
    case "rejected":
      return noEffect;
    case "result":
      return callEffect(read, message.header(headerNames.call));
    case "snapshot":
      return { ...noEffect, event: { kind: "compact.started", id: idOf(read.compact_id, message) } };
    case "inject":
      return { ...noEffect, event: { kind: "compact.finished", id: idOf(read.compact_id, message) } };
    case "event":
      return read.duplicate ? noEffect : eventEffect(read, message);
  }
}

function callEffect(read: PlainResult, hash: string | null): Effect {
  const { changes, call_id: callId, taskids = changes.map((one) => one.taskid) } = read;
  const calls = hash === null || callId === undefined
    ? []
    : [{ hash: detached(hash), callId, taskids, isRestored: false }];
  return { delta: { changes }, calls, event: null };
}

function eventEffect(read: Body, message: LogMessage): Effect {
  if (read.kind === undefined || !isEventKind(read.kind)) {
    throw new UnreadableRecord(
      `Cannot apply the output at seq ${message.seq}: its kind is unknown: got ${read.kind}`,
    );
  }
  return {
    delta: { changes: read.changes, ...(read.reset ? { reset: read.reset } : {}) },
    calls: read.calls.map(({ call_id: callId, hash, taskids }) => ({
      hash,
      callId,
      taskids,
      isRestored: true,
    })),
    event: { kind: read.kind, id: idOf(read[idFields[read.kind]], message) },
  };
}

function idOf(id: string | undefined, message: LogMessage): string {
  if (id !== undefined) return id;
  throw new UnreadableRecord(`Cannot apply the output at seq ${message.seq}: it names no id`);
}

function bodyOf(value: unknown, message: LogMessage): Body {
  const read = body.safeParse(value);
  if (read.success && read.data.v <= wireVersion) return read.data;
  const version = versioned.safeParse(value).data?.v ?? wireVersion;
  const [issue] = read.error?.issues ?? [];
  throw new UnreadableRecord(
    version > wireVersion
      ? `Cannot apply the output at seq ${message.seq}: this worker knows v ${wireVersion}: got ${version}`
      : `Cannot apply the output at seq ${message.seq}: ${issue?.path.join(".")}: ${issue?.message}`,
  );
}

/** All that a newer version is known by. */
const versioned = z.looseObject({ v: z.number() });

/**
 * Behind this a result has only what its reader is shown (`outputs.ts`): a replay does without it, and does not look
 * whether it is JSON, or UTF-8.
 */
const restOfResult = ',"warnings":[';
/** Within so many bytes it begins in most results. */
const usualHeadBytes = 256;

function jsonOf(message: LogMessage, isResult: boolean): unknown {
  try {
    return (isResult ? headOf(message.data) : null) ?? JSON.parse(textOf(message.data));
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof SyntaxError)) throw error;
    throw new UnreadableRecord(`Cannot apply the output at seq ${message.seq}: it is not JSON`);
  }
}

/** What a result begins with; null where it has another form: the changes elsewhere, the words inside of something. */
function headOf(data: Uint8Array): unknown {
  const text = textBefore(restOfResult, data, usualHeadBytes) ?? textBefore(restOfResult, data, data.length);
  if (text === null) return null;
  try {
    const head: unknown = JSON.parse(`${text}}`);
    return typeof head === "object" && head !== null && "changes" in head ? head : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
