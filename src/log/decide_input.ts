/**
 * From an input to its outcome: one output, and what it does to the pod. Pure: the same pod and the same input give
 * the same outcome, now and at every replay (R14).
 */
import { claimant } from "../tasks/decide_ownership.ts";
import { decide } from "../tasks/decide.ts";
import type { Command } from "../tasks/command.ts";
import { isRefusal, type Refusal, type RefusalCode, refuse } from "../tasks/refusal.ts";
import { findTask, type TaskStore } from "../tasks/store.ts";
import { isOpen } from "../tasks/task.ts";
import { answerOf, currentAnswer, refusalAnswer } from "../tools/answer.ts";
import { isReadingTool, toolMeant, type ToolName, toolNames, toolOf } from "../tools/names.ts";
import { readCall } from "../tools/read_call.ts";
import { callHash } from "./call_hash.ts";
import type { CallMark, EventMark, Mark } from "./memory.ts";
import {
  eventOutput,
  injectOutput,
  type Output,
  refusedEventOutput,
  resultOutput,
  snapshotOutput,
} from "./outputs.ts";
import { type Effect, noEffect, type Place, type Pod } from "./pod.ts";
import type { Input } from "./read_input.ts";
import type { RejectedReason } from "./rejected_input.ts";
import { restore, restoreReport } from "./restore.ts";

export interface Outcome {
  readonly output: Output;
  readonly effect: Effect;
  /** The pod's store after the effect, where deciding has made it already. */
  readonly after?: TaskStore;
  /** Not there where the output says none. */
  readonly refusal?: RefusalCode;
  readonly rejection?: RejectedReason;
}

/** An input that was answered before: the first answer has to be fetched before this one can be given. */
export interface Repeat {
  readonly isRepeat: true;
  /** Null where there is nothing to fetch: a restored call. */
  readonly first: Mark | null;
  /** @param body the first answer's body, or null where the log no longer has it */
  answer(body: { readonly [name: string]: unknown } | null): Outcome;
}

type CallInput = Input & { readonly kind: "call" };
type EventInput = Exclude<Input, CallInput>;

export function decideInput(pod: Pod, input: Input, place: Place): Outcome | Repeat {
  return input.kind === "call" ? decideCall(pod, input, place) : decideEvent(pod, input, place);
}

/** Whether an input of the reading lane may be answered, and how (SPEC §2): never from a writing tool. */
export function decideRead(
  store: TaskStore,
  toolName: string,
  args: unknown,
): ReturnType<typeof answerOf>["result"] {
  const tool = toolOf(toolName);
  if (tool === null) return refusalAnswer(null, unknownTool(toolName)).result;
  if (!isReadingTool(tool)) {
    const message = `the reading lane takes TaskList and TaskGet: got ${tool}`;
    return refusalAnswer("TaskList", refuse("permission_denied", message)).result;
  }
  const call = readCall(tool, args);
  if (isRefusal(call)) return refusalAnswer(tool, call).result;
  const decision = decide(store, call.command, { agent: null, atMs: 0 });
  if (isRefusal(decision)) return refusalAnswer(tool, decision).result;
  return answerOf(call.command, store, decision, call.warnings).result;
}

function unknownTool(name: string): Refusal {
  const meant = toolMeant(name);
  const hint = meant === null ? "" : ` (did you mean ${meant}?)`;
  return refuse("unknown_tool", `there is no tool ${name}${hint}: the tools are ${toolNames.join(", ")}`);
}

function decideCall(pod: Pod, input: CallInput, place: Place): Outcome | Repeat {
  const tool = toolOf(input.tool);
  const refused = (refusal: Refusal): Outcome => refusedCall(input, place, refusal);
  if (tool === null) return refused(unknownTool(input.tool));
  if (input.refusal) return refused(input.refusal);
  const call = readCall(tool, input.arguments);
  if (isRefusal(call)) return refused(call);

  const identity = { callId: input.id, agent: input.agent, session: input.session, tool, args: call.args };
  const hash = isReadingTool(tool) ? null : callHash(identity);
  const known = hash === null
    ? undefined
    : pod.calls.find({ callId: input.id, hash }) ?? findRestored(pod, identity);
  if (known && isStillRepeat(pod, known, call.command, input)) {
    return repeatOfCall(pod, known, input, tool, place);
  }

  const decision = decide(pod.store, call.command, { agent: input.agent, atMs: place.atMs });
  if (isRefusal(decision)) return refused(decision);
  const reused = hash !== null && !known && pod.calls.knowsCallId(input.id)
    ? ["this call_id was used before with other content: it was taken as a new call"]
    : [];
  const warnings = [...call.warnings, ...reused, ...decision.warnings];
  const answer = answerOf(call.command, pod.store, decision, warnings);
  const callId = input.id;
  const remembered = decision.changes.length > 0 ? hash : null;
  const taskids = decision.tasks.map((task) => task.taskid);
  const { inputSeq } = place;
  return {
    output: resultOutput(answer, decision, {
      callId,
      tool,
      inputSeq,
      callHash: remembered,
      taskids,
      warnings,
    }),
    effect: {
      delta: { changes: decision.changes },
      calls: remembered === null ? [] : [{ hash: remembered, callId, taskids, isRestored: false }],
      event: null,
    },
    after: decision.after,
  };
}

/** A restored call was made where agent and session are not known (R24). */
function findRestored(pod: Pod, identity: Parameters<typeof callHash>[0]): CallMark | undefined {
  if (!pod.calls.hasRestored) return undefined;
  const hash = callHash({ ...identity, agent: null, session: null });
  const mark = pod.calls.find({ callId: identity.callId, hash });
  return mark?.isRestored ? mark : undefined;
}

/** A claim of whatever is ready is a repeat only while what it got is still the caller's. */
function isStillRepeat(pod: Pod, mark: CallMark, command: Command, input: CallInput): boolean {
  if (command.type !== "claim" || command.task !== null) return true;
  const owner = claimant(command, { agent: input.agent, atMs: 0 });
  const task = findTask(pod.store, mark.taskids[0] ?? 0);
  return task !== undefined && task.owner === owner && isOpen(task.status);
}

function refusedCall(input: CallInput, place: Place, refusal: Refusal): Outcome {
  const tool = toolOf(input.tool);
  const output = resultOutput(refusalAnswer(tool, refusal), { changes: [] }, {
    callId: input.id,
    tool: tool ?? input.tool,
    inputSeq: place.inputSeq,
    callHash: null,
    taskids: [],
    warnings: [],
  });
  return { output, effect: noEffect, refusal: refusal.code };
}

function repeatOfCall(pod: Pod, mark: CallMark, input: CallInput, tool: ToolName, place: Place): Repeat {
  return {
    isRepeat: true,
    first: mark.isRestored ? null : mark,
    answer(body) {
      const fields = {
        callId: input.id,
        tool,
        inputSeq: place.inputSeq,
        callHash: null,
        taskids: [],
        isDuplicate: true,
      };
      const output = body
        ? { kind: "result" as const, body: asDuplicate(body, place), callHash: null }
        : resultOutput(currentAnswer(pod.store, mark.taskids), { changes: [] }, { ...fields, warnings: [] });
      return { output, effect: noEffect };
    },
  };
}

/** The first answer, with its own `input_seq`, marked, and without the changes that it made. */
function asDuplicate(first: { readonly [name: string]: unknown }, place: Place): Output["body"] {
  const { v, rules, call_id, tool, reset: _reset, taskids: _taskids, ...rest } = first;
  const head = call_id === undefined ? { v, rules } : { v, rules, call_id, tool };
  return { ...head, ...rest, input_seq: place.inputSeq, duplicate: true, changes: [] };
}

function decideEvent(pod: Pod, input: EventInput, place: Place): Outcome | Repeat {
  const fields = { kind: input.kind, id: input.id, inputSeq: place.inputSeq };
  const known = pod.events.find(input.kind, input.id);
  const event = { kind: input.kind, id: input.id };
  const unchanged = (output: Output): Outcome => ({ output, effect: { ...noEffect, event } });
  const refused = (refusal: Refusal): Outcome => ({
    ...unchanged(refusedEventOutput(fields, refusal)),
    refusal: refusal.code,
  });
  const isFresh = input.kind === "compact.started" || input.kind === "compact.finished";
  if (known && !isFresh) return repeatOfEvent(known, fields, place);
  if (input.refusal) return refused(input.refusal);

  switch (input.kind) {
    case "compact.started": {
      const { id: compactId, session } = input;
      return unchanged(snapshotOutput(pod.store, { compactId, session, inputSeq: place.inputSeq }));
    }
    case "compact.finished": {
      const session = input.newSession ?? input.session;
      const compact = { compactId: input.id, session, inputSeq: place.inputSeq };
      return unchanged(injectOutput(pod.id, pod.store, compact, known !== undefined));
    }
    case "compact.failed":
      return unchanged(
        eventOutput(fields, { changes: [] }, { session: input.session, reason: input.reason }),
      );
    case "session.closed": {
      const delta = { changes: [], reset: { next_taskid: 1 } };
      return { output: eventOutput(fields, delta), effect: { delta, calls: [], event } };
    }
    case "session.restore": {
      const restored = restore(pod.store, input, place.atMs);
      if (isRefusal(restored)) return refused(restored);
      const { delta, calls } = restored;
      return {
        output: eventOutput(fields, delta, restoreReport(restored)),
        effect: { delta, calls, event },
        after: restored.store,
      };
    }
    case "agent.exited": {
      const decision = decide(pod.store, { type: "exit", agent: input.agent }, {
        agent: null,
        atMs: place.atMs,
      });
      if (isRefusal(decision)) return refused(decision);
      const delta = { changes: decision.changes };
      const released = decision.tasks.map(({ taskid, subject }) => ({ taskid, subject }));
      const output = eventOutput(fields, delta, { agent: input.agent, reason: input.reason, released });
      return { output, effect: { delta, calls: [], event }, after: decision.after };
    }
  }
}

function repeatOfEvent(
  mark: EventMark,
  fields: Parameters<typeof eventOutput>[0],
  place: Place,
): Repeat {
  return {
    isRepeat: true,
    first: mark,
    answer: (body) => ({
      output: body
        ? { kind: "event", body: asDuplicate(body, place), callHash: null }
        : eventOutput(fields, { changes: [] }, { duplicate: true }),
      effect: noEffect,
    }),
  };
}
