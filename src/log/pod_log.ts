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

/** Inputs of one pod that wait with their bytes; those of later ones stay in the log until they are needed. */
export const waitingBodiesMax = 512;
/** … and how many bytes these may be. */
const waitingBytesMax = 8 * 1024 * 1024;

export interface WaitingInput {
  /** Without bytes and headers where `isBare`. */
  message: LogMessage;
  /** Whether the input has to be fetched before it can be decided. */
  isBare: boolean;
  /** The input's subject after `in.`. */
  readonly rest: string;
  output: { readonly kind: OutputKind; readonly message: LogMessage } | null;
}

/** Inputs whose callers are remembered while their pod is not served: the last ones. */
export const unservedMax = 512;

/** An input that stays unanswered, whose caller waits for a reply. */
interface UnservedInput {
  readonly inputSeq: number;
  /** The subject, as the caller wrote it. */
  readonly reply: string;
}

/** A pod that this version cannot serve. */
interface NotServed {
  readonly reason: string;
  /** Those that are waited for in vain, keyed by input seq. */
  readonly replies: Map<number, string>;
}

export class PodLog {
  readonly pod: Pod;
  /** Keyed by input seq, in log order. */
  readonly #waiting = new Map<number, WaitingInput>();
  /** Of the inputs that wait with their bytes. */
  #waitingBytes = 0;
  /** The last input that was taken, waiting or applied. */
  #lastInputSeq: number;
  #notServed: NotServed | null = null;

  constructor(pod: Pod) {
    this.pod = pod;
    this.#lastInputSeq = pod.inputSeq;
  }

  /** Why the pod is not served: its log holds what this version cannot apply (R15); null where it is served. */
  get notServed(): string | null {
    return this.#notServed?.reason ?? null;
  }

  /** The first input that has not taken effect. */
  get head(): WaitingInput | undefined {
    return this.#waiting.size === 0 ? undefined : this.#waiting.values().next().value;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Takes one of the pod's messages; each input once, whoever delivers it again. */
  take(message: LogMessage, { direction, rest }: ParsedSubject): void {
    if (direction === "in") {
      if (this.#notServed === null) this.#takeInput(message, rest);
      else leaveUnserved(this.#notServed, message);
    } else if (direction === "out") {
      if (this.#notServed === null) this.#takeOutput(message, rest);
      else this.#notServed.replies.delete(Number(message.header(headerNames.input)));
    }
  }

  /** The inputs that nobody here can answer, as far as somebody waits for that; each is given once. */
  takeUnserved(): readonly UnservedInput[] {
    const replies = this.#notServed?.replies;
    const inputs = [...replies ?? []].map(([inputSeq, reply]) => ({ inputSeq, reply }));
    replies?.clear();
    return inputs;
  }

  #takeInput(message: LogMessage, rest: string): void {
    if (message.seq <= this.#lastInputSeq) return;
    this.#lastInputSeq = message.seq;
    const isBare = this.#waiting.size >= waitingBodiesMax || this.#waitingBytes >= waitingBytesMax;
    if (!isBare) this.#waitingBytes += message.data.length;
    this.#waiting.set(message.seq, { message: isBare ? bare(message) : message, isBare, rest, output: null });
  }

  #takeOutput(message: LogMessage, rest: string): void {
    const kind = outputKinds.find((known) => known === rest);
    const waiting = this.#waiting.get(Number(message.header(headerNames.input)));
    if (!waiting || waiting.output || message.seq <= waiting.message.seq) return;
    if (!kind) {
      this.#waiting.delete(waiting.message.seq);
      return this.stopServing(
        `Cannot apply the output at seq ${message.seq}: its kind is unknown: got ${rest}`,
      );
    }
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
        if (!(error instanceof Error)) throw error;
        const isReadable = !(error instanceof UnreadableRecord);
        return this.stopServing(isReadable ? `Cannot apply the log: ${error.message}` : error.message);
      }
      this.removeHead(head);
    }
  }

  /** From now on nothing of the pod takes effect here: its log stays for a worker that can apply it. */
  stopServing(reason: string): void {
    const notServed = { reason, replies: this.#notServed?.replies ?? new Map<number, string>() };
    this.#notServed = notServed;
    for (const { message, output } of this.#waiting.values()) if (!output) leaveUnserved(notServed, message);
    this.#waiting.clear();
    this.#waitingBytes = 0;
  }

  /** Completes bare inputs; what the log has no longer between the head and the last of these is let go. */
  fill(messages: readonly LogMessage[]): void {
    const bySeq = new Map(messages.map((message) => [message.seq, message]));
    const last = messages.at(-1)?.seq ?? 0;
    for (const [seq, waiting] of this.#waiting) {
      if (seq > last) return;
      const found = bySeq.get(seq);
      if (!found) this.#waiting.delete(seq);
      else {
        waiting.message = found;
        this.#waitingBytes += found.data.length;
        waiting.isBare = false;
      }
    }
  }

  /** Removes the head, which somebody has decided and applied, or which is gone. */
  removeHead(head: WaitingInput): void {
    if (this.#waiting.delete(head.message.seq)) this.#waitingBytes -= head.message.data.length;
  }
}

function leaveUnserved({ replies }: NotServed, input: LogMessage): void {
  const reply = input.header(headerNames.reply);
  if (reply === null) return;
  replies.set(input.seq, reply);
  const [oldest] = replies.keys();
  if (replies.size > unservedMax && oldest !== undefined) replies.delete(oldest);
}

function bare({ seq, timeMs, subject }: LogMessage): LogMessage {
  return { seq, timeMs, subject, data: new Uint8Array(), header: () => null };
}
