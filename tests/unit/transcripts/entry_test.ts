import { assertEquals } from "@std/assert";
import { entriesOfDocument, looksLikeEntry } from "../../../src/transcripts/entry.ts";
import { givenTaskid } from "../../../src/transcripts/given_taskid.ts";

Deno.test("looksLikeEntry() knows entries by their type", () => {
  const yes = [{ type: "tool_call" }, { type: "tool_result" }, { type: "message", text: "" }];
  const no = [null, 1, "x", [], {}, { type: "message" }, { type: "user" }, { type: "message", message: {} }];
  assertEquals(yes.map(looksLikeEntry), [true, true, true]);
  assertEquals(no.map(looksLikeEntry), no.map(() => false));
});

Deno.test("entriesOfDocument() takes a list, and an object that holds one", () => {
  assertEquals(entriesOfDocument([1]), [1]);
  assertEquals(entriesOfDocument({ entries: [1] }), [1]);
  for (const value of [null, 1, {}, { entries: {} }]) assertEquals(entriesOfDocument(value), null);
});

Deno.test("givenTaskid() finds the id that a create gave", () => {
  const cases: readonly [structured: unknown, text: string, taskid: number | null][] = [
    [undefined, "Task #3 created successfully: x", 3],
    [undefined, "  task #12 created", 12],
    [undefined, "Created task 4 (pending): Task #9 created", 4],
    [undefined, '{"task":{"id":"5"}}', 5],
    [undefined, '{"task":{"taskid":6}}', 6],
    [undefined, '{"id":7}', 7],
    [{ task: { id: "8" } }, "Task #3 created successfully: x", 8],
    [{ taskId: "2" }, "", 2],
    ["Error: x", "", null],
    [undefined, "", null],
    [undefined, "See Task #3 created", null],
    [undefined, "{", null],
    [{ task: { id: "x7" } }, '{"task":{"id":"1e3"}}', null],
    [{ task: { id: 0 } }, "Task #0 created", null],
  ];
  for (const [structured, text, taskid] of cases) {
    assertEquals(givenTaskid(structured, text), taskid, JSON.stringify([structured, text]));
  }
});
