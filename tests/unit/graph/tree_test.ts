import { assertEquals } from "@std/assert";
import { treeRows } from "../../../src/graph/tree.ts";
import { unsettled } from "../../../src/graph/unsettled.ts";
import type { TaskStore } from "../../../src/tasks/store.ts";
import { storeOf } from "../../helpers/stores.ts";

function tree(store: Pick<TaskStore, "tasks">): readonly string[] {
  return treeRows(store).map(({ guide, taskid, task, stands }) =>
    `${guide}${taskid}${task ? "" : "?"}${stands === "here" ? "" : ` ${stands}`}`
  );
}

/** The course's example: schema → endpoints → tests, docs. */
const course = storeOf({}, { blockedBy: [1] }, { blockedBy: [2] }, { blockedBy: [1] });

Deno.test("treeRows puts below each task those that wait for it", () => {
  assertEquals(tree(course), ["1", "├─ 2", "│  └─ 3", "└─ 4"]);
});

Deno.test("treeRows shows a task once, and refers to it where it waits for another one, too", () => {
  assertEquals(
    tree(storeOf({}, { blockedBy: [1] }, { blockedBy: [1] }, { blockedBy: [2, 3] }, { blockedBy: [4] })),
    [
      "1",
      "├─ 2",
      "│  └─ 4",
      "│     └─ 5",
      "└─ 3",
      "   └─ 4 above",
    ],
  );
});

Deno.test("treeRows begins with blockers that are missing", () => {
  assertEquals(tree(storeOf({ blockedBy: [9] }, { blockedBy: [1, 9, 7] }, {})), [
    "7?",
    "└─ 2",
    "9?",
    "├─ 1",
    "│  └─ 2 above",
    "└─ 2 above",
    "3",
  ]);
});

Deno.test("treeRows has no rows for a store without tasks", () => {
  assertEquals(tree(storeOf()), []);
});

Deno.test("treeRows begins a chain at the margin again where it gets too deep", () => {
  const rows = tree(
    storeOf(...Array.from({ length: 40 }, (_, index) => ({ blockedBy: index === 0 ? [] : [index] }))),
  );
  assertEquals([rows.length, rows[24], rows[25], rows[26], rows[27]], [
    41,
    `${"   ".repeat(23)}└─ 25`,
    `${"   ".repeat(24)}└─ 26 below`,
    "26",
    "└─ 27",
  ]);
});

Deno.test("treeRows shows every edge of a dense graph once", () => {
  const tasks = Array.from({ length: 30 }, (_, index) => ({
    blockedBy: Array.from({ length: index }, (_, blocker) => blocker + 1),
  }));
  assertEquals(tree(storeOf(...tasks)).length, 1 + 30 * 29 / 2);
});

Deno.test("unsettled leaves out what is done and nobody waits for any more", () => {
  const store = storeOf(
    { status: "completed" },
    { status: "completed", blockedBy: [1] },
    { status: "deleted" },
    { blockedBy: [2, 9] },
    { status: "inprogress" },
  );
  assertEquals(tree(unsettled(store)), ["9?", "└─ 4", "2", "└─ 4 above", "5"]);
});
