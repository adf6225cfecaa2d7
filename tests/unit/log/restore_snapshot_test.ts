import { assertEquals } from "@std/assert";
import { readSnapshotText } from "../../../src/log/snapshot_block.ts";
import { emptyStore } from "../../../src/tasks/store.ts";
import { viewsOf } from "../../helpers/stores.ts";
import { restored, systemMessage, toolCall, toolResult } from "../../helpers/restoring.ts";

const marker = "[Session TaskStore snapshot]";

/** A system message with these tasks, written by somebody else. */
function snapshot(list: unknown, text = JSON.stringify(list)) {
  return systemMessage(`${marker}\n\n\`\`\`json\n${text}\n\`\`\``);
}

const made = { taskid: 2, status: "pending", subject: "b" };

Deno.test("a snapshot replaces the store, so that calls kept in front of it are not applied twice (R23)", () => {
  const entries = [
    toolCall("c1", { subject: "a" }),
    toolCall("c2", { subject: "b" }),
    toolResult("c2", { taskid: 2 }),
  ];
  const list = {
    tasks: [{ taskid: 1, status: "completed", subject: "a" }, { taskid: 2, status: "pending", subject: "b" }],
  };
  assertEquals(restored([...entries, snapshot(list), ...entries, toolCall("c3", { subject: "c" })]), {
    tasks: ["1 completed a", "2 pending b", "3 pending c"],
    next: 4,
    applied: 3,
    seen_before: 2,
    snapshots: 1,
  });
});

Deno.test("the last snapshot wins", () => {
  assertEquals(
    restored([
      snapshot({ tasks: [made, { ...made, taskid: 5 }] }),
      snapshot({ tasks: [{ ...made, status: "deleted" }] }),
    ]),
    { tasks: ["2 deleted b"], next: 3, applied: 0, snapshots: 2 },
  );
});

for (
  const [about, entry] of [
    ["of a user", { type: "message", role: "user", text: snapshot({ tasks: [] }).text }],
    ["of an assistant", { type: "message", role: "assistant", text: snapshot({ tasks: [] }).text }],
    ["that does not start with the marker", systemMessage(` ${snapshot({ tasks: [] }).text}`)],
    ["without a text", { type: "message", role: "system", text: [marker] }],
  ] as const
) {
  Deno.test(`a message ${about} is no snapshot`, () => {
    assertEquals(restored([toolCall("c", { subject: "a" }), entry]), {
      tasks: ["1 pending a"],
      next: 2,
      applied: 1,
    });
  });
}

for (
  const [about, text, tasks, next] of [
    [
      "fields of other products",
      JSON.stringify({ tasks: [{ id: "2", title: "b", status: "in_progress" }] }),
      ["2 inprogress b"],
      3,
    ],
    ["an owner", JSON.stringify({ tasks: [{ ...made, owner: " w " }] }), ["2 pending b of w"], 3],
    ["tasks in any order", JSON.stringify({ tasks: [{ ...made, taskid: 9 }, made] }), [
      "2 pending b",
      "9 pending b",
    ], 10],
    [
      "a next_taskid above the highest",
      JSON.stringify({ tasks: [made], next_taskid: 7 }),
      ["2 pending b"],
      7,
    ],
    ["a next_taskid below it", JSON.stringify({ tasks: [made], next_taskid: 1 }), ["2 pending b"], 3],
    ["no tasks", JSON.stringify({ tasks: [] }), [], 1],
    ["comments and trailing commas", '{"tasks":[ // all\n]}', [], 1],
    [
      "edges in every form, once each",
      JSON.stringify({ tasks: [made, { ...made, taskid: 3, blockedBy: "2, #2, 9" }] }),
      ["2 pending b", "3 pending b waits for 2, 9"],
      4,
    ],
    [
      "derived fields, which are derived again",
      JSON.stringify({ tasks: [{ ...made, blocks: [7], openBlockers: [8], missing: [9], costBytes: 1 }] }),
      ["2 pending b"],
      3,
    ],
    ["what is null", JSON.stringify({ tasks: [{ ...made, owner: null, blockedBy: null, metadata: null }] }), [
      "2 pending b",
    ], 3],
  ] as const
) {
  Deno.test(`a snapshot may have ${about}`, () => {
    assertEquals(restored([snapshot({}, text)]), { tasks, next, applied: 0, snapshots: 1 });
  });
}

for (
  const [about, text] of [
    [
      "other words before the block",
      `${marker}\nTaskStore: 1 task(s)\n\n\`\`\`json\n{"tasks":[]}\n\`\`\`\nmore`,
    ],
    ["other white space", `${marker} \t\r\n \`\`\` json \r\n\t{ "tasks" : [ ] }\r\n\`\`\``],
    ["everything on one line", `${marker}\`\`\`json {"tasks":[]}\`\`\``],
    ["a second block", `${marker}\n\`\`\`json\n{"tasks":[]}\n\`\`\`\n\`\`\`json\n{"tasks":[{}]}\n\`\`\``],
    [
      "a block of another kind first",
      `${marker}\n\`\`\`text\nhello\n\`\`\`\n\`\`\`json\n{"tasks":[]}\n\`\`\``,
    ],
  ]
) {
  Deno.test(`a snapshot's block may have ${about}`, () => {
    assertEquals(restored([toolCall("c", { subject: "a" }), systemMessage(`${text}`)]), {
      tasks: [],
      next: 1,
      applied: 1,
      snapshots: 1,
    });
  });
}

const long = "x".repeat(501);
for (
  const [about, list] of [
    ["no block", undefined],
    ["broken JSON", '{"tasks":['],
    ["no list of tasks", { tasks: {} }],
    ["a task that is none", { tasks: [7] }],
    ["a task without a taskid", { tasks: [{ status: "pending", subject: "b" }] }],
    ["a task without a status", { tasks: [{ taskid: 2, subject: "b" }] }],
    ["a task without a subject", { tasks: [{ taskid: 2, status: "pending" }] }],
    ["a blank subject", { tasks: [{ ...made, subject: "\u200b" }] }],
    ["a subject that is too long", { tasks: [{ ...made, subject: long }] }],
    ["an active form that is too long", { tasks: [{ ...made, activeForm: long }] }],
    ["an owner that no agent can be called", { tasks: [{ ...made, owner: "a b" }] }],
    ["an unknown status", { tasks: [{ ...made, status: "lost" }] }],
    ["two tasks of one id", { tasks: [made, made] }],
    ["a taskid that no store may reach", { tasks: [{ ...made, taskid: 1e15 }] }],
    ["a next_taskid that is none", { tasks: [], next_taskid: 1.5 }],
    ["a next_taskid that no store may reach", { tasks: [], next_taskid: 1e15 }],
    ["a blocker that is no id", { tasks: [{ ...made, blockedBy: ["b"] }] }],
    ["65 blockers", { tasks: [{ ...made, blockedBy: Array.from({ length: 65 }, (_, index) => index + 3) }] }],
    ["tasks that wait for each other", {
      tasks: [{ ...made, blockedBy: [3] }, { ...made, taskid: 3, blockedBy: [2] }],
    }],
    ["a task that waits for itself", { tasks: [{ ...made, blockedBy: [2] }] }],
    ["metadata that is too large", { tasks: [{ ...made, metadata: { k: "x".repeat(4_089) } }] }],
    [
      "metadata that is nested too deep",
      `{"tasks":[{"taskid":2,"status":"todo","subject":"b","metadata":{"k":${"[".repeat(63)}${
        "]".repeat(63)
      }}}]}`,
    ],
  ] as const
) {
  Deno.test(`a snapshot is passed over whole where it has ${about}`, () => {
    const text = typeof list === "string" ? list : JSON.stringify(list);
    const entry = list === undefined ? systemMessage(`${marker}\nno list`) : snapshot({}, text);
    assertEquals(restored([toolCall("c", { subject: "a" }), entry]), {
      tasks: ["1 pending a"],
      next: 2,
      applied: 1,
      unreadable: 1,
    });
  });
}

Deno.test("a snapshot that is over a store's limits is passed over and counted as such", () => {
  const dear = Array.from(
    { length: 20 },
    (_, index) => ({ ...made, taskid: index + 1, description: "x".repeat(16_000) }),
  );
  const many = Array.from({ length: 2_001 }, (_, index) => ({ ...made, taskid: index + 1 }));
  assertEquals(restored([snapshot({ tasks: dear }), snapshot({ tasks: many })]), {
    tasks: [],
    next: 1,
    applied: 0,
    over_limits: 2,
  });
});

Deno.test("readSnapshotText() keeps dangling edges, and drops metadata that is empty", () => {
  const list = {
    tasks: [{
      ...made,
      blockedBy: [9],
      metadata: { gone: null },
      activeForm: " b-ing ",
      description: "\ud800",
    }],
  };
  const store = readSnapshotText(snapshot(list).text, 5_000);
  assertEquals([viewsOf(store ?? emptyStore()), store?.tasks[0]?.createdMs], [
    [{
      taskid: 2,
      status: "pending",
      subject: "b",
      description: "\ufffd",
      activeForm: "b-ing",
      blockedBy: [9],
      openBlockers: [9],
      missing: [9],
    }],
    5_000,
  ]);
});
