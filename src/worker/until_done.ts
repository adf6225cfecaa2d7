/** Tries again what may pass, and gives up what takes too long. */
import { TransientError } from "../errors.ts";

const firstPauseMs = 50;
const longestPauseMs = 2_000;

/** What the task gives once it does not throw a {@link TransientError}; null where the signal comes before. */
export async function untilDone<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T | null> {
  for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await task();
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
      await pause(pauseMs, signal);
    }
  }
  return null;
}

/** Ends early at the signal. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}

/** Whether the promise resolves within the limit; later it is left to itself. @throws what it rejects with by then */
export async function isDoneWithin(limitMs: number, promise: Promise<void>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => timer = setTimeout(() => resolve(false), limitMs));
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
