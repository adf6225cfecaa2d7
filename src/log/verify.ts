/**
 * Decides a whole log again and compares with what is recorded (R14): the same inputs must lead to the same outcomes,
 * and so to the same stores.
 *
 * Invariants:
 * 1. Each pod is built twice, from deciding alone and from the records alone; at the end both must be the same.
 * 2. What the rules of now cannot decide is taken from its record on both sides, and counted as kept: an output of
 *    another `rules` number, and a rejection that says that the worker or the server failed.
 * 3. Where the log does not reach back, both sides begin with the saved pod; what that includes is passed over.
 */
import { rules } from "../tasks/limits.ts";
import { shown } from "../tools/shown.ts";
import { decideAgain, type LoggedInput } from "./decide_logged.ts";
import type { Outcome } from "./decide_input.ts";
import { headerNames, type LogMessage } from "./log_message.ts";
import { type Effect, type Place, Pod } from "./pod.ts";
import { readRecorded } from "./recorded.ts";
import type { RejectedReason } from "./rejected_input.ts";
import { differenceOf, sayingOfOutput, sayingOfRecord, storeDifference } from "./saying.ts";
import { type OutputKind, outputKinds, type ParsedSubject, type Subjects } from "./subjects.ts";

/** One thing that is not as it must be. */
export interface Difference {
  readonly pod: string;
  /** Null where it concerns the pod's whole store. */
  readonly inputSeq: number | null;
  /** One sentence, fit for a terminal. */
  readonly text: string;
}

export interface VerificationCounts {
  readonly pods: number;
  /** Inputs decided again and compared. */
  readonly verified: number;
  /** Inputs whose record was taken as it is. */
  readonly kept: number;
  /** Inputs without an output. */
  readonly unanswered: number;
}

/** What is known before the first message. */
export interface VerifiedFrom {
  /** Inputs up to here are not judged, nor are their outputs. */
  readonly afterSeq: number;
  /** As the log had them there, or later. */
  readonly pods: Iterable<Pod>;
}

export class Verification {
  readonly #subjects: Subjects;
  readonly #report: (difference: Difference) => void;
  readonly #afterSeq: number;
  /** Keyed by pod id. */
  readonly #saved: ReadonlyMap<string, Pod>;
  /** Keyed by pod id. */
  readonly #pods = new Map<string, PodVerification>();

  /** @param report is told of each difference as soon as it is found */
  constructor(
    subjects: Subjects,
    report: (difference: Difference) => void,
    { afterSeq, pods }: VerifiedFrom = { afterSeq: 0, pods: [] },
  ) {
    this.#subjects = subjects;
    this.#report = report;
    this.#afterSeq = afterSeq;
    this.#saved = new Map(Array.from(pods, (pod) => [pod.id, pod]));
  }

  /** Takes the next message of the log. */
  take(message: LogMessage): void {
    const parsed = this.#subjects.parse(message.subject);
    if (parsed === null) return;
    const { pod: id } = parsed;
    const pod = this.#pods.get(id) ?? this.#begin(this.#saved.get(id) ?? new Pod(id));
    this.#pods.set(id, pod);
    pod.take(message, parsed);
  }

  #begin(pod: Pod): PodVerification {
    const report = (inputSeq: number | null, text: string) => this.#report({ pod: pod.id, inputSeq, text });
    return new PodVerification(pod, this.#afterSeq, report);
  }

  /** After the last message: decides what is unanswered, and compares the stores. */
  finish(): VerificationCounts {
    const pods = [...this.#pods.values()];
    for (const pod of pods) pod.finish();
    const sum = (count: (pod: PodVerification) => number): number =>
      pods.reduce((total, pod) => total + count(pod), 0);
    return {
      pods: pods.length,
      verified: sum((pod) => pod.verified),
      kept: sum((pod) => pod.kept),
      unanswered: sum((pod) => pod.unanswered),
    };
  }
}

class PodVerification {
  verified = 0;
  kept = 0;
  unanswered = 0;
  readonly #decided: Pod;
  readonly #recorded: Pod;
  readonly #report: (inputSeq: number | null, text: string) => void;
  /** The last input that is passed over. */
  readonly #passedSeq: number;
  /** Keyed by input seq, in log order: inputs that have not taken effect. */
  readonly #waiting = new Map<number, WaitingInput>();
  /** Inputs that have taken effect. */
  readonly #done = new Set<number>();
  /** Whether a record was met that this version cannot apply (R15): nothing behind it can be judged. */
  #isUnreadable = false;

  constructor(pod: Pod, afterSeq: number, report: (inputSeq: number | null, text: string) => void) {
    this.#decided = pod.copy();
    this.#recorded = pod;
    this.#report = report;
    this.#passedSeq = Math.max(afterSeq, pod.inputSeq);
  }

  take(message: LogMessage, { direction, rest }: ParsedSubject): void {
    if (this.#isUnreadable) return;
    if (direction === "in") this.#takeInput(message, rest);
    else if (direction === "out") this.#takeOutput(message, rest);
  }

  #takeInput(message: LogMessage, rest: string): void {
    if (message.seq > this.#passedSeq) this.#waiting.set(message.seq, { message, rest, output: null });
  }

  #takeOutput(message: LogMessage, rest: string): void {
    const named = message.header(headerNames.input);
    const inputSeq = Number(named);
    if (inputSeq > 0 && inputSeq <= this.#passedSeq) return;
    const waiting = this.#waiting.get(inputSeq);
    const kind = outputKinds.find((known) => known === rest);
    if (kind === undefined) {
      this.#report(null, `the output at seq ${message.seq} is of no known kind: got ${shown(`out.${rest}`)}`);
    } else if (waiting?.output || this.#done.has(inputSeq)) {
      this.#report(inputSeq, `a second output is recorded at seq ${message.seq}`);
    } else if (!waiting) {
      this.#report(
        null,
        `the output at seq ${message.seq} answers no input before it: it names ${shown(named)}`,
      );
    } else {
      waiting.output = { kind, message };
      this.#settleAnswered();
    }
  }

  #settleAnswered(): void {
    for (const [inputSeq, waiting] of this.#waiting) {
      if (waiting.output === null || this.#isUnreadable) return;
      this.#settle(waiting, waiting.output);
      this.#waiting.delete(inputSeq);
      this.#done.add(inputSeq);
    }
  }

  /** Takes an answered input's record on one side, and decides it again on the other. */
  #settle(waiting: LoggedInput, { kind, message }: RecordedOutput): void {
    const { seq: inputSeq } = waiting.message;
    let effect: Effect;
    try {
      effect = readRecorded(kind, message);
      this.#recorded.apply(effect, placeOf(waiting), message.seq);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#isUnreadable = true;
      this.#report(inputSeq, `${error.message}; nothing of this pod is verified from here on`);
      return;
    }
    const saying = sayingOfRecord(kind, message);
    if (saying.rules !== rules || (kind === "rejected" && workerReasons.includes(saying.error))) {
      this.kept++;
      this.#decided.apply(effect, placeOf(waiting), null);
    } else {
      this.verified++;
      const { output } = this.#decide(this.#decided, waiting) ?? {};
      if (!output) return;
      const text = differenceOf(saying, sayingOfOutput(output));
      if (text !== null) this.#report(inputSeq, text);
    }
  }

  /** Null where deciding fails, which is reported; the pod then stays as it is. */
  #decide(pod: Pod, waiting: LoggedInput): Outcome | null {
    try {
      const outcome = decideAgain(pod, waiting);
      pod.apply(outcome.effect, placeOf(waiting), null, outcome.after);
      return outcome;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#report(waiting.message.seq, `it cannot be decided again: ${error.message}`);
      return null;
    }
  }

  finish(): void {
    for (const waiting of this.#waiting.values()) {
      if (this.#isUnreadable) return;
      if (waiting.output) this.#settle(waiting, waiting.output);
      else {
        this.unanswered++;
        this.#decide(this.#decided, waiting);
        this.#decide(this.#recorded, waiting);
      }
    }
    if (this.#isUnreadable) return;
    const text = storeDifference(this.#recorded.store, this.#decided.store);
    if (text !== null) this.#report(null, text);
  }
}

interface RecordedOutput {
  readonly kind: OutputKind;
  readonly message: LogMessage;
}

interface WaitingInput extends LoggedInput {
  output: RecordedOutput | null;
}

/** Reasons of rejections that tell of the worker and the server, not of the input. */
const workerReasons: readonly (string | null)[] = ["fault", "too_large"] satisfies RejectedReason[];

function placeOf({ message }: LoggedInput): Place {
  return { inputSeq: message.seq, atMs: message.timeMs };
}
