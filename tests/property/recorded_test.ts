/** A result that is read without the schema is read as the schema would have read it. */
import fc from "fast-check";
import { assertEquals } from "@std/assert";
import { isPlainResult } from "../../src/log/plain_result.ts";
import { readRecorded, UnreadableRecord } from "../../src/log/recorded.ts";
import { messageOf } from "../helpers/memory_log.ts";

const taskid = fc.constantFrom(1, 2, 9_007_199_254_740_991, 0, -1, 1.5, 1e300, "1", null);
const text = fc.constantFrom("", "a", "é", null, 1);
const change = fc.record({
  taskid,
  status: fc.constantFrom("pending", "inprogress", "completed", "deleted", "lost", null, 1),
  subject: text,
  description: text,
  activeForm: text,
  owner: text,
  blockedBy: fc.oneof(fc.constant(null), fc.array(taskid, { maxLength: 3 }), fc.constant({ 0: 1 })),
  metadata: fc.constantFrom(null, {}, { a: [1, "b"] }, 1),
  toString: fc.constant("no field of ours"),
}, { requiredKeys: [] });
const body = fc.record({
  v: fc.constantFrom(1, 0, 2, "1", 1.5),
  rules: fc.anything(),
  call_id: fc.constantFrom("c", 1, null),
  duplicate: fc.constantFrom(true, false, null),
  changes: fc.oneof(
    fc.array(fc.oneof(change, fc.constantFrom(null, [], 1)), { maxLength: 3 }),
    fc.constantFrom(null, {}),
  ),
  taskids: fc.oneof(fc.array(taskid, { maxLength: 3 }), fc.constant("")),
  reset: fc.constantFrom({ next_taskid: 1 }, {}, 1),
  calls: fc.constantFrom([], [{ call_id: "c", hash: "h", taskids: [1] }], 1),
  kind: fc.constantFrom("agent.exited", 1),
  constructor: fc.constant(1),
}, { requiredKeys: [] });
/** Mostly such as a worker writes. */
const goodChange = fc.record({
  taskid: fc.constantFrom(1, 2, 3),
  status: fc.constantFrom("pending", "completed"),
  subject: fc.string(),
  description: fc.string(),
  activeForm: fc.option(fc.string()),
  owner: fc.option(fc.string()),
  blockedBy: fc.option(fc.array(fc.integer({ min: 1, max: 9 }))),
}, { requiredKeys: ["taskid"] });
const goodBody = fc.record({
  v: fc.constant(1),
  rules: fc.constant(1),
  call_id: fc.string(),
  tool: fc.string(),
  input_seq: fc.nat(),
  duplicate: fc.boolean(),
  changes: fc.array(goodChange, { maxLength: 3 }),
  taskids: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 3 }),
}, { requiredKeys: ["v", "changes"] });

/** What becomes of a body, or what is wrong with it. */
function reading(body: unknown): unknown {
  try {
    return readRecorded("result", messageOf(9, "tasks.p.out.result", body, { "Tasuki-Call": "h" }));
  } catch (error) {
    if (error instanceof UnreadableRecord) return error.message;
    throw error;
  }
}

/** The same for the schema, which passes over fields that it does not know. */
function readingBySchema(body: object): unknown {
  return reading({ ...body, "not plain": true });
}

Deno.test("readRecorded() reads a result with and without the schema alike", () => {
  fc.assert(
    fc.property(fc.oneof(body, goodBody), (body) => assertEquals(reading(body), readingBySchema(body))),
    { numRuns: 3_000 },
  );
});

Deno.test("isPlainResult() is told what a worker writes", () => {
  fc.assert(fc.property(goodBody, (body) => assertEquals(isPlainResult(body), true)));
});
