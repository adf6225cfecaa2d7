/** A log in memory and a worker over it, which answers as the real one does: the kernel without NATS. */
import { decideInput, type Outcome, type Repeat } from "../../src/log/decide_input.ts";
import { Fold } from "../../src/log/fold.ts";
import { headerNames, type LogMessage } from "../../src/log/log_message.ts";
import { type Output, rejectedOutput } from "../../src/log/outputs.ts";
import { noEffect, type Pod } from "../../src/log/pod.ts";
import type { WaitingInput } from "../../src/log/pod_log.ts";
import { readInput } from "../../src/log/read_input.ts";
import { RejectedInput } from "../../src/log/rejected_input.ts";
import { Subjects } from "../../src/log/subjects.ts";

export const subjects = new Subjects("tasks");

export type Body = { readonly [name: string]: unknown };
export type Headers = { readonly [name: string]: string };

export function bytesOf(content: unknown): Uint8Array {
  if (content instanceof Uint8Array) return content;
  return new TextEncoder().encode(typeof content === "string" ? content : JSON.stringify(content));
}

/** A message whose time follows from its seq: one second each. */
export function messageOf(
  seq: number,
  subject: string,
  content: unknown,
  headers: Headers = {},
): LogMessage {
  const data = bytesOf(content);
  return { seq, timeMs: seq * 1_000, subject, data, header: (name) => headers[name] ?? null };
}

export function bodyOf(message: LogMessage): Body {
  return JSON.parse(new TextDecoder().decode(message.data));
}

/** The identity of the stream. */
export const streamCreated = "then";

export class MemoryLog {
  readonly messages: LogMessage[] = [];
  #lastSeq = 0;

  /** @param content bytes, text, or a value that is sent as JSON */
  publish(subject: string, content: unknown, headers: Headers = {}): LogMessage {
    const message = messageOf(++this.#lastSeq, subject, content, headers);
    this.messages.push(message);
    return message;
  }

  publishOutput(pod: string, inputSeq: number, { kind, body, callHash }: Output): LogMessage {
    return this.publish(subjects.output(pod, kind), body, {
      [headerNames.input]: `${inputSeq}`,
      ...(callHash === null ? {} : { [headerNames.call]: callHash }),
    });
  }

  /** Deletes a message: later ones keep their seq. */
  delete(seq: number): void {
    this.messages.splice(this.messages.findIndex((message) => message.seq === seq), 1);
  }

  /** Throws away everything up to a seq. */
  shorten(lastSeq: number): void {
    this.messages.splice(0, this.messages.filter(({ seq }) => seq <= lastSeq).length);
  }

  at(seq: number): LogMessage | undefined {
    return this.messages.find((message) => message.seq === seq);
  }
}

/** Folds the log as it is, and answers what has no answer. */
export class MemoryWorker {
  readonly fold = new Fold(subjects);
  readonly #log: MemoryLog;
  #takenSeq = 0;

  constructor(log: MemoryLog) {
    this.#log = log;
  }

  /** Reads on to the end of the log, then decides what waits, pod by pod; gives the outputs that it recorded. */
  settle(): readonly LogMessage[] {
    this.read();
    const recorded: LogMessage[] = [];
    for (const podLog of this.fold.pods.values()) {
      for (let head = podLog.head; head && podLog.notServed === null; head = podLog.head) {
        if (head.isBare) podLog.fill(this.#log.messages);
        recorded.push(this.#answer(podLog.pod, head));
        podLog.removeHead(head);
        podLog.applyAnswered();
      }
    }
    return recorded;
  }

  /** Reads on to the end of the log and decides nothing. */
  read(): void {
    for (const message of this.#log.messages) {
      if (message.seq > this.#takenSeq) this.fold.take(message);
    }
    this.#takenSeq = this.#log.messages.at(-1)?.seq ?? 0;
  }

  #answer(pod: Pod, { rest, message }: WaitingInput): LogMessage {
    const place = { inputSeq: message.seq, atMs: message.timeMs };
    const outcome = this.#outcome(pod, rest, message);
    const marks = pod.apply(outcome.effect, place, null, outcome.after);
    const output = this.#log.publishOutput(pod.id, message.seq, outcome.output);
    for (const mark of marks) mark.outputSeq = output.seq;
    return output;
  }

  #outcome(pod: Pod, rest: string, message: LogMessage): Outcome {
    try {
      const place = { inputSeq: message.seq, atMs: message.timeMs };
      const decided = decideInput(pod, readInput(rest, message.data), place);
      return "isRepeat" in decided ? this.#repeat(decided) : decided;
    } catch (error) {
      if (!(error instanceof RejectedInput)) throw error;
      return { output: rejectedOutput({ ...message, inputSeq: message.seq }, error), effect: noEffect };
    }
  }

  #repeat({ first, answer }: Repeat): Outcome {
    const found = first?.outputSeq ? this.#log.at(first.outputSeq) : undefined;
    return answer(found ? bodyOf(found) : null);
  }
}
