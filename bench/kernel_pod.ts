/** A pod without a log: what a worker does for one call between the input's bytes and the output's bytes. */
import type { Outcome } from "../src/log/decide_input.ts";
import { placeOf } from "../src/log/decide_logged.ts";
import type { LogMessage } from "../src/log/log_message.ts";
import { Pod } from "../src/log/pod.ts";
import { Subjects } from "../src/log/subjects.ts";
import type { Change } from "../src/tasks/store.ts";
import { emptyStore, evolve } from "../src/tasks/store.ts";
import { answerInput, outputMessage } from "../src/worker/answering.ts";
import type { OutputMessage } from "../src/worker/ports.ts";

export const subjects = new Subjects("tasks");
const encoder = new TextEncoder();

/** A call as the log has it. */
export interface LoggedCall {
  readonly message: LogMessage;
  readonly rest: string;
}

export function loggedCall(pod: string, seq: number, tool: string, args: unknown): LoggedCall {
  const rest = `call.${tool}`;
  const data = encoder.encode(JSON.stringify({ call_id: `s${seq}`, arguments: args }));
  const subject = subjects.input(pod, rest);
  return { message: { seq, timeMs: 1, subject, data, header: () => null }, rest };
}

/**
 * Decides, answers, encodes; the pod stays as it was.
 *
 * @throws {Error} when the call is refused: then the bench measures something else than it says
 */
export function answered(
  pod: Pod,
  { message, rest }: LoggedCall,
): { readonly outcome: Outcome; readonly message: Omit<OutputMessage, "messageId"> } {
  const waiting = { message, rest, isBare: false, output: null };
  const decided = answerInput(pod, waiting, (error) => console.error(error));
  if ("isRepeat" in decided) throw new Error(`A call of the bench is a repeat: ${rest} at ${message.seq}`);
  const output = outputMessage(subjects, pod.id, waiting, decided);
  const { refusal, rejection } = output.outcome;
  if (refusal || rejection) throw new Error(`A call of the bench gets ${refusal ?? rejection}: ${rest}`);
  return output;
}

/** The same, and the pod goes on from there. */
export function answeredAndApplied(pod: Pod, call: LoggedCall): Omit<OutputMessage, "messageId"> {
  const { outcome, message } = answered(pod, call);
  pod.apply(outcome.effect, placeOf(call), null, outcome.after);
  return message;
}

export function podOf(id: string, changes: readonly Change[]): Pod {
  const pod = new Pod(id);
  pod.store = evolve(emptyStore(), { changes }, 1);
  return pod;
}
