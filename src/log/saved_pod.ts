/** A pod as a checkpoint holds it, and back (R16). What can be derived is not saved. */
import { z } from "zod";
import { emptyStore, evolve, type TaskStore } from "../tasks/store.ts";
import { Pod } from "./pod.ts";
import { type EventKind, isEventKind } from "./read_input.ts";
import { change } from "./recorded.ts";
import { changeThatMakes } from "./restore.ts";
import { jsonBytes } from "./utf8.ts";

/** The key of the record that covers all saved pods. */
export const coveringKey = "covering";

/** The number of the format; a newer one is not read. */
export const savedVersion = 1;

/** A pod as it was at one of its inputs. */
export interface PodState {
  readonly store: TaskStore;
  /** The last input that the store includes. */
  readonly inputSeq: number;
  readonly changedMs: number;
}

/**
 * @param state where the pod's own store has run ahead, an earlier one, which the pod still recalls: what it remembers
 *   is saved as it was then
 * @param epoch what the parts of one checkpoint have in common
 */
export function encodePod(pod: Pod, state: PodState, epoch: string): Uint8Array {
  return jsonBytes({
    v: savedVersion,
    epoch,
    input_seq: state.inputSeq,
    changed_ms: state.changedMs,
    last_output: pod.lastOutput && [pod.lastOutput.seq, pod.lastOutput.inputSeq],
    next_taskid: state.store.nextTaskid,
    tasks: state.store.tasks.map((task) => [changeThatMakes(task), task.createdMs, task.changedMs]),
    calls: pod.calls.asOf(state.inputSeq).map(
      (
        { inputSeq, outputSeq, hash, callId, isRestored, taskids },
      ) => [inputSeq, outputSeq, hash, callId, isRestored, taskids],
    ),
    events: pod.events.asOf(state.inputSeq).map(
      ({ inputSeq, outputSeq, kind, id }) => [inputSeq, outputSeq, kind, id],
    ),
  });
}

const seq = z.int().min(0);
const outputSeq = seq.nullable();
const taskid = z.int().min(1);
const eventKind = z.custom<EventKind>((kind) => typeof kind === "string" && isEventKind(kind));
const savedPod = z.object({
  v: z.literal(savedVersion),
  epoch: z.string(),
  input_seq: seq,
  changed_ms: z.number(),
  /** Seqs of the pod's output that lies furthest in the log, and of its input. */
  last_output: z.tuple([seq, seq]).nullable(),
  next_taskid: taskid,
  tasks: z.array(z.tuple([change, z.number(), z.number()])),
  calls: z.array(z.tuple([seq, outputSeq, z.string(), z.string(), z.boolean(), z.array(taskid)])),
  events: z.array(z.tuple([seq, outputSeq, eventKind, z.string()])),
});

/** The saved pod; null where the bytes are of another epoch or format, or broken: the log knows it all the same. */
export function decodePod(id: string, data: Uint8Array, epoch: string): Pod | null {
  const saved = savedPod.safeParse(jsonOf(data)).data;
  if (saved?.epoch !== epoch) return null;
  const store = storeOf(saved);
  if (store === null) return null;
  const pod = new Pod(id);
  pod.store = store;
  pod.inputSeq = saved.input_seq;
  pod.changedMs = saved.changed_ms;
  if (saved.last_output) pod.recordedAt(...saved.last_output);
  for (const [inputSeq, outputSeq, hash, callId, isRestored, taskids] of saved.calls) {
    pod.calls.remember({ inputSeq, outputSeq, hash, callId, isRestored, taskids });
  }
  for (const [inputSeq, outputSeq, kind, id] of saved.events) {
    pod.events.remember({ inputSeq, outputSeq, kind, id });
  }
  return pod;
}

/** Null where the tasks cannot be made as they stand there. */
function storeOf({ tasks, next_taskid: nextTaskid }: z.infer<typeof savedPod>): TaskStore | null {
  const times = new Map(tasks.map(([task, createdMs, changedMs]) => [task.taskid, { createdMs, changedMs }]));
  try {
    const made = evolve(emptyStore(nextTaskid), { changes: tasks.map(([task]) => task) }, 0);
    return { ...made, tasks: made.tasks.map((task) => ({ ...task, ...times.get(task.taskid) })) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return null;
  }
}

/** Whether the bytes are a saved pod, of a checkpoint that is not this one. */
export function isOfAnotherEpoch(data: Uint8Array, epoch: string): boolean {
  const saved = savedPod.safeParse(jsonOf(data)).data;
  return saved !== undefined && saved.epoch !== epoch;
}

/** Undefined where the bytes are no JSON. */
function jsonOf(data: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(data));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The record that covers a checkpoint, written last: every pod's inputs up to `position` are in the saved pods. */
const covering = z.object({
  v: z.literal(savedVersion),
  epoch: z.string(),
  position: seq,
  /** The stream's creation time, as the server writes it. */
  created: z.string(),
  /**
   * The last message that was known when it was written, by which the stream is recognised: the outputs of all inputs up
   * to the position lie before it. Null where none was known.
   */
  end: z.object({ seq, subject: z.string(), time_ms: z.number() }).nullable(),
});
export type Covering = z.infer<typeof covering>;

export function encodeCovering(record: Covering): Uint8Array {
  return jsonBytes(record);
}

/** Null where the bytes are of a newer format, or broken. */
export function decodeCovering(data: Uint8Array): Covering | null {
  return covering.safeParse(jsonOf(data)).data ?? null;
}
