/** What one run of a function costs, in CPU time: repeatable where the clock is not. */
import { sized } from "./sizes.ts";
import { median } from "./statistics.ts";
import { ownCpuUs } from "./usage.ts";

const rounds = 5;

/** Microseconds of CPU per run, garbage collection included; the median of five rounds after one to warm up. */
export function costUs(run: () => void): number {
  const roundUs = sized(60_000, 4_000);
  runFor(roundUs, run);
  return median(Array.from({ length: rounds }, () => runFor(roundUs, run)));
}

/** Looks at the clock rarely, since looking costs about a microsecond. */
function runFor(roundUs: number, run: () => void): number {
  const startedUs = ownCpuUs();
  let runs = 0;
  let usedUs = 0;
  for (let batch = 1; usedUs < roundUs; batch = Math.min(2 * batch, 1_024)) {
    for (let index = 0; index < batch; index++) run();
    runs += batch;
    usedUs = ownCpuUs() - startedUs;
  }
  return usedUs / runs;
}
