/**
 * Rounds of crashes until the time is over, one line each.
 *
 *     deno task chaos --minutes 10 [--seed 1]
 */
import { parseArgs } from "node:util";
import { crashRound, reportLine } from "../helpers/crash_round.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: { minutes: { type: "string" }, seed: { type: "string" }, round: { type: "string" } },
});
const minutes = Number(values.minutes ?? 10);
const roundSeconds = Number(values.round ?? 30);
const firstSeed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000_000));
const endMs = performance.now() + minutes * 60_000;
let failed = 0;
for (let round = 0; performance.now() < endMs; round++) {
  const seed = firstSeed + round;
  console.log(`round ${round + 1}, seed ${seed}`);
  try {
    const report = await crashRound({ seed, seconds: roundSeconds });
    console.log(reportLine(report));
    if (report.problems.length > 0) failed++;
  } catch (error) {
    console.log(`seed ${seed}: ${error instanceof Error ? error.stack : error}`);
    failed++;
  }
}
console.log(failed === 0 ? "nothing was lost" : `${failed} round(s) failed`);
Deno.exit(failed === 0 ? 0 : 1);
