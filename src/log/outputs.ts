/** The bodies of outputs (SPEC §2, §3, §6): each begins with `v` and `rules`. */
import { rules } from "../tasks/limits.ts";
import { carriedOverText, overview, summarySourceText } from "../tasks/list_text.ts";
import type { Refusal } from "../tasks/refusal.ts";
import type { Delta, TaskStore } from "../tasks/store.ts";
import { viewOf } from "../tasks/task.ts";
import { type Answer, answerOf } from "../tools/answer.ts";
import { injectedCallId } from "./call_hash.ts";
import { type EventKind, idFields } from "./read_input.ts";
import type { RejectedInput } from "./rejected_input.ts";
import type { OutputKind } from "./subjects.ts";

/** The number of the wire format. */
export const wireVersion = 1;

export interface Output {
  readonly kind: OutputKind;
  readonly body: { readonly [name: string]: unknown };
  /** The hash that a repeat of the call is recognised by; null where nothing is to be remembered. */
  readonly callHash: string | null;
}

const version = { v: wireVersion, rules } as const;

interface ResultFields {
  readonly callId: string;
  /** The canonical name, or what the caller called. */
  readonly tool: string;
  readonly inputSeq: number;
  /** Null where the call is not to be remembered. */
  readonly callHash: string | null;
  /** The tasks that the answer shows, ascending. */
  readonly taskids: readonly number[];
  readonly warnings: readonly string[];
  readonly isDuplicate?: boolean;
}

export function resultOutput(answer: Answer, delta: Delta, fields: ResultFields): Output {
  return {
    kind: "result",
    body: {
      ...version,
      call_id: fields.callId,
      tool: fields.tool,
      input_seq: fields.inputSeq,
      ...(fields.isDuplicate ? { duplicate: true } : {}),
      // What a replay needs stands first: it reads no further than the warnings (`recorded.ts`).
      changes: delta.changes,
      ...taskidsOf(delta, fields),
      warnings: fields.warnings,
      summary: answer.summary,
      result: answer.result,
    },
    callHash: fields.callHash,
  };
}

/** The tasks that the answer shows, where they are not just those that changed. */
function taskidsOf(
  { changes }: Delta,
  { callHash, taskids }: ResultFields,
): { readonly taskids?: readonly number[] } {
  if (callHash === null || changes.map((change) => change.taskid).join() === taskids.join()) return {};
  return { taskids };
}

interface EventFields {
  readonly kind: EventKind;
  readonly id: string;
  readonly inputSeq: number;
}

/** @param more fields of this kind of event */
export function eventOutput(
  { kind, id, inputSeq }: EventFields,
  delta: Delta,
  more: { readonly [name: string]: unknown } = {},
): Output {
  return {
    kind: "event",
    body: {
      ...version,
      input_seq: inputSeq,
      kind,
      [idFields[kind]]: id,
      ...(delta.reset ? { reset: delta.reset } : {}),
      changes: delta.changes,
      ...more,
    },
    callHash: null,
  };
}

export function refusedEventOutput(fields: EventFields, refusal: Refusal): Output {
  const error = { code: refusal.code, message: refusal.message, ...refusal.fields };
  return eventOutput(fields, { changes: [] }, { error });
}

interface CompactFields {
  readonly compactId: string;
  readonly session: string | null;
  readonly inputSeq: number;
}

export function snapshotOutput(store: TaskStore, { compactId, session, inputSeq }: CompactFields): Output {
  return {
    kind: "snapshot",
    body: {
      ...version,
      compact_id: compactId,
      session,
      input_seq: inputSeq,
      store: { tasks: store.tasks.map((task) => viewOf(task)) },
      overview: overview(store),
      text: summarySourceText(store),
    },
    callHash: null,
  };
}

/** @param isDuplicate whether the same `compact.finished` came before (R21) */
export function injectOutput(
  pod: string,
  store: TaskStore,
  fields: CompactFields,
  isDuplicate: boolean,
): Output {
  const callId = injectedCallId(pod, fields.compactId);
  const list = { type: "list", status: null, owner: null, ready: false, brief: false } as const;
  const decision = { changes: [], after: store, tasks: store.tasks, warnings: [], unblocked: [] };
  return {
    kind: "inject",
    body: {
      ...version,
      compact_id: fields.compactId,
      session: fields.session,
      input_seq: fields.inputSeq,
      ...(isDuplicate ? { duplicate: true } : {}),
      items: [
        { type: "message", role: "system", text: carriedOverText(store) },
        { type: "tool_call", call_id: callId, name: "TaskList", arguments: {} },
        { type: "tool_result", call_id: callId, result: answerOf(list, store, decision, []).result },
      ],
    },
    callHash: null,
  };
}

/** Bytes of an input that a rejection shows. */
const headBytesMax = 256;

interface RejectedFields {
  readonly inputSeq: number;
  readonly subject: string;
  readonly data: Uint8Array;
}

export function rejectedOutput({ inputSeq, subject, data }: RejectedFields, rejected: RejectedInput): Output {
  return {
    kind: "rejected",
    body: {
      ...version,
      input_seq: inputSeq,
      subject,
      reason: rejected.reason,
      detail: rejected.message,
      head: new TextDecoder("utf-8", { ignoreBOM: true }).decode(data.subarray(0, headBytesMax)),
    },
    callHash: null,
  };
}
