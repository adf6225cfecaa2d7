import { assertEquals } from "@std/assert";
import { callsRememberedMax, eventsRememberedMax } from "../../../src/tasks/limits.ts";
import {
  callEntriesMax,
  type CallMark,
  CallMemory,
  type EventMark,
  EventMemory,
  recalledInputsMax,
} from "../../../src/log/memory.ts";

function call(hash: string, callId = hash, isRestored = false): CallMark {
  return { hash, callId, isRestored, inputSeq: 1, outputSeq: 2, taskids: [1] };
}

function event(id: string, kind: EventMark["kind"] = "session.closed"): EventMark {
  return { id, kind, inputSeq: 1, outputSeq: null };
}

Deno.test("CallMemory finds a call by its id and hash, and knows the ids of those it has", () => {
  const memory = new CallMemory();
  memory.remember(call("h", "c"));
  assertEquals([
    memory.find(call("h", "c")),
    memory.find(call("x", "c")),
    memory.knowsCallId("c"),
    memory.knowsCallId("h"),
  ], [
    call("h", "c"),
    undefined,
    true,
    false,
  ]);
});

Deno.test("CallMemory forgets the oldest, and its id with the last call that carried it", () => {
  const memory = new CallMemory();
  memory.remember(call("first", "once"));
  memory.remember(call("second", "twice"));
  for (let i = 0; i < callsRememberedMax - 2; i++) memory.remember(call(`h${i}`, "twice"));
  assertEquals([memory.all().length, memory.knowsCallId("once")], [callsRememberedMax, true]);
  memory.remember(call("one more"));
  memory.remember(call("and another"));
  assertEquals(
    [
      memory.all().length,
      memory.find(call("first", "once")),
      memory.find(call("second", "twice")),
      memory.knowsCallId("once"),
    ],
    [
      callsRememberedMax,
      undefined,
      undefined,
      false,
    ],
  );
  assertEquals(memory.knowsCallId("twice"), true);
});

Deno.test("CallMemory has the last 1,024 calls in their order, after any number", () => {
  const memory = new CallMemory();
  const marks = Array.from({ length: 5_000 }, (_, index) => call(`h${index % 3 === 0 ? 0 : index}`, "c"));
  for (const mark of marks) memory.remember(mark);
  const expected = [...new Map(marks.toReversed().map((mark) => [mark.hash, mark])).values()].slice(
    0,
    callsRememberedMax,
  );
  assertEquals(memory.all(), expected.toReversed());
});

Deno.test("CallMemory knows a call id as long as it has a call that carries it", () => {
  const memory = new CallMemory();
  memory.remember(call("a", "shared"));
  memory.remember(call("b", "shared"));
  for (let i = 0; i < callsRememberedMax - 1; i++) memory.remember(call(`h${i}`));
  assertEquals([memory.find(call("a", "shared")), memory.knowsCallId("shared")], [undefined, true]);
  memory.remember(call("last"));
  assertEquals([memory.find(call("b", "shared")), memory.knowsCallId("shared")], [undefined, false]);
});

Deno.test("CallMemory forgets a call that was made again only with the newer of the two", () => {
  const memory = new CallMemory();
  memory.remember(call("a"));
  for (let i = 0; i < callsRememberedMax - 1; i++) memory.remember(call(`h${i}`));
  memory.remember(call("a"));
  for (let i = 0; i < callsRememberedMax - 1; i++) memory.remember(call(`g${i}`));
  assertEquals(memory.find(call("a")), call("a"));
  memory.remember(call("last"));
  assertEquals(memory.find(call("a")), undefined);
});

Deno.test("CallMemory takes the newer of two calls with one hash, as the youngest", () => {
  const memory = new CallMemory();
  for (const mark of [call("a"), call("b"), { ...call("a"), taskids: [7] }]) memory.remember(mark);
  assertEquals(memory.all(), [call("b"), { ...call("a"), taskids: [7] }]);
});

Deno.test("CallMemory knows whether any call was restored", () => {
  const memory = new CallMemory();
  memory.remember(call("a", "c", true));
  assertEquals(memory.hasRestored, true);
  memory.remember(call("a", "c"));
  assertEquals(memory.hasRestored, false);
  memory.remember(call("b", "c", true));
  memory.clear(2);
  assertEquals([memory.hasRestored, memory.all(), memory.knowsCallId("c")], [false, [], false]);
});

Deno.test("CallMemory finds a restored and a live call of one id, and forgets the older of the two alone", () => {
  const memory = new CallMemory();
  const [restored, live] = [call("restored", "c", true), call("live", "c")];
  for (const mark of [restored, live]) memory.remember(mark);
  assertEquals([memory.find(restored), memory.find(live)], [restored, live]);
  for (let i = 0; i < callsRememberedMax - 1; i++) memory.remember(call(`h${i}`));
  assertEquals(
    [memory.find(restored), memory.find(live), memory.hasRestored, memory.knowsCallId("c")],
    [undefined, live, false, true],
  );
  memory.remember(call("again", "c"));
  assertEquals([memory.find(live), memory.find(call("again", "c"))], [undefined, call("again", "c")]);
});

Deno.test("EventMemory keeps the last 256 of each kind, and the first mark of an id", () => {
  const memory = new EventMemory();
  memory.remember(event("other", "agent.exited"));
  for (let i = 0; i < eventsRememberedMax; i++) memory.remember(event(`e${i}`));
  memory.remember({ ...event("e0"), inputSeq: 9 });
  assertEquals([memory.find("session.closed", "e0"), memory.find("agent.exited", "e0")], [
    event("e0"),
    undefined,
  ]);
  memory.remember(event("e256"));
  assertEquals(memory.find("session.closed", "e0"), undefined);
  assertEquals(memory.all().map(({ id }) => id), [
    "other",
    ...Array.from({ length: eventsRememberedMax }, (_, index) => `e${index + 1}`),
  ]);
});

/** Restores, each of which empties the store and makes as many calls as are remembered. */
function restored(memory: CallMemory, inputSeqs: readonly number[]): number {
  let most = 0;
  for (const inputSeq of inputSeqs) {
    memory.clear(inputSeq);
    for (let n = 0; n < callsRememberedMax; n++) {
      memory.remember({ ...call(`${inputSeq}-${n}`, "c", true), inputSeq });
      most = Math.max(most, memory.entryCount);
    }
  }
  return most;
}

Deno.test("CallMemory holds no more than its bound, and tells of the time before the last restore and the calls since", () => {
  const memory = new CallMemory();
  const most = restored(memory, Array.from({ length: 20 }, (_, index) => index + 1));
  for (let inputSeq = 21; inputSeq < 20 + recalledInputsMax; inputSeq++) {
    memory.remember({ ...call(`h${inputSeq}`), inputSeq });
  }

  assertEquals([most < callEntriesMax, memory.entryCount < callEntriesMax], [true, true]);
  assertEquals([memory.reachesBackTo(19), memory.reachesBackTo(1)], [true, false]);
  assertEquals(memory.asOf(19).map(({ hash }) => hash), restoredHashes(19));
});

function restoredHashes(inputSeq: number): readonly string[] {
  return Array.from({ length: callsRememberedMax }, (_, n) => `${inputSeq}-${n}`);
}
