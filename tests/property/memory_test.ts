/** The memory of calls is what a plain list of all that happened tells, however far back it is asked. */
import fc from "fast-check";
import { assertEquals } from "@std/assert";
import { type CallMark, CallMemory, recalledInputsMax } from "../../src/log/memory.ts";
import { callsRememberedMax } from "../../src/tasks/limits.ts";

type Event = CallMark | "clear";

/** One event per input, its hash among so many, its call id, which follows from the hash, too; rarely a clear. */
function events(count: number, hashes: number, callIds: number): fc.Arbitrary<readonly Event[]> {
  const hash = fc.integer({ min: 1, max: hashes });
  const clear = fc.integer({ min: 0, max: 2_000 });
  return fc.array(fc.tuple(hash, clear), { minLength: count, maxLength: count, size: "max" }).map((events) =>
    events.map(([hash, clear], index): Event =>
      clear === 0 ? "clear" : {
        inputSeq: index + 1,
        outputSeq: null,
        hash: `h${hash}`,
        callId: `c${hash % callIds}`,
        taskids: [1],
        isRestored: hash % 100 === 0,
      }
    )
  );
}

/** Of each hash the last call since the last clear, the last ones of these, oldest first. */
function remembered(events: readonly Event[]): readonly CallMark[] {
  const calls = new Map<string, CallMark>();
  for (const event of events) {
    if (event === "clear") calls.clear();
    else {
      calls.delete(event.hash);
      calls.set(event.hash, event);
    }
  }
  return [...calls.values()].slice(-callsRememberedMax);
}

for (
  const [about, callIds] of [["one call id", 1], ["ten call ids", 10], ["a call id each", 1_000_000]] as const
) {
  Deno.test(`CallMemory tells what is remembered now and at each of the last 128 inputs, of calls with ${about}`, () => {
    const oftenAndRarelyRepeated = fc.oneof(events(6_000, 1_500, callIds), events(6_000, 1_000_000, callIds));
    fc.assert(
      fc.property(oftenAndRarelyRepeated, fc.boolean(), (events, isAsked) => {
        const memory = new CallMemory();
        for (const [index, event] of events.entries()) {
          if (event === "clear") memory.clear(index + 1);
          else memory.remember(event);
          if (isAsked) memory.find({ hash: "h1", callId: "c1" });
        }
        const now = remembered(events);
        assertEquals(memory.all(), now);
        for (const before of [0, 1, 100, recalledInputsMax]) {
          const count = events.length - before;
          assertEquals(memory.reachesBackTo(count), true);
          assertEquals(memory.asOf(count), remembered(events.slice(0, count)));
        }
        for (const event of events.slice(-3_000)) {
          if (event === "clear") continue;
          assertEquals(memory.find(event), now.find(({ hash }) => hash === event.hash));
          assertEquals(memory.knowsCallId(event.callId), now.some(({ callId }) => callId === event.callId));
        }
        assertEquals(memory.hasRestored, now.some(({ isRestored }) => isRestored));
      }),
      { numRuns: 8 },
    );
  });
}

Deno.test("CallMemory does not grow with what it has forgotten", () => {
  const memory = new CallMemory();
  for (let inputSeq = 1; inputSeq <= 10_000; inputSeq++) memory.clear(inputSeq);
  assertEquals(
    [memory.all(), memory.reachesBackTo(10_000 - recalledInputsMax), memory.reachesBackTo(5_000)],
    [[], true, false],
  );
});
