/** From an input's bytes to the bytes of its one output: whatever happens, there is an output (R2, R19). */
import type { Outcome, Repeat } from "../log/decide_input.ts";
import { decideLogged, rejection } from "../log/decide_logged.ts";
import { headerNames } from "../log/log_message.ts";
import type { Pod } from "../log/pod.ts";
import type { WaitingInput } from "../log/pod_log.ts";
import { isEventKind } from "../log/read_input.ts";
import { RejectedInput } from "../log/rejected_input.ts";
import type { Subjects } from "../log/subjects.ts";
import { jsonBytes } from "../log/utf8.ts";
import { messageBytesMax } from "../tasks/limits.ts";
import { toolOf } from "../tools/names.ts";
import type { Answered } from "./observer.ts";
import type { OutputMessage } from "./ports.ts";

/** Bytes that headers and subject may need. */
const overheadBytes = 2048;

/**
 * What the input leads to: its outcome, or a repeat whose first answer is needed.
 *
 * @param report is told of a fault: an exception while deciding, which is recorded as a rejection
 */
export function answerInput(
  pod: Pod,
  waiting: WaitingInput,
  report: (error: unknown) => void,
): Outcome | Repeat {
  try {
    return decideLogged(pod, waiting);
  } catch (error) {
    return fault(waiting, error, report);
  }
}

/** A fault of ours, recorded and reported; the pod and all others go on. */
export function fault(waiting: WaitingInput, error: unknown, report: (error: unknown) => void): Outcome {
  report(error);
  return rejection(waiting, new RejectedInput("fault", "Tasuki failed on this input: it changed nothing"));
}

const callStart = "call.";

/** What the input was and what became of it, as an observer may know it. */
export function answeredOf({ rest }: WaitingInput, { refusal, rejection }: Outcome): Answered {
  const isCall = rest.startsWith(callStart);
  return {
    kind: isCall ? "call" : isEventKind(rest) ? rest : null,
    tool: isCall ? toolOf(rest.slice(callStart.length)) : null,
    refusal: refusal ?? null,
    rejection: rejection ?? null,
  };
}

/** The output as a message; what would be larger than a message is replaced by a rejection. */
export function outputMessage(
  subjects: Subjects,
  pod: string,
  waiting: WaitingInput,
  outcome: Outcome,
): { readonly outcome: Outcome; readonly message: Omit<OutputMessage, "messageId"> } {
  const data = jsonBytes(outcome.output.body);
  if (data.length + overheadBytes > messageBytesMax) {
    const detail = `the answer would be larger than a message: ${data.length} bytes`;
    return outputMessage(subjects, pod, waiting, rejection(waiting, new RejectedInput("too_large", detail)));
  }
  const headers = new Map<string, string>([[headerNames.input, String(waiting.message.seq)]]);
  if (outcome.output.callHash !== null) headers.set(headerNames.call, outcome.output.callHash);
  return { outcome, message: { subject: subjects.output(pod, outcome.output.kind), headers, data } };
}
