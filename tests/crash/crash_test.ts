/**
 * Workers, servers and connections that die at random moments, against a model: nothing is lost, nothing done twice.
 * `TASUKI_CRASH_SEED` gives the same inputs and the same blows again (their moments differ), `TASUKI_CRASH_MINUTES`
 * another duration; `tests/crash/chaos.ts` goes on for as long as you like.
 */
import { assertEquals } from "@std/assert";
import { crashRound, reportLine } from "../helpers/crash_round.ts";

const roundSeconds = 25;
const minutes = Number(Deno.env.get("TASUKI_CRASH_MINUTES") ?? 1.25);
const firstSeed = Number(Deno.env.get("TASUKI_CRASH_SEED") ?? Math.floor(Math.random() * 1_000_000_000));

const rounds = Math.max(1, Math.round(minutes * 60 / roundSeconds));
for (let round = 0; round < rounds; round++) {
  const seed = firstSeed + round;
  Deno.test(`whatever dies, every input gets one answer and every list is right (seed ${seed})`, async () => {
    const report = await crashRound({ seed, seconds: roundSeconds });
    console.log(reportLine(report));

    assertEquals(report.problems, [], `seed ${seed}`);
  });
}
