/** Gives up waiting; what was begun is left to itself. */

/** @throws the signal's reason once it is aborted */
export async function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
