/** From an input as the log has it to its outcome: an input that cannot be read is rejected, and that is one, too. */
import { decideInput, type Outcome, type Repeat } from "./decide_input.ts";
import type { LogMessage } from "./log_message.ts";
import { rejectedOutput } from "./outputs.ts";
import { noEffect, type Place, type Pod } from "./pod.ts";
import { readInput } from "./read_input.ts";
import { RejectedInput } from "./rejected_input.ts";
import { noPod } from "./subjects.ts";

export interface LoggedInput {
  readonly message: LogMessage;
  /** The input's subject after `in.`. */
  readonly rest: string;
}

export function placeOf({ message }: LoggedInput): Place {
  return { inputSeq: message.seq, atMs: message.timeMs };
}

/** @throws {Error} only where deciding fails: a fault of ours (R19) */
export function decideLogged(pod: Pod, input: LoggedInput): Outcome | Repeat {
  try {
    if (pod.id === noPod) {
      throw new RejectedInput("bad_pod", "a pod is 1 to 64 of A-Z a-z 0-9 _ -, and not _ alone");
    }
    return decideInput(pod, readInput(input.rest, input.message.data), placeOf(input));
  } catch (error) {
    if (error instanceof RejectedInput) return rejection(input, error);
    throw error;
  }
}

export function rejection(
  { message: { seq: inputSeq, subject, data } }: LoggedInput,
  rejected: RejectedInput,
): Outcome {
  const output = rejectedOutput({ inputSeq, subject, data }, rejected);
  return { output, effect: noEffect, rejection: rejected.reason };
}

/**
 * What the rules of now make of an input without its record: for `verify`, and for a dump's last inputs. The text of a
 * repeat is not the first answer's, which only the log has; what it does, and that it is one, is the same.
 */
export function decideAgain(pod: Pod, input: LoggedInput): Outcome {
  const decided = decideLogged(pod, input);
  return "isRepeat" in decided ? decided.answer(null) : decided;
}
