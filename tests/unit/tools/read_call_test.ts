import { assertEquals } from "@std/assert";
import { toolNames, toolOf } from "../../../src/tools/names.ts";
import { readCall } from "../../../src/tools/read_call.ts";
import { read } from "../../helpers/reading.ts";
import { claim, complete, create, createBatch, get, list, release, update } from "../../helpers/stores.ts";

for (
  const [name, tool] of [
    ["create_task", "TaskCreate"],
    ["task_create", "TaskCreate"],
    ["list_tasks", "TaskList"],
    ["task_list", "TaskList"],
    ["get_task", "TaskGet"],
    ["task_get", "TaskGet"],
    ["task_update", "TaskUpdate"],
    ["claim_task", "TaskClaim"],
    ["complete_task", "TaskComplete"],
    ["TodoWrite", null],
    ["taskcreate", null],
    ["constructor", null],
  ] as const
) {
  Deno.test(`toolOf() takes ${name} for ${tool} (R30)`, () => assertEquals(toolOf(name), tool));
}

for (const name of toolNames) {
  Deno.test(`toolOf() knows ${name} by its own name`, () => assertEquals(toolOf(name), name));
}

for (
  const [tool, args, command] of [
    ["TaskCreate", { subject: "s", description: "d" }, create({ subject: "s", description: "d" })],
    ["TaskList", {}, list()],
    ["TaskGet", { taskid: 1 }, get(1)],
    ["TaskUpdate", { taskid: 1, status: "inprogress" }, update(1, { status: "inprogress" })],
    ["TaskUpdate", { taskid: 1, addBlocks: [] }, update(1, {})],
    ["TaskClaim", {}, claim(null)],
    ["TaskClaim", { taskid: 1, owner: "w" }, claim(1, { owner: "w" })],
    ["TaskComplete", { task_id: "1" }, complete(1)],
    ["TaskRelease", { taskid: 1, reason: "r", force: true }, release(1, { reason: "r", force: true })],
  ] as const
) {
  Deno.test(`readCall() reads ${tool} ${JSON.stringify(args)}`, () =>
    assertEquals(read(tool, args), { command }));
}

const fields = "at least one field to change (status, subject, description, …)";
for (
  const [tool, args, message] of [
    ["TaskCreate", {}, "TaskCreate needs a subject: got nothing"],
    ["TaskCreate", { description: "x" }, 'TaskCreate needs a subject: got {"description":"x"}'],
    ["TaskCreate", { subject: null }, 'TaskCreate needs a subject: got {"subject":null}'],
    [
      "TaskCreate",
      { taskid: 1, status: "done" },
      'TaskCreate needs a subject: got {"taskid":1,"status":"done"}; these look like arguments of TaskUpdate',
    ],
    [
      "TaskCreate",
      { id: 1 },
      'TaskCreate needs a subject: got {"id":1}; these look like arguments of TaskGet',
    ],
    ["TaskGet", {}, "TaskGet needs a taskid: got nothing"],
    ["TaskGet", { taskid: null }, 'TaskGet needs a taskid: got {"taskid":null}'],
    [
      "TaskGet",
      { title: "x" },
      'TaskGet needs a taskid: got {"title":"x"}; these look like arguments of TaskCreate',
    ],
    ["TaskUpdate", {}, `TaskUpdate needs a taskid and ${fields}: got nothing`],
    [
      "TaskUpdate",
      { taskid: 1 },
      `TaskUpdate needs ${fields}: got {"taskid":1}; these look like arguments of TaskGet`,
    ],
    ["TaskUpdate", { status: "done" }, 'TaskUpdate needs a taskid: got {"status":"done"}'],
    [
      "TaskUpdate",
      { taskid: 1, if_status: "pending", status: null },
      `TaskUpdate needs ${fields}: got {"taskid":1,"if_status":"pending","status":null}; ` +
      "these look like arguments of TaskGet",
    ],
    ["TaskComplete", {}, "TaskComplete needs a taskid: got nothing"],
    ["TaskRelease", { reason: "r" }, 'TaskRelease needs a taskid: got {"reason":"r"}'],
  ] as const
) {
  Deno.test(`readCall() refuses what misses its required fields: ${message}`, () => {
    assertEquals(read(tool, args), message);
  });
}

Deno.test("readCall() tells programs which field it refuses, or what is missing", () => {
  assertEquals([readCall("TaskUpdate", { taskid: 1, status: "lost" }), readCall("TaskGet", {})], [
    {
      isRefusal: true,
      code: "invalid_arguments",
      message: 'status must be one of pending, inprogress, completed, deleted: got "lost"',
      fields: { field: "status" },
    },
    {
      isRefusal: true,
      code: "invalid_arguments",
      message: "TaskGet needs a taskid: got nothing",
      fields: { missing: "a taskid" },
    },
  ]);
});

Deno.test("readCall() refuses bare edges of an update with the right form, unless they are null", () => {
  const right = "TaskUpdate changes edges with addBlockedBy, addBlocks, removeBlockedBy and removeBlocks";
  assertEquals(read("TaskUpdate", { taskid: 1, blockedBy: [2], status: "done" }), `${right}: got blockedBy`);
  assertEquals(
    read("TaskUpdate", { taskid: 1, blocked_by: [], blocks: [3] }),
    `${right}: got blocked_by and blocks`,
  );
  assertEquals(read("TaskUpdate", { taskid: 1, blockedBy: null, status: "done" }), {
    command: update(1, { status: "completed" }),
  });
});

Deno.test("readCall() reads a batch, each task in every form, also from JSON text", () => {
  const tasks = [{ title: "a" }, { subject: "b", blocked_by: "$1", description: "d" }, {
    name: "c",
    add_blocks: 7,
  }];
  const command = createBatch(
    { subject: "a" },
    { subject: "b", description: "d", blockedBy: [{ sibling: 1 }] },
    { subject: "c", addBlocks: [{ taskid: 7 }] },
  );
  assertEquals(read("TaskCreate", { tasks }), { command });
  assertEquals(read("TaskCreate", { tasks: JSON.stringify(tasks) }), { command });
  assertEquals(read("TaskCreate", { tasks: null, subject: "a" }), { command: create({ subject: "a" }) });
});

for (
  const [args, message] of [
    [{ tasks: [] }, "tasks must hold 1 to 100 tasks: got 0"],
    [{ tasks: Array(101).fill({ subject: "a" }) }, "tasks must hold 1 to 100 tasks: got 101"],
    [{ tasks: [{ subject: "a" }], subject: "b" }, "give either tasks or one task's subject: got both"],
    [{ tasks: ["a"] }, 'tasks must be a list of objects with a subject each: got ["a"]'],
    [{ tasks: "a, b" }, 'tasks must be a list of objects with a subject each: got "a, b"'],
    [{ tasks: { subject: "a" } }, 'tasks must be a list of objects with a subject each: got {"subject":"a"}'],
    [{ tasks: [{ subject: "a" }, { description: "b" }] }, "tasks[1]: subject is missing"],
    [
      { tasks: [{ subject: "a", owner: "a b" }] },
      'tasks[0]: owner must be an agent name, 1 to 64 of A-Z a-z 0-9 _ . : @ / -: got "a b"',
    ],
  ] as const
) {
  Deno.test(`readCall() refuses a batch: ${message}`, () => assertEquals(read("TaskCreate", args), message));
}

Deno.test("readCall() takes a batch of 100", () => {
  const tasks = Array.from({ length: 100 }, (_, index) => ({ subject: `t${index}` }));
  assertEquals(read("TaskCreate", { tasks }), { command: createBatch(...tasks) });
});

/** Keys `f0`, `f1`, … with a value each. */
function unknownFields(count: number): { readonly [name: string]: unknown } {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, index]));
}

for (
  const [tool, args, warnings] of [
    ["TaskCreate", { subject: "new", priority: "high" }, ['ignored unknown field "priority"']],
    ["TaskCreate", { subject: "new", status: "completed", taskid: 77 }, [
      "ignored status: a new task is pending",
      "ignored taskid: the store assigns it",
    ]],
    ["TaskCreate", { subject: "new", status: "failed", id: [] }, [
      "ignored status: a new task is pending",
      "ignored taskid: the store assigns it",
    ]],
    ["TaskList", { reason: "look" }, ['ignored unknown field "reason"']],
    ["TaskList", { "<b>\n": 1, ["y".repeat(201)]: 2 }, [
      'ignored unknown field "\\u003cb\\u003e\\u000a"',
      `ignored unknown field "${"y".repeat(200)}…"`,
    ]],
    ["TaskList", JSON.parse('{"__proto__":{"ready":true},"constructor":1}'), [
      'ignored unknown field "__proto__"',
      'ignored unknown field "constructor"',
    ]],
    [
      "TaskList",
      unknownFields(10),
      Object.keys(unknownFields(10)).map((name) => `ignored unknown field "${name}"`),
    ],
    ["TaskList", unknownFields(25), [
      ...Object.keys(unknownFields(10)).map((name) => `ignored unknown field "${name}"`),
      "and 15 more like these",
    ]],
  ] as const
) {
  Deno.test(`readCall() warns: ${warnings.slice(0, 2).join(", ").slice(0, 80)}`, () => {
    const command = tool === "TaskCreate" ? create() : list();
    assertEquals(read(tool, args), { command, warnings });
  });
}

Deno.test("readCall() names ten warnings of a batch, by task, then counts", () => {
  const tasks = Array.from({ length: 12 }, () => ({ subject: "new", priority: 1, labels: null }));
  assertEquals(read("TaskCreate", { tasks, mode: "all" }), {
    command: createBatch(...tasks.map(() => ({}))),
    warnings: [
      ...Array.from({ length: 10 }, (_, index) => `tasks[${index}]: ignored unknown field "priority"`),
      "and 3 more like these",
    ],
  });
});
