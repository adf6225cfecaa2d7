import { assertEquals } from "@std/assert";
import { cardOf, changeBetween, wholeTask } from "../../../src/http/view.ts";
import { emptyStore, evolve, type TaskStore } from "../../../src/tasks/store.ts";
import { storeOf } from "../../helpers/stores.ts";

const store = storeOf(
  { subject: "one", status: "completed", owner: "ann" },
  { subject: "two", description: "long", blockedBy: [1], metadata: { a: 1 } },
  { subject: "three", blockedBy: [2, 9], activeForm: "doing three" },
);
const times = { createdMs: 1_000, changedMs: 1_000 };

function changedTo(before: TaskStore, taskid: number, subject: string): TaskStore {
  return evolve(before, { changes: [{ taskid, subject }] }, 2_000);
}

Deno.test("cardOf() is what a board shows, without the longer texts", () => {
  assertEquals(store.tasks.map(cardOf), [
    { taskid: 1, status: "completed", subject: "one", owner: "ann", standing: "done", ...times },
    { taskid: 2, status: "pending", subject: "two", blockedBy: [1], standing: "ready", ...times },
    {
      taskid: 3,
      status: "pending",
      subject: "three",
      activeForm: "doing three",
      blockedBy: [2, 9],
      openBlockers: [2, 9],
      missing: [9],
      standing: "blocked",
      ...times,
    },
  ]);
});

Deno.test("wholeTask() is all of a task, or null", () => {
  assertEquals(wholeTask(store, 2), {
    taskid: 2,
    status: "pending",
    subject: "two",
    description: "long",
    blockedBy: [1],
    blocks: [3],
    metadata: { a: 1 },
    standing: "ready",
    ...times,
  });
  assertEquals(wholeTask(store, 4), null);
});

Deno.test("changeBetween() is everything for who knows nothing", () => {
  assertEquals(changeBetween(null, store), { isWhole: true, cards: store.tasks.map(cardOf) });
});

Deno.test("changeBetween() is what has changed for who knows an earlier store", () => {
  const later = changedTo(store, 2, "two again");
  assertEquals(changeBetween(store, later), {
    isWhole: false,
    cards: later.tasks.filter(({ taskid }) => taskid === 2).map(cardOf),
  });
  assertEquals(changeBetween(store, store), { isWhole: false, cards: [] });
});

Deno.test("changeBetween() is everything where a task is gone", () => {
  const again = evolve(store, {
    changes: [{ taskid: 1, status: "pending", subject: "new", description: "" }],
    reset: { next_taskid: 1 },
  }, 2_000);
  assertEquals(changeBetween(store, again), { isWhole: true, cards: again.tasks.map(cardOf) });
  assertEquals(changeBetween(store, emptyStore()), { isWhole: true, cards: [] });
});
