/** What has not happened after this long will not happen, in milliseconds. */
const patienceMs = 20_000;

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
