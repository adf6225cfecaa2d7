/** What the rules of now make of an input of the log, without its record: for `verify`, and for a dump's last inputs. */
import { decideInput, type Outcome } from "./decide_input.ts";
import type { LogMessage } from "./log_message.ts";
import { rejectedOutput } from "./outputs.ts";
import { noEffect, type Pod } from "./pod.ts";
import { readInput } from "./read_input.ts";
import { RejectedInput } from "./rejected_input.ts";
import { noPod } from "./subjects.ts";

export interface LoggedInput {
  readonly message: LogMessage;
  /** The input's subject after `in.`. */
  readonly rest: string;
}

/**
 * The outcome of an input whose pod is as it was before it. The text of a repeat is not the first answer's, which only
 * the log has; what it does, and that it is one, is the same.
 */
export function decideAgain(pod: Pod, { message, rest }: LoggedInput): Outcome {
  try {
    if (pod.id === noPod) throw new RejectedInput("bad_pod", "its pod is no legal token");
    const place = { inputSeq: message.seq, atMs: message.timeMs };
    const decided = decideInput(pod, readInput(rest, message.data), place);
    return "isRepeat" in decided ? decided.answer(null) : decided;
  } catch (error) {
    if (!(error instanceof RejectedInput)) throw error;
    const { seq: inputSeq, subject, data } = message;
    return { output: rejectedOutput({ inputSeq, subject, data }, error), effect: noEffect };
  }
}
