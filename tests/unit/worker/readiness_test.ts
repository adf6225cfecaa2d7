import { assertEquals } from "@std/assert";
import { type Readiness, reasonNotReady } from "../../../src/worker/readiness.ts";

const good: Readiness = {
  end: null,
  isStreamOpen: true,
  isCaughtUp: true,
  hasLapsed: false,
  cursorSeq: 7,
  streamLastSeq: 9,
  verifiedMsAgo: 6_000,
};

/** In their order: an earlier reason hides a later one. */
const reasons: readonly (readonly [reason: string, facts: Partial<Readiness>])[] = [
  ["it is stopping", { end: "stopping" }],
  ["it failed and is ending", { end: "failed" }],
  ["the stream is not open yet", { isStreamOpen: false }],
  ["the log is replayed: read up to seq 7 of 9", { isCaughtUp: false }],
  ["it led and could not renew its lease", { hasLapsed: true }],
  ["the stream was last recognised 6001 ms ago", { verifiedMsAgo: 6_001 }],
];

Deno.test("reasonNotReady() has none for a worker that may be relied on", () => {
  assertEquals(reasonNotReady(good), null);
});

for (const [index, [reason, facts]] of reasons.entries()) {
  Deno.test(`reasonNotReady(): ${reason}`, () => {
    const later = Object.assign({}, ...reasons.slice(index + 1).map(([, other]) => other));
    assertEquals(reasonNotReady({ ...good, ...facts }), reason);
    assertEquals(reasonNotReady({ ...good, ...later, ...facts }), reason);
  });
}
