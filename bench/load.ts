/** Calls with a fixed number in flight, and what came of them. */
import { quantile } from "./statistics.ts";

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
  return { perSecond: calls / seconds, p50: quantile(took, 0.5), p99: quantile(took, 0.99) };
}
