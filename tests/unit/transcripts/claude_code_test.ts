import { assertEquals } from "@std/assert";
import { restore, type Restored } from "../../../src/log/restore.ts";
import { isRefusal } from "../../../src/tasks/refusal.ts";
import { emptyStore } from "../../../src/tasks/store.ts";
import { ClaudeCodeReader, isTranscriptLine } from "../../../src/transcripts/claude_code.ts";
import type { Entry } from "../../../src/transcripts/entry.ts";

type Line = { readonly [name: string]: unknown };

let lines = 0;

/** A line of an assistant that calls a tool. */
function use(id: string, name: string, input: unknown, more: Line = {}): Line {
  const content = [{ type: "text", text: "Let me see." }, { type: "tool_use", id, name, input }];
  return { type: "assistant", uuid: `u${++lines}`, message: { role: "assistant", content }, ...more };
}

/** The line of a user that carries a tool's result. */
function result(id: string, content: unknown, more: Line = {}, block: Line = {}): Line {
  const blocks = [{ type: "tool_result", tool_use_id: id, content, ...block }];
  return { type: "user", uuid: `u${++lines}`, message: { role: "user", content: blocks }, ...more };
}

function read(...transcript: readonly Line[]): readonly Entry[] {
  const reader = new ClaudeCodeReader();
  return transcript.flatMap((line) => reader.read(line));
}

function restored(...transcript: readonly Line[]): Restored {
  const outcome = restore(emptyStore(), { entries: read(...transcript), mode: "replace" }, 0);
  if (isRefusal(outcome)) throw new Error(outcome.message);
  return outcome;
}

/** Each task of the list as `taskid status subject`. */
function listOf(...transcript: readonly Line[]): readonly string[] {
  return restored(...transcript).store.tasks.map(({ taskid, status, subject }) =>
    `${taskid} ${status} ${subject}`
  );
}

const created = (id: string, taskid: number, subject: string): readonly Line[] => [
  use(id, "TaskCreate", { subject, description: "", activeForm: `Doing ${subject}` }),
  result(id, `Task #${taskid} created successfully: ${subject}`),
];

Deno.test("calls and results become entries, in the order of the file", () => {
  assertEquals(
    read(
      ...created("a", 1, "parse"),
      use("b", "TaskUpdate", { taskId: "1", status: "in_progress" }),
      result("b", "Updated task #1 status", { toolUseResult: { success: true, taskId: "1" } }),
    ),
    [
      {
        type: "tool_call",
        call_id: "a",
        name: "TaskCreate",
        arguments: { subject: "parse", description: "", activeForm: "Doing parse" },
      },
      { type: "tool_result", call_id: "a", is_error: false, taskid: 1 },
      {
        type: "tool_call",
        call_id: "b",
        name: "TaskUpdate",
        arguments: { taskId: "1", status: "in_progress" },
      },
      { type: "tool_result", call_id: "b", is_error: false, taskid: 1 },
    ],
  );
});

Deno.test("a list is what its calls made of it", () => {
  assertEquals(
    listOf(
      ...created("a", 1, "parse"),
      ...created("b", 2, "test"),
      use("c", "TaskUpdate", { taskId: "1", status: "completed" }),
      use("d", "TaskUpdate", { taskId: "2", status: "deleted" }),
      result("d", "Updated task #2 deleted"),
      result("c", "Updated task #1 status"),
    ),
    ["1 completed parse", "2 deleted test"],
  );
});

Deno.test("other tools are ignored, TodoWrite and Task among them, also where ids recur", () => {
  assertEquals(
    read(
      use("a", "Bash", { command: "ls" }),
      result("a", "Task #9 created successfully: no"),
      use("a", "TodoWrite", { todos: [{ content: "x", status: "pending" }] }),
      result("a", "Todos have been modified"),
      use("b", "Task", { prompt: "do it" }),
      use("c", "mcp__other__Search", {}),
      { type: "user", uuid: "x", message: { role: "user", content: "TaskCreate" } },
    ),
    [],
  );
  const recurring = read(
    use("call_0", "Bash", {}),
    use("call_0", "TaskCreate", { subject: "parse" }),
    result("call_0", "Task #5 created successfully: of Bash"),
    result("call_0", "Task #1 created successfully: parse"),
  );
  assertEquals(recurring.at(-1), { type: "tool_result", call_id: "call_0", is_error: false, taskid: 1 });
  assertEquals(recurring.length, 2);
});

Deno.test("tools behind an MCP server count, by any of their names", () => {
  const names = read(
    use("a", "mcp__tasuki__TaskCreate", { subject: "x" }),
    use("b", "mcp__my_board__create_task", { subject: "y" }),
    use("c", "task_update", { task_id: 1, status: "done" }),
  );
  assertEquals(names.length, 3);
});

Deno.test("a failed call is passed over, however its result says so", () => {
  const update = (id: string) => use(id, "TaskUpdate", { taskId: "1", status: "completed" });
  assertEquals(
    listOf(
      ...created("a", 1, "parse"),
      update("b"),
      result("b", "<tool_use_error>no</tool_use_error>", { toolUseResult: "Error: no" }, { is_error: true }),
      update("c"),
      result("c", "Task not found", { toolUseResult: { success: false, error: "Task not found" } }),
    ),
    ["1 pending parse"],
  );
});

Deno.test("a call without a result counts, a result without a call does not", () => {
  assertEquals(
    listOf(result("gone", "Task #4 created successfully: x"), use("a", "TaskCreate", { subject: "parse" })),
    ["1 pending parse"],
  );
});

Deno.test("the id that a result gives wins, in whatever form it is given", () => {
  const create = (id: string) => use(id, "TaskCreate", { subject: id });
  const { store, differing } = restored(
    create("a"),
    result("a", [{ type: "text", text: "Task #3 created successfully: a" }]),
    create("b"),
    result("b", "ok", { toolUseResult: { task: { id: "5", subject: "b" } } }),
    create("c"),
    result("c", '{"task":{"id":"7"}}'),
    create("d"),
    result("d", 'Created task 9 (pending): d\nTaskStore: …\n{"taskid":9}'),
    create("e"),
    result("e", "done"),
  );
  assertEquals(store.tasks.map(({ taskid }) => taskid), [3, 5, 7, 9, 10]);
  assertEquals(differing.map(({ given, counted }) => [given, counted]), [[3, 1], [5, 4], [7, 6], [9, 8]]);
});

Deno.test("a line's result for programs belongs to its only block", () => {
  const blocks = ["a", "b"].map((id) => ({ type: "tool_result", tool_use_id: id, content: "ok" }));
  const results = read(
    use("a", "TaskCreate", { subject: "x" }),
    use("b", "TaskCreate", { subject: "y" }),
    {
      type: "user",
      uuid: "two",
      message: { role: "user", content: blocks },
      toolUseResult: { task: { id: "8" } },
    },
  ).slice(2);
  assertEquals(results, [
    { type: "tool_result", call_id: "a", is_error: false },
    { type: "tool_result", call_id: "b", is_error: false },
  ]);
});

Deno.test("sub-agents work on the session's list, each under its own name", () => {
  const side = { isSidechain: true, agentId: "a1b2c3d" };
  const entries = read(
    ...created("a", 1, "parse"),
    use("s", "TaskUpdate", { taskId: "1", status: "completed" }, side),
    result("s", "Updated task #1 status", side),
  );
  assertEquals(entries[2], {
    type: "tool_call",
    call_id: "s",
    name: "TaskUpdate",
    arguments: { taskId: "1", status: "completed" },
    agent: "a1b2c3d",
  });
  assertEquals(
    restore(emptyStore(), { entries, mode: "replace" }, 0),
    restored(...created("a", 1, "parse"), use("s", "TaskUpdate", { taskId: "1", status: "completed" })),
  );
});

Deno.test("a sub-agent's lines are read out of progress lines, and only once", () => {
  const inner = use("s", "TaskCreate", { subject: "inner" });
  const progress = {
    type: "progress",
    uuid: "p1",
    data: { type: "agent_progress", agentId: "ag", message: inner },
  };
  const reader = new ClaudeCodeReader();
  assertEquals(reader.read(progress).map((entry) => entry.type === "tool_call" && entry.agent), ["ag"]);
  assertEquals(reader.read({ ...inner, isSidechain: true, agentId: "ag" }), []);
  assertEquals(reader.repeatedLines, 1);
  assertEquals(
    reader.read({ type: "progress", uuid: "p2", data: { type: "bash_progress", output: "" } }),
    [],
  );
});

Deno.test("a compaction leaves the list as it is, and what is repeated behind it has no effect", () => {
  const before = [...created("a", 1, "parse"), use("b", "TaskUpdate", { taskId: "1", status: "completed" })];
  const boundary = {
    type: "system",
    subtype: "compact_boundary",
    content: "Conversation compacted",
    uuid: "k",
  };
  const summary = {
    type: "user",
    uuid: "s",
    isCompactSummary: true,
    message: { role: "user", content: "…" },
  };
  const reopened = use("c", "TaskUpdate", { taskId: "1", status: "pending" });
  const again = [...before, reopened, boundary, summary, ...before, ...created("d", 2, "test")];
  assertEquals(listOf(...again), ["1 pending parse", "2 pending test"]);
});

Deno.test("a resume under new uuids applies no call twice", () => {
  const before = [...created("a", 1, "parse"), use("b", "TaskUpdate", { taskId: "1", status: "completed" })];
  const copied = before.map((line) => ({ ...line, uuid: `copy of ${line.uuid}`, sessionId: "new" }));
  const outcome = restored(...before, use("c", "TaskUpdate", { taskId: "1", status: "pending" }), ...copied);
  assertEquals(outcome.store.tasks.map(({ taskid, status }) => [taskid, status]), [[1, "pending"]]);
  assertEquals(outcome.passedOver.seen_before, 2);
});

Deno.test("a snapshot in a system line is a snapshot, in any other line plain text", () => {
  const text =
    '[Session TaskStore snapshot]\n```json\n{"tasks":[{"taskid":4,"status":"pending","subject":"kept"}]}\n```';
  assertEquals(listOf(...created("a", 1, "x"), { type: "system", uuid: "y", content: text }), [
    "4 pending kept",
  ]);
  const asUser = { type: "user", uuid: "z", message: { role: "user", content: text } };
  assertEquals(listOf(...created("a", 1, "x"), asUser), ["1 pending x"]);
});

Deno.test("lines of any other form are passed over", () => {
  const odd: readonly Line[] = [
    {},
    { type: "summary", summary: "TaskCreate", leafUuid: "l" },
    { type: "assistant", uuid: "1" },
    { type: "assistant", uuid: "2", message: "TaskCreate" },
    { type: "assistant", uuid: "3", message: { content: [null, 1, "x", { type: "tool_use" }] } },
    { type: "assistant", uuid: "4", message: { content: [{ type: "tool_use", id: 1, name: "TaskCreate" }] } },
    { type: "user", uuid: "5", message: { content: [{ type: "tool_result" }] } },
    { type: "progress", uuid: "6", data: { type: "agent_progress", message: null } },
  ];
  assertEquals(read(...odd), []);
});

Deno.test("isTranscriptLine() knows the lines of a transcript by their fields", () => {
  const yes: readonly Line[] = [
    { type: "user", message: {} },
    { type: "summary", leafUuid: "x" },
    { type: "file-history-snapshot", messageId: "x" },
    { type: "queue-operation", sessionId: "x" },
  ];
  const no: readonly Line[] = [{}, { type: 1, uuid: "x" }, { type: "tool_call", call_id: "x" }, {
    uuid: "x",
  }];
  assertEquals(yes.map(isTranscriptLine), yes.map(() => true));
  assertEquals(no.map(isTranscriptLine), no.map(() => false));
});
