import { assertEquals } from "@std/assert";
import {
  changed,
  claim,
  complete,
  decisionOf,
  type GivenTask,
  type Outcome,
  outcomeOf,
  storeOf,
} from "../../helpers/stores.ts";

type Row = readonly [about: string, task: GivenTask, outcome: Outcome];

/** `me` claims task 2, and task 1 is open; in the order of SPEC §8, each refused by what follows, too. */
const claims: readonly Row[] = [
  ["completed", { status: "completed", owner: "you", blockedBy: [1] }, {
    code: "wrong_status",
    message: "only an open task can be claimed: task 2 is completed",
    fields: { taskid: 2, status: "completed" },
  }],
  ["deleted, and mine", { status: "deleted", owner: "me" }, {
    code: "wrong_status",
    message: "only an open task can be claimed: task 2 is deleted",
    fields: { taskid: 2, status: "deleted" },
  }],
  ["another's, inprogress", { status: "inprogress", owner: "you", blockedBy: [1] }, {
    code: "already_claimed",
    message: "task 2 is already claimed by you",
    fields: { taskid: 2, owner: "you" },
  }],
  ["another's, pending", { owner: "you", blockedBy: [1] }, {
    code: "already_claimed",
    message: "task 2 is already claimed by you",
    fields: { taskid: 2, owner: "you" },
  }],
  ["inprogress without an owner", { status: "inprogress", blockedBy: [1] }, {
    code: "wrong_status",
    message: "task 2 is already inprogress, without an owner",
    fields: { taskid: 2, status: "inprogress" },
  }],
  ["blocked", { blockedBy: [1, 9] }, {
    code: "blocked",
    message: "task 2 still waits for 1, 9",
    fields: { taskid: 2, openBlockers: [1, 9] },
  }],
  ["blocked, and mine", { owner: "me", blockedBy: [1] }, {
    code: "blocked",
    message: "task 2 still waits for 1",
    fields: { taskid: 2, openBlockers: [1] },
  }],
  ["ready", {}, changed({ taskid: 2, status: "inprogress", owner: "me" })],
  ["mine, pending", { owner: "me" }, changed({ taskid: 2, status: "inprogress" })],
  ["mine, inprogress, and even blocked", { status: "inprogress", owner: "me", blockedBy: [1] }, changed()],
];
for (const [about, task, outcome] of claims) {
  Deno.test(`claim of a task that is ${about}`, () => {
    assertEquals(outcomeOf(storeOf({}, task), claim(2), "me"), outcome);
  });
}

Deno.test("claim of a task that is not there", () => {
  assertEquals(outcomeOf(storeOf({}), claim(9), "me"), {
    code: "task_not_found",
    message: "there is no task 9: the only taskid is 1",
    fields: { taskid: 9 },
  });
});

for (
  const [about, agent, fields, owner] of [
    ["whom the call names", "me", { owner: "you" }, "you"],
    ["the caller", "me", {}, "me"],
    ["an agent without a name", null, {}, "agent"],
  ] as const
) {
  Deno.test(`claim makes the owner ${about}`, () => {
    assertEquals(
      outcomeOf(storeOf({}), claim(1, fields), agent),
      changed({ taskid: 1, status: "inprogress", owner }),
    );
  });
}

const takes: readonly (readonly [about: string, tasks: readonly GivenTask[], outcome: Outcome])[] = [
  [
    "goes on with the caller's own task inprogress",
    [{}, { owner: "me" }, { status: "inprogress", owner: "me", blockedBy: [1] }],
    changed(),
  ],
  [
    "starts the caller's own pending task before any other that is ready",
    [{}, { owner: "me", blockedBy: [1] }, { owner: "me" }],
    changed({ taskid: 3, status: "inprogress" }),
  ],
  [
    "takes the first that is ready",
    [{ blockedBy: [3] }, { owner: "you" }, { status: "inprogress" }, {}, {}],
    changed({ taskid: 4, status: "inprogress", owner: "me" }),
  ],
  [
    "is refused where all wait, and says for what",
    [{ blockedBy: [2, 3] }, { status: "inprogress" }, { blockedBy: [2] }],
    {
      code: "nothing_ready",
      message: "no task is ready to be claimed: 1 waits for 2, 3; 3 waits for 2",
      fields: { waiting: [{ taskid: 1, openBlockers: [2, 3] }, { taskid: 3, openBlockers: [2] }] },
    },
  ],
  [
    "is refused where nothing is left",
    [{ status: "completed" }, { owner: "you" }],
    {
      code: "nothing_ready",
      message: "no task is ready to be claimed: none is pending without an owner",
      fields: { waiting: [] },
    },
  ],
];
for (const [about, tasks, outcome] of takes) {
  Deno.test(`claim without a taskid ${about}`, () => {
    assertEquals(outcomeOf(storeOf(...tasks), claim(null), "me"), outcome);
  });
}

Deno.test("claim without a taskid names ten waiting tasks, and counts the rest", () => {
  const waiting = Array.from({ length: 12 }, () => ({ blockedBy: [1] }));
  const named = Array.from({ length: 10 }, (_, index) => index + 2);
  assertEquals(outcomeOf(storeOf({ status: "inprogress" }, ...waiting), claim(null)), {
    code: "nothing_ready",
    message: `no task is ready to be claimed: ${
      named.map((id) => `${id} waits for 1`).join("; ")
    }; 2 more wait`,
    fields: { waiting: named.map((taskid) => ({ taskid, openBlockers: [1] })) },
  });
});

for (const taskid of [2, null]) {
  Deno.test(`exclusive claim of ${taskid ?? "what is ready"} is refused while the caller has another task open`, () => {
    const store = storeOf({ status: "completed", owner: "me" }, {}, { owner: "me", blockedBy: [2] });
    assertEquals(outcomeOf(store, claim(taskid, { exclusive: true }), "me"), {
      code: "already_claimed",
      message: "me still has task 3 open, and this claim is exclusive",
      fields: { taskid: 3, owner: "me" },
    });
  });
}

Deno.test("exclusive claim takes a task, and the caller's own, where there is no other", () => {
  const store = storeOf({ status: "completed", owner: "me" }, { owner: "me" }, { owner: "you" });
  assertEquals(
    outcomeOf(store, claim(2, { exclusive: true }), "me"),
    changed({ taskid: 2, status: "inprogress" }),
  );
});

Deno.test("of many claims by differently named agents exactly one succeeds, the first (R28)", () => {
  let store = storeOf({});
  const winners: string[] = [];
  for (const agent of ["w0", "w1", "w2", "w3"]) {
    const outcome = outcomeOf(store, claim(1), agent);
    if ("code" in outcome) continue;
    winners.push(agent);
    store = decisionOf(store, claim(1), agent).after;
  }
  assertEquals([winners, store.tasks[0]?.owner], [["w0"], "w0"]);
});

const completions: readonly (readonly [about: string, GivenTask, agent: string | null, outcome: Outcome])[] =
  [
    ["is refused for a pending task", { owner: "you" }, "me", {
      code: "wrong_status",
      message: "only a task inprogress can be completed: task 2 is pending",
      fields: { taskid: 2, status: "pending" },
    }],
    ["is refused for another agent's task", { status: "inprogress", owner: "you" }, "me", {
      code: "not_owner",
      message: "task 2 is owned by you: me cannot complete it",
      fields: { taskid: 2, owner: "you" },
    }],
    [
      "finishes one's own task",
      { status: "inprogress", owner: "me" },
      "me",
      changed({ taskid: 2, status: "completed" }),
    ],
    [
      "is nobody's business without a name",
      { status: "inprogress", owner: "you" },
      null,
      changed({ taskid: 2, status: "completed" }),
    ],
    [
      "finishes a task without an owner",
      { status: "inprogress" },
      "me",
      changed({ taskid: 2, status: "completed" }),
    ],
    ["warns of open blockers (R26)", { status: "inprogress", blockedBy: [1] }, null, {
      changes: [{ taskid: 2, status: "completed" }],
      warnings: ["task 2 still waits for 1"],
      unblocked: [],
    }],
  ];
for (const [about, task, agent, outcome] of completions) {
  Deno.test(`complete ${about}`, () => {
    assertEquals(outcomeOf(storeOf({}, task), complete(2), agent), outcome);
  });
}
