/** Calls with a fixed number in flight, and what came of them. */

export interface Load {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Makes `calls` calls, `inFlight` at a time. */
export async function drive(
  calls: number,
  inFlight: number,
  call: (index: number) => Promise<void>,
): Promise<Load> {
  const took: number[] = [];
  let next = 0;
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: inFlight }, async () => {
    for (let index = next++; index < calls; index = next++) {
      const sentMs = performance.now();
      await call(index);
      took.push(performance.now() - sentMs);
    }
  }));
  const seconds = (performance.now() - startedMs) / 1000;
  took.sort((a, b) => a - b);
  const at = (share: number): number =>
    took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? NaN;
  return { perSecond: calls / seconds, p50: at(0.5), p99: at(0.99) };
}
