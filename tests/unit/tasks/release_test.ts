import { assertEquals } from "@std/assert";
import {
  changed,
  complete,
  exit,
  type GivenTask,
  type Outcome,
  outcomeOf,
  release,
  storeOf,
} from "../../helpers/stores.ts";

const notOwner: Outcome = {
  code: "not_owner",
  message: "task 1 is owned by you: release it with force and a reason",
  fields: { taskid: 1, owner: "you" },
};
const returned = changed({ taskid: 1, status: "pending", owner: null });

const rows: readonly (readonly [
  about: string,
  task: GivenTask,
  fields: { force?: boolean; reason?: string },
  agent: string | null,
  outcome: Outcome,
])[] = [
  ["refuses a pending task without an owner", {}, {}, "me", {
    code: "wrong_status",
    message: "only a task that somebody has taken can be released: task 1 is pending without an owner",
    fields: { taskid: 1, status: "pending" },
  }],
  [
    "refuses a completed task, forced or not",
    { status: "completed", owner: "you" },
    {
      force: true,
      reason: "r",
    },
    "me",
    {
      code: "wrong_status",
      message: "only a task that somebody has taken can be released: task 1 is completed",
      fields: { taskid: 1, status: "completed" },
    },
  ],
  ["refuses a deleted task", { status: "deleted", owner: "me" }, {}, "me", {
    code: "wrong_status",
    message: "only a task that somebody has taken can be released: task 1 is deleted",
    fields: { taskid: 1, status: "deleted" },
  }],
  ["refuses another agent's task", { status: "inprogress", owner: "you" }, {}, "me", notOwner],
  ["refuses another agent's task with force alone", { owner: "you" }, { force: true }, "me", notOwner],
  ["refuses another agent's task with a reason alone", { owner: "you" }, { reason: "r" }, "me", notOwner],
  [
    "takes another agent's task with force and a reason",
    { status: "inprogress", owner: "you" },
    { force: true, reason: "r" },
    "me",
    returned,
  ],
  ["hands back one's own task", { status: "inprogress", owner: "me" }, {}, "me", returned],
  [
    "hands back a task for a caller without a name",
    { status: "inprogress", owner: "you" },
    {},
    null,
    returned,
  ],
  [
    "hands back a task inprogress without an owner",
    { status: "inprogress" },
    {},
    "me",
    changed({ taskid: 1, status: "pending" }),
  ],
  ["frees a pending task that is owned", { owner: "me" }, {}, "me", changed({ taskid: 1, owner: null })],
];
for (const [about, task, fields, agent, outcome] of rows) {
  Deno.test(`release ${about}`, () => {
    assertEquals(outcomeOf(storeOf(task), release(1, fields), agent), outcome);
  });
}

for (const [name, command] of [["release", release(9)], ["complete", complete(9)]] as const) {
  Deno.test(`${name} of a task that is not there`, () => {
    assertEquals(outcomeOf(storeOf({}, {}), command), {
      code: "task_not_found",
      message: "there is no task 9: taskids run from 1 to 2",
      fields: { taskid: 9 },
    });
  });
}

Deno.test("an agent's exit returns its open tasks in one step, and no others (R29)", () => {
  const store = storeOf(
    { status: "inprogress", owner: "me" },
    { owner: "me" },
    { status: "completed", owner: "me" },
    { status: "deleted", owner: "me" },
    { status: "inprogress", owner: "you" },
    { status: "inprogress" },
  );
  assertEquals(
    outcomeOf(store, exit("me")),
    changed({ taskid: 1, status: "pending", owner: null }, { taskid: 2, owner: null }),
  );
  assertEquals(outcomeOf(store, exit("nobody")), changed());
});
