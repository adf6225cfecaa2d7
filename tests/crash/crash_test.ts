/**
 * Workers, servers and connections that die at random moments, against a model: nothing is lost, nothing done twice.
 * `TASUKI_CRASH_SEED` gives the same inputs and the same blows again (their moments differ), `TASUKI_CRASH_MINUTES`
 * another duration; `tests/crash/chaos.ts` goes on for as long as you like.
 */
import { assertEquals } from "@std/assert";
import { crashRound, reportLine } from "../helpers/crash_round.ts";

const roundSeconds = 25;
/** Rounds mostly wait: so many are played at the same time, each with its own server and workers. */
const atOnce = 3;
const minutes = Number(Deno.env.get("TASUKI_CRASH_MINUTES") ?? 1.25);
const firstSeed = Number(Deno.env.get("TASUKI_CRASH_SEED") ?? Math.floor(Math.random() * 1_000_000_000));

const rounds = Math.max(1, Math.round(minutes * 60 / roundSeconds));
const seeds = Array.from({ length: rounds }, (_, round) => firstSeed + round);

/** What was found, each with its seed. */
async function problemsOf(seed: number): Promise<readonly string[]> {
  try {
    const report = await crashRound({ seed, seconds: roundSeconds });
    console.log(reportLine(report));
    return report.problems.map((problem) => `seed ${seed}: ${problem}`);
  } catch (error) {
    return [`seed ${seed}: ${error instanceof Error ? error.stack : error}`];
  }
}

for (let first = 0; first < rounds; first += atOnce) {
  const together = seeds.slice(first, first + atOnce);
  Deno.test(`whatever dies, every input gets one answer and every list is right (seeds ${together})`, async () => {
    const found = await Promise.all(together.map(problemsOf));

    assertEquals(found.flat(), []);
  });
}
