/** Reading that does not stand still although the log goes on. */
import { TransientError } from "../errors.ts";
import type { LogMessage } from "../log/log_message.ts";
import type { LogReader } from "./ports.ts";

/**
 * Where nothing comes for this long although there is known to be more, the reader hangs on a server of a cluster that
 * lacks what the others have; twice as long each time that the next reader brings nothing either.
 */
const firstStallMs = 6_000;
const longestStallMs = 60_000;

interface Waiting {
  readonly reader: LogReader;
  /** Runs from when there was known to be more. */
  timer: ReturnType<typeof setTimeout> | null;
}

export class TimelyReading {
  readonly #firstStallMs: number;
  #stallMs: number;
  #waiting: Waiting | null = null;

  constructor(stallMs = firstStallMs) {
    this.#firstStallMs = stallMs;
    this.#stallMs = stallMs;
  }

  /**
   * As the reader's own.
   *
   * @param isMoreThere whether more than was read is known to be there; else {@link expectMore} says so later
   */
  async next(reader: LogReader, isMoreThere = false): Promise<readonly LogMessage[]> {
    const waiting: Waiting = { reader, timer: null };
    this.#waiting = waiting;
    if (isMoreThere) this.expectMore();
    try {
      const messages = await reader.next();
      this.#stallMs = this.#firstStallMs;
      return messages;
    } finally {
      if (waiting.timer !== null) clearTimeout(waiting.timer);
      this.#waiting = null;
    }
  }

  /** There is more than was read: what is waited for now has to come in time. */
  expectMore(): void {
    const waiting = this.#waiting;
    if (waiting === null || waiting.timer !== null) return;
    waiting.timer = setTimeout(() => {
      this.#stallMs = Math.min(2 * this.#stallMs, longestStallMs);
      waiting.reader.fail(new TransientError("nothing was read although there is more"));
    }, this.#stallMs);
  }
}
