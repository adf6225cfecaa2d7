import { assertEquals } from "@std/assert";
import { isReady, statuses } from "../../../src/tasks/task.ts";
import {
  complete,
  createBatch,
  decisionOf,
  get,
  type GivenTask,
  ids,
  list,
  outcomeOf,
  release,
  storeOf,
  update,
  updateEdges,
} from "../../helpers/stores.ts";
import type { Command } from "../../../src/tasks/command.ts";

for (const status of statuses) {
  for (const owner of [null, "w"]) {
    for (
      const [kind, blockedBy] of [["no", []], ["a completed", [1]], ["an open", [2]], ["a missing", [
        9,
      ]]] as const
    ) {
      const ready = status === "pending" && owner === null && (kind === "no" || kind === "a completed");
      Deno.test(`isReady() is ${ready} of a ${status} task with ${owner ?? "no"} owner and ${kind} blocker`, () => {
        const store = storeOf({ status: "completed" }, {}, { status, owner, blockedBy });
        assertEquals(store.tasks.slice(2).map(isReady), [ready]);
      });
    }
  }
}

/** Task 1 blocks 2 and 3; the rest differs. */
function board(...more: readonly GivenTask[]) {
  return storeOf({ status: "inprogress" }, { blockedBy: [1] }, { blockedBy: [1] }, ...more);
}

const rows:
  readonly (readonly [about: string, more: readonly GivenTask[], Command, unblocked: readonly number[]])[] = [
    ["complete", [], complete(1), [2, 3]],
    ["update to completed", [], update(1, { status: "completed" }), [2, 3]],
    ["update to deleted", [], update(1, { status: "deleted" }), [2, 3]],
    ["update that removes an edge from the dependent", [], updateEdges(3, { removeBlockedBy: ids(1) }), [3]],
    ["update that removes edges from the blocker", [], updateEdges(1, { removeBlocks: ids(2, 3) }), [2, 3]],
    ["complete, but no task with another open blocker", [{ blockedBy: [1, 2] }], complete(1), [2, 3]],
    ["complete, but no task that has an owner", [{ blockedBy: [1], owner: "w" }], complete(1), [2, 3]],
    ["complete, but no task that is not pending", [{ blockedBy: [1], status: "inprogress" }], complete(1), [
      2,
      3,
    ]],
    [
      "complete, but no task that was ready before",
      [{}, { status: "completed", blockedBy: [1] }],
      complete(1),
      [2, 3],
    ],
    ["release, which opens nothing", [], release(1), []],
    ["update of other fields, which opens nothing", [], update(1, { subject: "s" }), []],
    ["create, which opens nothing", [{ blockedBy: [5] }], createBatch({}), []],
    [
      "update that returns a task to pending and takes its last open blocker",
      [{ status: "completed", blockedBy: [2] }],
      update(4, { status: "pending" }, { edges: { removeBlockedBy: ids(2) } }),
      [4],
    ],
  ];
for (const [about, more, command, unblocked] of rows) {
  Deno.test(`unblocked names the tasks that became ready by ${about} (R25)`, () => {
    assertEquals(decisionOf(board(...more), command).unblocked, unblocked);
  });
}

Deno.test("completing a blocker again after it was reopened unblocks its dependents again", () => {
  const done = decisionOf(board(), complete(1)).after;
  const reopened = decisionOf(done, update(1, { status: "inprogress" }));
  assertEquals(
    [
      reopened.unblocked,
      reopened.after.tasks.map(isReady),
      decisionOf(reopened.after, complete(1)).unblocked,
    ],
    [[], [false, false, false], [2, 3]],
  );
});

Deno.test("get shows a task and changes nothing", () => {
  const store = storeOf({}, { blockedBy: [1] });
  assertEquals(decisionOf(store, get(2)), {
    changes: [],
    after: store,
    tasks: store.tasks.slice(1),
    warnings: [],
    unblocked: [],
  });
  assertEquals(outcomeOf(store, get(3)), {
    code: "task_not_found",
    message: "there is no task 3: taskids run from 1 to 2",
    fields: { taskid: 3 },
  });
});

for (
  const [about, fields, taskids] of [
    ["everything without a filter", {}, [1, 2, 3, 4, 5]],
    ["one status", { status: "pending" }, [2, 3, 5]],
    ["one owner", { owner: "w" }, [4, 5]],
    ["status and owner", { status: "pending", owner: "w" }, [5]],
    ["what is ready", { ready: true }, [3]],
    ["nothing that is ready and owned", { ready: true, owner: "w" }, []],
    ["the same where it is brief", { brief: true, status: "completed" }, [4]],
  ] as const
) {
  Deno.test(`list shows ${about}`, () => {
    const store = storeOf({ status: "inprogress" }, { blockedBy: [1] }, {}, {
      status: "completed",
      owner: "w",
    }, {
      owner: "w",
    });
    const { tasks, changes, after } = decisionOf(store, list(fields));
    assertEquals([tasks.map((task) => task.taskid), changes, after === store], [taskids, [], true]);
  });
}
