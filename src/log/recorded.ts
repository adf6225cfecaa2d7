/** Reads a recorded output back into the effect that it had: the only way in which a replay changes a pod (R13). */
import { z } from "zod";
import type { JsonObject, JsonValue } from "../tasks/task.ts";
import { statuses } from "../tasks/task.ts";
import { headerNames, type LogMessage } from "./log_message.ts";
import { wireVersion } from "./outputs.ts";
import { type Effect, noEffect } from "./pod.ts";
import { idFields, isEventKind } from "./read_input.ts";
import type { OutputKind } from "./subjects.ts";

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

const shownTask = z.object({ taskid });
const body = z.object({
  v: z.int(),
  kind: z.string().optional(),
  call_id: z.string().optional(),
  compact_id: z.string().optional(),
  restore_id: z.string().optional(),
  event_id: z.string().optional(),
  duplicate: z.boolean().optional(),
  changes: z.array(change).default([]),
  reset: z.object({ next_taskid: z.int().min(1) }).exactOptional(),
  calls: z.array(z.object({ call_id: z.string(), hash: z.string(), taskids: z.array(taskid) })).default([]),
  result: z.object({
    structuredContent: z.object({ task: shownTask.optional(), tasks: z.array(shownTask).optional() }),
  }).optional(),
});
type Body = z.infer<typeof body>;

/** @throws {UnreadableRecord} when the record is of a newer version, or corrupt */
export function readRecorded(kind: OutputKind, message: LogMessage): Effect {
  const read = bodyOf(message);
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

function callEffect(read: Body, hash: string | null): Effect {
  const { changes, call_id: callId } = read;
  const calls = hash === null || callId === undefined
    ? []
    : [{ hash, callId, taskids: shownTaskids(read), isRestored: false }];
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

function shownTaskids({ result }: Body): readonly number[] {
  const { task, tasks } = result?.structuredContent ?? {};
  return task ? [task.taskid] : tasks?.map((shown) => shown.taskid) ?? [];
}

function idOf(id: string | undefined, message: LogMessage): string {
  if (id !== undefined) return id;
  throw new UnreadableRecord(`Cannot apply the output at seq ${message.seq}: it names no id`);
}

function bodyOf(message: LogMessage): Body {
  const value = jsonOf(message);
  const version = z.looseObject({ v: z.number() }).safeParse(value).data?.v;
  if (version !== undefined && version > wireVersion) {
    throw new UnreadableRecord(
      `Cannot apply the output at seq ${message.seq}: this worker knows v ${wireVersion}: got ${version}`,
    );
  }
  const read = body.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new UnreadableRecord(
    `Cannot apply the output at seq ${message.seq}: ${issue?.path.join(".")}: ${issue?.message}`,
  );
}

function jsonOf(message: LogMessage): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(message.data));
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof SyntaxError)) throw error;
    throw new UnreadableRecord(`Cannot apply the output at seq ${message.seq}: it is not JSON`);
  }
}
