/**
 * Rounds of crashes until the time is over, one line each; ends with 1 where one of them has found something.
 *
 *     deno task chaos --minutes 10 [--seed 1] [--round-seconds 30]
 */
import { parseArgs } from "node:util";
import { crashRound, reportLine, type RoundReport, sumOf } from "../helpers/crash_round.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000_000)) },
    "round-seconds": { type: "string", default: "30" },
  },
});
const endMs = performance.now() + Number(values.minutes) * 60_000;
const reports: RoundReport[] = [];
let failed = 0;
for (let round = 0; performance.now() < endMs; round++) {
  const seed = Number(values.seed) + round;
  try {
    const report = await crashRound({ seed, seconds: Number(values["round-seconds"]) });
    console.log(reportLine(report));
    reports.push(report);
    if (report.problems.length > 0) failed++;
  } catch (error) {
    console.log(`seed ${seed}: ${error instanceof Error ? error.stack : error}`);
    failed++;
  }
}
console.log(sumOf(reports));
console.log(failed === 0 ? "nothing was lost" : `${failed} round(s) have found something`);
Deno.exit(failed === 0 ? 0 : 1);
