import { assertEquals, assertRejects } from "@std/assert";
import { TransientError } from "../../../src/errors.ts";
import type { LogMessage } from "../../../src/log/log_message.ts";
import type { LogReader } from "../../../src/worker/ports.ts";
import { TimelyReading } from "../../../src/worker/timely_reading.ts";

const stallMs = 40;

/** A reader that gives what a test wants it to, when it wants. */
class WaitingReader implements LogReader {
  readonly pending = 0;
  readonly isOpen = true;
  readonly #next = Promise.withResolvers<readonly LogMessage[]>();

  next(): Promise<readonly LogMessage[]> {
    return this.#next.promise;
  }

  give(): void {
    this.#next.resolve([]);
  }

  fail(error: Error): void {
    this.#next.reject(error);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

Deno.test("TimelyReading waits for a quiet log as long as it takes, and counts from when there is more", async () => {
  const reader = new WaitingReader();
  const reading = new TimelyReading(stallMs);
  const next = reading.next(reader);
  await pass(2 * stallMs);
  reading.expectMore();
  await Promise.resolve();
  reader.give();

  assertEquals(await next, []);
});

Deno.test("TimelyReading ends a reader that brings nothing although there is more, the next one later", async () => {
  const reading = new TimelyReading(stallMs);
  const waitedMs = async (): Promise<number> => {
    const sinceMs = performance.now();
    const next = reading.next(new WaitingReader(), true);
    await assertRejects(() => next, TransientError, "nothing was read although there is more");
    return performance.now() - sinceMs;
  };

  assertEquals([await waitedMs() >= stallMs - 1, await waitedMs() >= 2 * stallMs - 1], [true, true]);
});
