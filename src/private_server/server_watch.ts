/** Keeps a server up: notices that its process has ended, and has it started again. */

import { OperatorError } from "../errors.ts";

const lookEveryMs = 500;
const endsMax = 5;
const endsWithinMs = 60_000;

interface WatchOptions {
  readonly isUp: () => Promise<boolean>;
  /** Resolves when it is up again. */
  readonly startAgain: () => Promise<void>;
  /** Where the server's own log is. */
  readonly logPath: string;
  /** Told once, of what ends the watch: starting it failed, or it has ended too often. */
  readonly failed: (error: unknown) => void;
}

/** Disposing waits for a start that was begun. */
export function keepUp({ isUp, startAgain, logPath, failed }: WatchOptions): AsyncDisposable {
  const leaving = new AbortController();
  const watching = async (): Promise<void> => {
    const endsMs: number[] = [];
    while (await pause(lookEveryMs, leaving.signal)) {
      if (await isUp()) continue;
      endsMs.push(performance.now());
      if (haveComeTooFast(endsMs)) throw endsTooOften(logPath);
      await startAgain();
    }
  };
  const watched = watching().catch(failed);
  return {
    async [Symbol.asyncDispose]() {
      leaving.abort();
      await watched;
    },
  };
}

/** Of many only the last count. */
function haveComeTooFast(endsMs: readonly number[]): boolean {
  const [firstMs, lastMs] = [endsMs.at(-endsMax), endsMs.at(-1)];
  return firstMs !== undefined && lastMs !== undefined && lastMs - firstMs < endsWithinMs;
}

function endsTooOften(logPath: string): OperatorError {
  const rule = `it must stay up, see "${logPath}"`;
  return new OperatorError(
    `Cannot keep nats-server running: ${rule}: it ended ${endsMax} times within ${endsWithinMs / 1_000} s`,
  );
}

/** Whether the time is over; false at the signal. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = (): void => resolve();
  const timer = setTimeout(end, ms);
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", end);
  return !signal.aborted;
}
