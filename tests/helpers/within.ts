/** What has not happened after this long will not happen, also where others have the processors, in milliseconds. */
const patienceMs = 60_000;

/** Options of a client whose own limits are for servers that answer at once. */
export const patiently = { timeout: patienceMs };

/**
 * What the promise gives.
 *
 * @throws {Error} when it gives nothing in time: `what` says what did not happen
 */
export async function within<T>(
  promise: Promise<T>,
  what: string | (() => string),
  limitMs = patienceMs,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`not in ${limitMs} ms: ${typeof what === "string" ? what : what()}`));
    }, limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** For a promise that a test awaits after others: where one of those fails first, that stays the only failure. */
export function awaitedLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
