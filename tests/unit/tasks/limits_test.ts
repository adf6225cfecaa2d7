import { assertEquals } from "@std/assert";
import type { Command } from "../../../src/tasks/command.ts";
import { costOf } from "../../../src/tasks/cost.ts";
import { storeCostBytesMax, storeTasksMax } from "../../../src/tasks/limits.ts";
import { emptyStore, evolve, type TaskStore } from "../../../src/tasks/store.ts";
import { type Status, viewOf } from "../../../src/tasks/task.ts";
import { jsonText } from "../../../src/tasks/text.ts";
import {
  after,
  changed,
  claim,
  complete,
  create,
  createBatch,
  exit,
  ids,
  outcomeOf,
  release,
  storeOf,
  update,
  updateEdges,
} from "../../helpers/stores.ts";

/** A JSON object of exactly that many bytes. */
function metadataOf(bytes: number) {
  return { k: "x".repeat(bytes - '{"k":""}'.length) };
}

for (
  const [field, limit, fits, over, got] of [
    ["subject", "500 characters", "🧵".repeat(500), "🧵".repeat(501), 501],
    ["description", "16384 bytes of UTF-8", "é".repeat(8_192), "é".repeat(8_192) + "e", 16_385],
    ["activeForm", "500 characters", "x".repeat(500), "x".repeat(501), 501],
    ["metadata", "4096 bytes of JSON", metadataOf(4_096), metadataOf(4_097), 4_097],
  ] as const
) {
  const refused = {
    code: "invalid_arguments" as const,
    message: `${field} may have at most ${limit}: got ${got}`,
    fields: { field },
  };
  Deno.test(`create takes ${limit} of ${field}, and not one more`, () => {
    const made = { taskid: 1, status: "pending" as const, subject: "new", description: "" };
    assertEquals(outcomeOf(emptyStore(), create({ [field]: fits })), changed({ ...made, [field]: fits }));
    assertEquals(outcomeOf(emptyStore(), create({ [field]: over })), refused);
  });
  Deno.test(`update takes ${limit} of ${field}, and not one more`, () => {
    assertEquals(outcomeOf(storeOf({}), update(1, { [field]: fits })), changed({ taskid: 1, [field]: fits }));
    assertEquals(outcomeOf(storeOf({}), update(1, { [field]: over })), refused);
  });
}

Deno.test("update measures the metadata that it leads to, not what it brings", () => {
  const store = storeOf({ metadata: metadataOf(4_090) });
  assertEquals(outcomeOf(store, update(1, { metadata: { m: 10 } })), {
    code: "invalid_arguments",
    message: "metadata may have at most 4096 bytes of JSON: got 4097",
    fields: { field: "metadata" },
  });
});

Deno.test(`a store takes ${storeTasksMax} tasks, and not one more`, () => {
  // No store that calls can make gets this far: its tasks would cost too much. Here they cost nothing.
  const cheap = (count: number): TaskStore => ({
    ...storeOf(...Array.from({ length: count }, () => ({}))),
    costBytes: 0,
  });
  const refused = {
    code: "store_full" as const,
    message: "a store holds 2000 tasks: this would make 2001",
    fields: { tasks: 2_001, tasksMax: 2_000 },
  };
  assertEquals(after(cheap(1_999), create()).tasks.length, 2_000);
  assertEquals(outcomeOf(cheap(2_000), create()), refused);
  assertEquals(outcomeOf(cheap(1_999), createBatch({}, {})), refused);
  assertEquals(outcomeOf(cheap(2_001), update(1, { subject: "s" })), changed({ taskid: 1, subject: "s" }));
});

/** A store that costs exactly so much. A letter costs 3 bytes, a quotation mark 2 + 2 × 4. */
function storeCosting(bytes: number): TaskStore {
  let store = storeOf({ owner: "w", status: "inprogress" }, { blockedBy: [1], description: "d" }, {});
  while (bytes - store.costBytes > 49_000) store = after(store, create({ description: "x".repeat(16_000) }));
  store = after(store, create());
  const left = bytes - store.costBytes;
  const quotes = left % 3;
  const description = '"'.repeat(quotes) + "x".repeat((left - 10 * quotes) / 3);
  return after(store, update(store.nextTaskid - 1, { description }));
}

const newTaskCost = storeOf({ taskid: 20, subject: "new" }).costBytes;

function full(costBytes: number) {
  return {
    code: "store_full" as const,
    message: `a store may cost 921600 bytes on the wire: this would make ${costBytes}`,
    fields: { costBytes, costBytesMax: 921_600 },
  };
}

Deno.test("a store takes a task that makes it cost the limit, and not one byte more", () => {
  const roomy = storeCosting(storeCostBytesMax - newTaskCost);
  assertEquals(after(roomy, create()).costBytes, storeCostBytesMax);
  const tight = storeCosting(storeCostBytesMax - newTaskCost + 1);
  assertEquals(outcomeOf(tight, create()), full(storeCostBytesMax + 1));
});

const atLimit = storeCosting(storeCostBytesMax);

for (
  const [about, command, more] of [
    ["text", update(2, { subject: "task 2x" }), 3],
    ["a description", update(3, { description: "x" }), 3],
    ["metadata", update(3, { metadata: { k: 1 } }), 3 * '"metadata":{"k":1},'.length + 2 * 4],
    ["an active form", update(3, { activeForm: "x" }), 3 * ',"activeForm":"x"'.length + 2 * 4],
    [
      "an edge",
      updateEdges(3, { addBlockedBy: ids(1) }),
      3 * ',"blockedBy":[1],"openBlockers":[1]'.length + 2 * 4 + 3 * ",3".length,
    ],
  ] as const
) {
  Deno.test(`a full store refuses a call that adds ${about}`, () => {
    assertEquals(outcomeOf(atLimit, command), full(storeCostBytesMax + more));
  });
}

const harmless: readonly (readonly [about: string, command: Command])[] = [
  ["starts a task", update(2, { status: "inprogress" })],
  ["completes one", complete(1)],
  ["reopens a blocker", update(1, { status: "pending" })],
  ["deletes one", update(1, { status: "deleted" })],
  ["claims one for the longest name", claim(3, { owner: "x".repeat(64) })],
  ["sets an owner", update(3, { owner: "w" })],
  ["releases one", release(1)],
  ["tells of an exit", exit("w")],
];
for (const [about, command] of harmless) {
  Deno.test(`a full store takes a call that ${about}`, () => {
    assertEquals(after(atLimit, command).costBytes, storeCostBytesMax);
  });
}

Deno.test("a store over the limit takes what makes it no larger", () => {
  const over = { ...atLimit, costBytes: storeCostBytesMax + 500 };
  assertEquals(after(over, complete(1)).costBytes, over.costBytes);
  assertEquals(after(over, update(2, { description: "" })).costBytes, over.costBytes - 3);
  assertEquals(outcomeOf(over, update(2, { description: "dd" })), full(over.costBytes + 3));
});

Deno.test("costOf() is the JSON and twice the line as a JSON string, of the dearest state (R12)", () => {
  const store = storeOf({}, { blockedBy: [1, 9], metadata: { "<": "\n" }, activeForm: "é" }, {
    blockedBy: [2],
  });
  const bytes = (text: string) => new TextEncoder().encode(text).length;
  const costs = store.tasks.map((task) => {
    const dearest = viewOf({
      ...task,
      status: "inprogress",
      owner: "x".repeat(64),
      openBlockers: task.blockedBy,
    });
    return bytes(JSON.stringify(dearest)) + 2 * bytes(JSON.stringify(jsonText(dearest)));
  });
  assertEquals(store.tasks.map(costOf), costs);
  assertEquals(store.costBytes, costs.reduce((sum, cost) => sum + cost, 0));
});

Deno.test("costOf() is the same for every status, owner and state of blockers", () => {
  const costs = new Set<number>();
  for (const status of ["pending", "inprogress", "completed", "deleted"] satisfies Status[]) {
    const changes = [{ taskid: 1, status }, {
      taskid: 2,
      status,
      owner: status === "deleted" ? null : "agent",
    }];
    costs.add(evolve(storeOf({}, { blockedBy: [1] }), { changes }, 0).costBytes);
  }
  assertEquals(costs.size, 1);
});
