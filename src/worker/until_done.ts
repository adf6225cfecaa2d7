/** Tries again what may pass, and gives up what takes too long. */
import { TransientError } from "../errors.ts";

const firstPauseMs = 50;
const longestPauseMs = 2_000;

/** What the task gives once it does not throw a {@link TransientError}; null where it is no longer wanted. */
export async function untilDone<T>(task: () => Promise<T>, isWanted: () => boolean): Promise<T | null> {
  for (let pauseMs = firstPauseMs; isWanted(); pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await task();
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return null;
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
