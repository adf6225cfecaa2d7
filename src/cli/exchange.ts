/** One input and its one output, as a pod exchanges them with the worker (R8). */
import { headerNames } from "../log/log_message.ts";
import { Bell } from "./bell.ts";
import type { HeardOutput, Remote, World } from "./ports.ts";

/** After which a person who waits is told what for. */
const silentMs = 2_000;

export interface Exchange {
  /** Where the input lies in the log. */
  readonly inputSeq: number;
  /** Null where none came in time: the input is answered when a worker runs (R5). */
  readonly output: HeardOutput | null;
}

interface ExchangeOptions {
  readonly pod: string;
  /** The input's subject after `in.`. */
  readonly rest: string;
  /** What is sent as JSON. */
  readonly content: unknown;
  readonly timeoutMs: number;
}

/**
 * Listens, publishes, waits; says on standard error that it waits where that takes a while.
 *
 * @throws {TransientError} when the log did not acknowledge the input: it may have it or not
 * @throws {UnrecordableError} when the input is too large
 */
export async function exchange(world: World, remote: Remote, options: ExchangeOptions): Promise<Exchange> {
  const { pod, rest, content, timeoutMs } = options;
  /** Keyed by input seq: an output can be heard before its input is acknowledged. */
  const heard = new Map<string, HeardOutput>();
  const bell = new Bell();
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const stopListening = remote.listen(pod, (output) => {
    const inputSeq = output.header(headerNames.input);
    if (inputSeq !== null && !heard.has(inputSeq)) heard.set(inputSeq, output);
    bell.ring();
  });
  try {
    const { seq } = await remote.log.record({
      subject: world.subjects.input(pod, rest),
      headers: new Map(),
      data: new TextEncoder().encode(JSON.stringify(content)),
      messageId: `${pod}:${world.freshId()}`,
    });
    const say = (): void =>
      world.err.write(`Waiting for a worker to answer what is in the log at seq ${seq}\n`);
    waiting = setTimeout(say, silentMs);
    const deadlineMs = performance.now() + timeoutMs;
    for (;;) {
      const output = heard.get(String(seq));
      const leftMs = deadlineMs - performance.now();
      if (output || leftMs <= 0) return { inputSeq: seq, output: output ?? null };
      await bell.wait(leftMs);
    }
  } finally {
    clearTimeout(waiting);
    stopListening();
  }
}
