import { assertEquals } from "@std/assert";
import { restored, toolCall, toolResult } from "../../helpers/restoring.ts";

for (
  const name of [
    "create_task",
    "task_create",
    "TaskCreate",
    "mcp__tasuki__TaskCreate",
    "mcp__a__b__create_task",
  ]
) {
  Deno.test(`a restore knows ${name} (R23)`, () => {
    assertEquals(restored([toolCall("c", { title: "a" }, name)]).tasks, ["1 pending a"]);
  });
}

Deno.test("a restore reads calls in every form that a live call may have", () => {
  const entries = [
    toolCall("c1", '{"title":"a",}'),
    toolCall("c2", JSON.stringify(JSON.stringify({ subject: "b", blocked_by: "1" }))),
    toolCall("c3", { tasks: [{ subject: "c" }, { subject: "d", blockedBy: ["$1"] }] }),
    toolCall("c4", { id: "#1", status: "In_Progress" }, "task_update"),
    { ...toolCall("c5", { taskid: 3 }, "claim_task"), agent: "w" },
  ];
  assertEquals(restored(entries), {
    tasks: ["1 inprogress a", "2 pending b waits for 1", "3 inprogress c of w", "4 pending d waits for 3"],
    next: 5,
    applied: 5,
  });
});

for (
  const [about, entries, counts] of [
    ["a call whose result is an error", [
      toolCall("c", { subject: "x" }),
      toolResult("c", { is_error: true }),
    ], {
      failed: 1,
    }],
    ["a call that is refused", [toolCall("c", { taskid: 9, status: "done" }, "TaskUpdate")], { refused: 1 }],
    ["a call that breaks a limit of a task", [toolCall("c", { subject: "x".repeat(501) })], { refused: 1 }],
    ["a call that cannot be read", [toolCall("c", { status: "done" })], { unreadable: 1 }],
    ["a call of an older form", [toolCall("c", [1, 2])], { unreadable: 1 }],
    ["a call without an id", [{ type: "tool_call", name: "TaskCreate", arguments: { subject: "x" } }], {
      unreadable: 1,
    }],
    ["a call without a name", [{ type: "tool_call", call_id: "c", arguments: {} }], { unreadable: 1 }],
    ["an entry that is no object", [null, "text", 7, []], { unreadable: 4 }],
    [
      "a call whose id, name and arguments were all seen before",
      [toolCall("c1", { description: "d", subject: "a" }, "create_task")],
      { seen_before: 1 },
    ],
  ] as const
) {
  Deno.test(`a restore passes over ${about}, and counts it (R23)`, () => {
    const first = toolCall("c1", { subject: "a", description: "d" });
    assertEquals(restored([first, ...entries, toolCall("c9", { subject: "b" })]), {
      tasks: ["1 pending a", "2 pending b"],
      next: 3,
      applied: 2,
      ...counts,
    });
  });
}

Deno.test("a restore passes over what would fill the store, and counts it", () => {
  const big = Array.from(
    { length: 20 },
    (_, index) => toolCall(`c${index}`, { subject: "a", description: "x".repeat(16_000) }),
  );
  const { tasks, next, applied, over_limits } = restored(big);
  assertEquals([tasks.length, next, applied, over_limits], [19, 20, 19, 1]);
});

for (
  const [about, entry] of [
    ["reading calls", toolCall("c", {}, "TaskList")],
    ["calls of other tools", toolCall("c", { command: "ls" }, "Bash")],
    ["calls of other servers' tools", toolCall("c", { subject: "x" }, "mcp__todo__add")],
    ["messages", { type: "message", role: "assistant", text: "[Session TaskStore snapshot]" }],
    ["results without a call", toolResult("z", { taskid: 7 })],
    ["entries of other types", { type: "thinking", text: "hm" }],
    ["entries without a type", {}],
  ] as const
) {
  Deno.test(`a restore ignores ${about}`, () => {
    assertEquals(restored([entry, toolCall("c1", { subject: "a" })]), {
      tasks: ["1 pending a"],
      next: 2,
      applied: 1,
    });
  });
}

Deno.test("a call of the same id with other content is another call", () => {
  assertEquals(restored([toolCall("c", { subject: "a" }), toolCall("c", { subject: "b" })]).tasks, [
    "1 pending a",
    "2 pending b",
  ]);
});

Deno.test("a call that failed and was made again is applied the second time", () => {
  const entries = [
    toolCall("c", { subject: "a" }),
    toolResult("c", { is_error: true }),
    toolCall("c", { subject: "a" }),
  ];
  assertEquals(restored(entries), { tasks: ["1 pending a"], next: 2, applied: 1, failed: 1 });
});

Deno.test("a result belongs to the first open call of its id (R24)", () => {
  const entries = [
    toolCall("c", { subject: "a" }),
    toolCall("c", { subject: "b" }),
    toolResult("c", { is_error: true }),
    toolCall("c", { subject: "x" }, "Bash"),
    toolCall("c", { subject: "d" }),
    toolResult("c"),
    toolResult("c", { is_error: true }),
  ];
  assertEquals(restored(entries), { tasks: ["1 pending b", "2 pending d"], next: 3, applied: 2, failed: 1 });
});

for (
  const [about, given, tasks, next, differing] of [
    ["the count", 1, ["1 pending a", "2 pending b"], 3, []],
    ["nothing", undefined, ["1 pending a", "2 pending b"], 3, []],
    ["a higher id", 7, ["7 pending a", "8 pending b"], 9, [{ call_id: "c", given: 7, counted: 1 }]],
    ["a higher id as text", "task 7", ["7 pending a", "8 pending b"], 9, [{
      call_id: "c",
      given: 7,
      counted: 1,
    }]],
    ["what is no id", "none", ["1 pending a", "2 pending b"], 3, []],
    ["an id that no store may reach", 1e15, ["1 pending a", "2 pending b"], 3, []],
  ] as const
) {
  Deno.test(`the id of a result wins over the count, and is reported where they differ: ${about} (R23)`, () => {
    const entries = [
      toolCall("c", { subject: "a" }),
      toolResult("c", { taskid: given }),
      toolCall("d", { subject: "b" }),
    ];
    assertEquals(restored(entries), {
      tasks,
      next,
      applied: 2,
      ...(differing.length === 0 ? {} : { differing }),
    });
  });
}

Deno.test("only the result of one create says which id was given", () => {
  const entries = [
    toolCall("b", { tasks: [{ subject: "a" }, { subject: "b" }] }),
    toolResult("b", { taskid: 7 }),
    toolCall("u", { taskid: 1, subject: "c" }, "TaskUpdate"),
    toolResult("u", { taskid: 9 }),
  ];
  assertEquals(restored(entries), { tasks: ["1 pending c", "2 pending b"], next: 3, applied: 2 });
});

Deno.test("a restored claim is for the entry's agent, and for nobody in particular where that is no name", () => {
  const claim = (call_id: string, taskid: number, agent: unknown) => ({
    ...toolCall(call_id, { taskid }, "TaskClaim"),
    agent,
  });
  const entries = [
    toolCall("b", { tasks: [{ subject: "a" }, { subject: "b" }, { subject: "c" }] }),
    claim("c1", 1, "w"),
    claim("c2", 2, "two words"),
    claim("c3", 3, 7),
  ];
  assertEquals(restored(entries).tasks, [
    "1 inprogress a of w",
    "2 inprogress b of agent",
    "3 inprogress c of agent",
  ]);
});

Deno.test("the first twenty ids that differ are reported", () => {
  const entries = Array.from({ length: 22 }, (_, index) => [
    toolCall(`c${index}`, { subject: "a" }),
    toolResult(`c${index}`, { taskid: 2 * index + 2 }),
  ]);
  const { differing, applied } = restored(entries.flat());
  assertEquals([applied, differing], [
    22,
    Array.from(
      { length: 20 },
      (_, index) => ({ call_id: `c${index}`, given: 2 * index + 2, counted: 2 * index + 1 }),
    ),
  ]);
});

Deno.test("an id that is taken is given to no second task; a gap below the count can be filled", () => {
  const entries = [
    toolCall("c1", { subject: "a" }),
    toolResult("c1", { taskid: 3 }),
    toolCall("c2", { subject: "b" }),
    toolResult("c2", { taskid: 3 }),
    toolCall("c3", { subject: "c" }),
    toolResult("c3", { taskid: 2 }),
    toolCall("c4", { subject: "d" }),
  ];
  assertEquals(restored(entries), {
    tasks: ["2 pending c", "3 pending a", "4 pending b", "5 pending d"],
    next: 6,
    applied: 4,
    differing: [
      { call_id: "c1", given: 3, counted: 1 },
      { call_id: "c2", given: 3, counted: 4 },
      { call_id: "c3", given: 2, counted: 5 },
    ],
  });
});
