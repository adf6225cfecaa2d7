import { assertEquals } from "@std/assert";
import type { NewTask } from "../../../src/tasks/command.ts";
import { type Status, statuses } from "../../../src/tasks/task.ts";
import { isRefusal } from "../../../src/tasks/refusal.ts";
import type { ToolName } from "../../../src/tools/names.ts";
import { readCall } from "../../../src/tools/read_call.ts";
import { read, readJson } from "../../helpers/reading.ts";
import { claim, create, createBatch, get, ids, list, release, update } from "../../helpers/stores.ts";

const words: { readonly [status in Status]: readonly string[] } = {
  pending: [
    "pending",
    "Pending",
    "todo",
    "TODO",
    "to_do",
    "to-do",
    "open",
    "not_started",
    "not started",
    "Not-Started",
  ],
  inprogress: [
    "inprogress",
    "in_progress",
    "in-progress",
    "in progress",
    "InProgress",
    "IN_PROGRESS",
    "doing",
    "started",
    "active",
  ],
  completed: ["completed", "COMPLETED", "done", "Done", "complete", "finished", " completed "],
  deleted: ["deleted", "cancelled", "canceled", "removed", "Cancelled"],
};
for (const status of statuses) {
  for (const form of words[status]) {
    Deno.test(`a status may be "${form}" for ${status} (R10)`, () => {
      assertEquals(read("TaskUpdate", { taskid: 1, status: form }), { command: update(1, { status }) });
    });
  }
}

for (const value of ["failed", "", "blocked", "in_progres", 5, true, ["done"], "x".repeat(70)]) {
  Deno.test(`a status may not be ${JSON.stringify(value)}: the four are listed`, () => {
    assertEquals(
      read("TaskUpdate", { taskid: 1, status: value }),
      `status must be one of pending, inprogress, completed, deleted: got ${JSON.stringify(value)}`,
    );
  });
}

Deno.test("if_status is read like a status, by both of its names", () => {
  const command = update(1, { status: "completed" }, { ifStatus: "inprogress" });
  assertEquals(read("TaskUpdate", { taskid: 1, status: "done", if_status: "doing" }), { command });
  assertEquals(read("TaskUpdate", { taskid: 1, status: "done", ifStatus: "in_progress" }), { command });
});

for (const name of ["subject", "title", "name", "content"]) {
  Deno.test(`a subject may be called ${name}, and a missing description is empty`, () => {
    assertEquals(read("TaskCreate", { [name]: "Write it" }), { command: create({ subject: "Write it" }) });
  });
}

for (
  const [about, fields, parts] of [
    ["blockedBy", { blockedBy: [1] }, { blockedBy: ids(1) }],
    ["blocked_by", { blocked_by: "1, 2" }, { blockedBy: ids(1, 2) }],
    ["addBlockedBy", { addBlockedBy: ["1"] }, { blockedBy: ids(1) }],
    ["add_blocked_by", { add_blocked_by: 1 }, { blockedBy: ids(1) }],
    ["two names that say the same", { blockedBy: [1], addBlockedBy: "1" }, { blockedBy: ids(1) }],
    ["addBlocks", { add_blocks: [2] }, { addBlocks: ids(2) }],
    ["activeForm", { active_form: " Doing " }, { activeForm: "Doing" }],
    ["an empty owner and active form", { owner: "", activeForm: " " }, {}],
    ["owner", { owner: " agents/w-1:2@x.y " }, { owner: "agents/w-1:2@x.y" }],
    ["nothing by null", { owner: null, activeForm: null, metadata: null, blockedBy: null, foo: null }, {}],
  ] as const satisfies readonly (readonly [string, unknown, Partial<NewTask>])[]
) {
  Deno.test(`create reads ${about}`, () => {
    assertEquals(read("TaskCreate", { subject: "new", ...fields }), { command: create(parts) });
  });
}

for (
  const [about, fields, edit] of [
    ["clears the owner with an empty string", { owner: "" }, { owner: null }],
    ["clears the active form with an empty string", { activeForm: " " }, { activeForm: null }],
    ["sets the description to an empty string", { description: "" }, { description: "" }],
    ["leaves out what is null", { owner: null, subject: null, status: "done" }, { status: "completed" }],
    ["keeps a null inside metadata, which removes a key", { metadata: { k: null } }, {
      metadata: { k: null },
    }],
    ["keeps white space of a description", { description: " a\n" }, { description: " a\n" }],
  ] as const
) {
  Deno.test(`update ${about}`, () => {
    assertEquals(read("TaskUpdate", { taskid: 1, ...fields }), { command: update(1, edit) });
  });
}

for (
  const [tool, args, field] of [
    ["TaskCreate", { subject: "s" }, "owner"],
    ["TaskUpdate", { taskid: 1 }, "owner"],
    ["TaskClaim", {}, "owner"],
    ["TaskList", {}, "owner"],
  ] as const
) {
  Deno.test(`${tool} refuses an owner that no agent can be called`, () => {
    for (const owner of ["two words", "x".repeat(65), "日本"]) {
      assertEquals(
        read(tool, { ...args, [field]: owner }),
        `owner must be an agent name, 1 to 64 of A-Z a-z 0-9 _ . : @ / -: got "${owner}"`,
      );
    }
  });
}

for (
  const [tool, flag, command, args] of [
    ["TaskList", "ready", list({ ready: true }), {}],
    ["TaskList", "brief", list({ brief: true }), {}],
    ["TaskClaim", "exclusive", claim(null, { exclusive: true }), {}],
    ["TaskRelease", "force", release(1, { force: true }), { taskid: 1 }],
  ] as const
) {
  Deno.test(`${tool} reads ${flag} as true and "true", and refuses other words`, () => {
    assertEquals(read(tool, { ...args, [flag]: true }), { command });
    assertEquals(read(tool, { ...args, [flag]: " TRUE" }), { command });
    assertEquals(read(tool, { ...args, [flag]: "yes" }), `${flag} must be true or false: got "yes"`);
    assertEquals(read(tool, { ...args, [flag]: 1 }), `${flag} must be true or false: got 1`);
    for (const no of [false, "false", null]) {
      assertEquals(read(tool, { ...args, [flag]: no }), { command: { ...command, [flag]: false } });
    }
  });
}

Deno.test("TaskList reads its filters, and takes empty ones for none", () => {
  assertEquals(read("TaskList", { status: "done", owner: "w" }), {
    command: list({ status: "completed", owner: "w" }),
  });
  assertEquals(read("TaskList", { owner: "" }), { command: list() });
});

Deno.test("TaskRelease takes a blank reason for none, and refuses a long one", () => {
  assertEquals(read("TaskRelease", { taskid: 1, reason: "  " }), { command: release(1) });
  assertEquals(read("TaskRelease", { taskid: 1, reason: "🧵".repeat(128) }), {
    command: release(1, { reason: "🧵".repeat(128) }),
  });
  const long = "r".repeat(129);
  assertEquals(
    read("TaskRelease", { taskid: 1, reason: long }),
    `reason may have at most 128 characters: got "${long}"`,
  );
});

for (
  const [tool, json, message] of [
    ["TaskGet", '{"taskid":1,"id":2}', "taskid and id are the same field: got 1 and 2"],
    ["TaskGet", '{"task_id":"#1","id":"one"}', 'task_id and id are the same field: got "#1" and "one"'],
    ["TaskCreate", '{"title":"a","name":"b"}', 'title and name are the same field: got "a" and "b"'],
    [
      "TaskCreate",
      '{"title":"a","blockedBy":[1],"blocked_by":[2]}',
      "blockedBy and blocked_by are the same field: got [1] and [2]",
    ],
    [
      "TaskUpdate",
      '{"id":1,"activeForm":"a","active_form":""}',
      'activeForm and active_form are the same field: got "a" and ""',
    ],
  ] as const
) {
  Deno.test(`a field that is given twice is refused where the two differ: ${json}`, () => {
    assertEquals(readJson(tool, json), message);
  });
}

Deno.test("a field that is given twice is taken where the two mean the same", () => {
  assertEquals(
    read("TaskUpdate", { taskid: 7, id: "task 7", subject: "a", title: "a", task_id: null }),
    { command: update(7, { subject: "a" }) },
  );
});

function warningsOf(tool: ToolName, args: unknown): readonly string[] | string {
  const call = readCall(tool, args);
  return isRefusal(call) ? call.message : call.warnings;
}

const updated = { taskid: 1, status: "done" };
for (
  const [names, value, asks, args, doesNot] of [
    [["taskid", "taskId", "task_id", "id"], 1, "TaskGet", {}, "TaskList"],
    [["subject", "title", "name", "content"], "s", "TaskCreate", {}, "TaskList"],
    [["description"], "d", "TaskUpdate", updated, "TaskClaim"],
    [["status"], "done", "TaskUpdate", { taskid: 1, subject: "s" }, "TaskClaim"],
    [["if_status", "ifStatus"], "doing", "TaskUpdate", updated, "TaskList"],
    [["activeForm", "active_form"], "f", "TaskUpdate", updated, "TaskList"],
    [["owner"], "w", "TaskClaim", {}, "TaskGet"],
    [["metadata"], {}, "TaskUpdate", updated, "TaskList"],
    [["tasks"], [{ subject: "s" }], "TaskCreate", {}, "TaskList"],
    [
      ["blockedBy", "blocked_by", "addBlockedBy", "add_blocked_by"],
      2,
      "TaskCreate",
      { subject: "s" },
      "TaskList",
    ],
    [["addBlockedBy", "add_blocked_by", "addBlocks", "add_blocks"], 2, "TaskUpdate", updated, "TaskList"],
    [
      ["removeBlockedBy", "remove_blocked_by", "removeBlocks", "remove_blocks"],
      2,
      "TaskUpdate",
      updated,
      "TaskList",
    ],
    [["ready", "brief"], true, "TaskList", {}, "TaskGet"],
    [["exclusive"], true, "TaskClaim", {}, "TaskList"],
    [["force"], true, "TaskRelease", { taskid: 1 }, "TaskList"],
    [["reason"], "r", "TaskRelease", { taskid: 1 }, "TaskList"],
  ] as const
) {
  for (const name of names) {
    Deno.test(`${asks} takes ${name} without a word, ${doesNot} does not know it`, () => {
      const needed = doesNot === "TaskGet" ? { taskid: 1 } : {};
      assertEquals(warningsOf(asks, { ...args, [name]: value }), []);
      assertEquals(warningsOf(doesNot, { ...needed, [name]: value }), [`ignored unknown field "${name}"`]);
    });
  }
}

for (const name of ["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__"]) {
  Deno.test(`a field may be called ${name}: it is unknown, and does no harm`, () => {
    const warnings = [`ignored unknown field "${name}"`];
    assertEquals(readJson("TaskGet", `{"taskid":1,"${name}":{"taskid":2}}`), { command: get(1), warnings });
    assertEquals(readJson("TaskCreate", `{"tasks":[{"subject":"new","${name}":"x"}]}`), {
      command: createBatch({}),
      warnings: [`tasks[0]: ${warnings}`],
    });
    assertEquals(readJson("TaskGet", `{"${name}":1}`), `TaskGet needs a taskid: got {"${name}":1}`);
  });
}
