/**
 * One pod's part of the log, folded as it is read (R13): inputs take effect in their order, an answered one from its
 * recorded output. An input without an output holds what follows it until somebody decides it, or its output comes.
 *
 * Invariants:
 * 1. `pod` includes exactly the inputs before the head of what waits.
 * 2. Of several outputs of one input the first counts, and only one that lies after the input.
 */
import { headerNames, type LogMessage } from "./log_message.ts";
import { Pod } from "./pod.ts";
import { readRecorded, UnreadableRecord } from "./recorded.ts";
import { type OutputKind, outputKinds, type ParsedSubject } from "./subjects.ts";

export interface WaitingInput {
  readonly message: LogMessage;
  /** The input's subject after `in.`. */
  readonly rest: string;
  output: { readonly kind: OutputKind; readonly message: LogMessage } | null;
}

export class PodLog {
  readonly pod: Pod;
  /** Keyed by input seq, in log order. */
  readonly #waiting = new Map<number, WaitingInput>();
  /** The last input that was taken, waiting or applied. */
  #lastInputSeq: number;
  #notServed: string | null = null;

  constructor(pod: Pod) {
    this.pod = pod;
    this.#lastInputSeq = pod.inputSeq;
  }

  /** Why the pod is not served: its log holds what this version cannot apply (R15); null where it is served. */
  get notServed(): string | null {
    return this.#notServed;
  }

  /** The first input that has not taken effect. */
  get head(): WaitingInput | undefined {
    return this.#waiting.values().next().value;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Takes one of the pod's messages; each input once, whoever delivers it again. */
  take(message: LogMessage, { direction, rest }: ParsedSubject): void {
    if (this.#notServed !== null) return;
    if (direction === "in") this.#takeInput(message, rest);
    else if (direction === "out") this.#takeOutput(message, rest);
  }

  #takeInput(message: LogMessage, rest: string): void {
    if (message.seq <= this.#lastInputSeq) return;
    this.#lastInputSeq = message.seq;
    this.#waiting.set(message.seq, { message, rest, output: null });
  }

  #takeOutput(message: LogMessage, rest: string): void {
    const kind = outputKinds.find((known) => known === rest);
    const waiting = this.#waiting.get(Number(message.header(headerNames.input)));
    if (!kind || !waiting || waiting.output || message.seq <= waiting.message.seq) return;
    waiting.output = { kind, message };
    this.applyAnswered();
  }

  /** Applies the inputs at the head that are answered. */
  applyAnswered(): void {
    for (let head = this.head; head?.output; head = this.head) {
      const { kind, message } = head.output;
      try {
        const place = { inputSeq: head.message.seq, atMs: head.message.timeMs };
        this.pod.apply(readRecorded(kind, message), place, message.seq);
      } catch (error) {
        this.#stopServing(error);
        return;
      }
      this.#waiting.delete(head.message.seq);
    }
  }

  #stopServing(error: unknown): void {
    if (!(error instanceof Error)) throw error;
    this.#notServed = error instanceof UnreadableRecord
      ? error.message
      : `Cannot apply the log: ${error.message}`;
    this.#waiting.clear();
  }

  /** Removes the head, which somebody has decided and applied. */
  removeHead(head: WaitingInput): void {
    this.#waiting.delete(head.message.seq);
  }
}
