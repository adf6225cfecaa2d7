/** The reading of what comes while it comes: finds out where it stands still although the log goes on. */
import { TransientError } from "../errors.ts";
import type { LogMessage } from "../log/log_message.ts";
import type { LogReader } from "./ports.ts";

/**
 * Where nothing comes for this long although there is more, the reader hangs on a server of a cluster that lacks what
 * the others have; twice as long each time that the next reader brings nothing either.
 */
const firstStallMs = 6_000;
const longestStallMs = 60_000;

export class LiveReading {
  #stallMs = firstStallMs;
  #waiting: { readonly reader: LogReader; readonly sinceMs: number } | null = null;

  /** As the reader's own. */
  async next(reader: LogReader): Promise<readonly LogMessage[]> {
    this.#waiting = { reader, sinceMs: performance.now() };
    try {
      const messages = await reader.next();
      this.#stallMs = firstStallMs;
      return messages;
    } finally {
      this.#waiting = null;
    }
  }

  /** To be called now and then while there is more in the log than was read. */
  endStall(): void {
    const waiting = this.#waiting;
    if (waiting === null || performance.now() - waiting.sinceMs < this.#stallMs) return;
    this.#stallMs = Math.min(2 * this.#stallMs, longestStallMs);
    waiting.reader.fail(new TransientError("nothing was read although there is more"));
  }
}
