import { assertEquals, assertThrows } from "@std/assert";
import { costOf } from "../../../src/tasks/cost.ts";
import { emptyStore, evolve, findTask, type TaskStore } from "../../../src/tasks/store.ts";
import type { Task } from "../../../src/tasks/task.ts";
import { madeMs, nowMs, storeOf, viewsOf } from "../../helpers/stores.ts";

/** The edges as the store derives them, by taskid. */
function edgesOf(store: TaskStore) {
  return store.tasks.map(({ taskid, blockedBy, blocks, openBlockers, missing }) => ({
    taskid,
    blockedBy,
    blocks,
    openBlockers,
    missing,
  }));
}

const plain: Omit<Task, "costBytes"> = {
  taskid: 1,
  status: "pending",
  subject: "a",
  description: "b",
  activeForm: null,
  owner: null,
  metadata: null,
  blockedBy: [],
  blocks: [],
  openBlockers: [],
  missing: [],
  createdMs: nowMs,
  changedMs: nowMs,
};

Deno.test("evolve() makes a task that has only what its change says", () => {
  const changes = [{ taskid: 1, status: "pending" as const, subject: "a", description: "b" }];
  const task = { ...plain, costBytes: 0 };
  const costBytes = costOf(task);
  assertEquals(evolve(emptyStore(), { changes }, nowMs), {
    tasks: [{ ...task, costBytes }],
    nextTaskid: 2,
    counts: { pending: 1, inprogress: 0, completed: 0, deleted: 0 },
    costBytes,
    danglingTasks: 0,
  });
});

Deno.test("evolve() gives the very same store where nothing changes", () => {
  const store = storeOf({});
  assertEquals(evolve(store, { changes: [] }, nowMs) === store, true);
});

Deno.test("evolve() leaves the store before it as it was", () => {
  const store = storeOf({}, { blockedBy: [1] });
  const copy = structuredClone(store);
  evolve(store, { changes: [{ taskid: 1, status: "completed" }, { taskid: 2, blockedBy: null }] }, nowMs);
  assertEquals(store, copy);
});

Deno.test("evolve() sets what a change names, unsets what is null in it, and keeps the rest", () => {
  const store = storeOf(
    { status: "completed" },
    { owner: "w", activeForm: "Doing", metadata: { k: 1 }, blockedBy: [1], description: "d" },
  );
  const changes = [{ taskid: 2, owner: null, activeForm: null, metadata: null, blockedBy: null }];
  const bare = evolve(store, { changes }, nowMs);
  assertEquals(viewsOf(bare), [
    { taskid: 1, status: "completed", subject: "task 1", description: "" },
    { taskid: 2, status: "pending", subject: "task 2", description: "d" },
  ]);
  const again = [{
    taskid: 2,
    owner: "x",
    activeForm: "On it",
    metadata: { m: [null] },
    blockedBy: [1],
    subject: "s",
  }];
  assertEquals(viewsOf(evolve(bare, { changes: again }, nowMs)), [
    { taskid: 1, status: "completed", subject: "task 1", description: "", blocks: [2] },
    {
      taskid: 2,
      status: "pending",
      subject: "s",
      description: "d",
      activeForm: "On it",
      owner: "x",
      blockedBy: [1],
      metadata: { m: [null] },
    },
  ]);
});

Deno.test("evolve() dates the tasks that a change names, and no others", () => {
  const changes = [{ taskid: 2, blockedBy: [1] }];
  const { tasks } = evolve(storeOf({}, {}), { changes }, nowMs);
  assertEquals(tasks.map(({ createdMs, changedMs }) => ({ createdMs, changedMs })), [
    { createdMs: madeMs, changedMs: madeMs },
    { createdMs: madeMs, changedMs: nowMs },
  ]);
});

Deno.test("evolve() starts anew at the reset's taskid before it applies the changes", () => {
  const store = storeOf({}, { blockedBy: [1] }, {});
  assertEquals(evolve(store, { reset: { next_taskid: 7 }, changes: [] }, nowMs), emptyStore(7));
  const changes = [{ taskid: 2, status: "deleted" as const, subject: "two", description: "" }];
  const after = evolve(store, { reset: { next_taskid: 7 }, changes }, nowMs);
  assertEquals([viewsOf(after), after.nextTaskid], [
    [{ taskid: 2, status: "deleted", subject: "two", description: "" }],
    7,
  ]);
});

Deno.test("evolve() keeps tasks in the order of their taskids, and the next taskid above all", () => {
  const store = storeOf({ taskid: 9 }, { taskid: 2 }, { taskid: 5 });
  assertEquals(store.tasks.map((task) => task.taskid), [2, 5, 9]);
  assertEquals([store.nextTaskid, findTask(store, 5)?.subject, findTask(store, 4), findTask(store, 10)], [
    10,
    "task 5",
    undefined,
    undefined,
  ]);
});

Deno.test("evolve() keeps an edge on both sides, in order, and takes it from both", () => {
  const store = storeOf({}, {}, { blockedBy: [2] });
  const changes = [{ taskid: 3, blockedBy: [1, 2] }, { taskid: 2, blockedBy: [1] }];
  const edged = evolve(store, { changes }, nowMs);
  assertEquals(edgesOf(edged), [
    { taskid: 1, blockedBy: [], blocks: [2, 3], openBlockers: [], missing: [] },
    { taskid: 2, blockedBy: [1], blocks: [3], openBlockers: [1], missing: [] },
    { taskid: 3, blockedBy: [1, 2], blocks: [], openBlockers: [1, 2], missing: [] },
  ]);
  assertEquals(edgesOf(evolve(edged, { changes: [{ taskid: 3, blockedBy: [2] }] }, nowMs)), [
    { taskid: 1, blockedBy: [], blocks: [2], openBlockers: [], missing: [] },
    { taskid: 2, blockedBy: [1], blocks: [3], openBlockers: [1], missing: [] },
    { taskid: 3, blockedBy: [2], blocks: [], openBlockers: [2], missing: [] },
  ]);
});

for (
  const [status, openBlockers] of [
    ["pending", [1]],
    ["inprogress", [1]],
    ["completed", []],
    ["deleted", []],
  ] as const
) {
  Deno.test(`evolve() counts a blocker as ${openBlockers.length > 0 ? "open" : "not open"} when ${status}`, () => {
    const store = evolve(storeOf({}, { blockedBy: [1] }), { changes: [{ taskid: 1, status }] }, nowMs);
    assertEquals(findTask(store, 2)?.openBlockers, openBlockers);
  });
}

Deno.test("evolve() blocks the dependents again where a completed blocker is reopened (R25)", () => {
  const store = storeOf({ status: "completed" }, { blockedBy: [1] });
  const after = evolve(store, { changes: [{ taskid: 1, status: "pending" }] }, nowMs);
  assertEquals(edgesOf(after), [
    { taskid: 1, blockedBy: [], blocks: [2], openBlockers: [], missing: [] },
    { taskid: 2, blockedBy: [1], blocks: [], openBlockers: [1], missing: [] },
  ]);
});

Deno.test("evolve() takes a dangling edge for an open blocker that is missing (R27)", () => {
  const store = storeOf({ blockedBy: [7] }, { blockedBy: [1, 9] });
  assertEquals([store.danglingTasks, edgesOf(store)], [2, [
    { taskid: 1, blockedBy: [7], blocks: [2], openBlockers: [7], missing: [7] },
    { taskid: 2, blockedBy: [1, 9], blocks: [], openBlockers: [1, 9], missing: [9] },
  ]]);
});

Deno.test("evolve() counts the tasks with dangling edges, whatever becomes of others", () => {
  const store = storeOf({ blockedBy: [7] }, {}, { blockedBy: [2] });
  const changes = [{ taskid: 2, status: "completed" as const }, { taskid: 1, owner: "w" }];
  assertEquals([store, evolve(store, { changes }, nowMs)].map(({ danglingTasks }) => danglingTasks), [1, 1]);
  assertEquals(evolve(store, { changes: [{ taskid: 1, blockedBy: [2] }] }, nowMs).danglingTasks, 0);
});

Deno.test("evolve() closes a dangling edge where the missing task is made later", () => {
  const changes = [{ taskid: 9, status: "completed" as const, subject: "nine", description: "" }];
  const store = evolve(storeOf({ blockedBy: [9] }, { blockedBy: [8, 9] }), { changes }, nowMs);
  assertEquals([store.danglingTasks, edgesOf(store)], [1, [
    { taskid: 1, blockedBy: [9], blocks: [], openBlockers: [], missing: [] },
    { taskid: 2, blockedBy: [8, 9], blocks: [], openBlockers: [8], missing: [8] },
    { taskid: 9, blockedBy: [], blocks: [1, 2], openBlockers: [], missing: [] },
  ]]);
  assertEquals(store.tasks.map((task) => task.costBytes), store.tasks.map(costOf));
});

Deno.test("evolve() knows an edge to a task that the same delta makes after it", () => {
  assertEquals(edgesOf(storeOf({ blockedBy: [3] }, {}, { blockedBy: [2] })), [
    { taskid: 1, blockedBy: [3], blocks: [], openBlockers: [3], missing: [] },
    { taskid: 2, blockedBy: [], blocks: [3], openBlockers: [], missing: [] },
    { taskid: 3, blockedBy: [2], blocks: [1], openBlockers: [2], missing: [] },
  ]);
});

Deno.test("evolve() counts the statuses", () => {
  const store = storeOf({}, { status: "inprogress" }, {}, { status: "deleted" });
  const after = evolve(store, { changes: [{ taskid: 1, status: "completed" }] }, nowMs);
  assertEquals([store.counts, after.counts], [
    { pending: 2, inprogress: 1, completed: 0, deleted: 1 },
    { pending: 1, inprogress: 1, completed: 1, deleted: 1 },
  ]);
});

for (const field of ["status", "subject", "description"] as const) {
  Deno.test(`evolve() throws where a change makes a task without ${field}`, () => {
    const { [field]: _, ...change } = { status: "pending" as const, subject: "a", description: "" };
    const make = () => evolve(emptyStore(), { changes: [{ taskid: 4, ...change }] }, nowMs);
    assertThrows(make, Error, "Cannot make task 4");
  });
}
