import { assertEquals, assertMatch } from "@std/assert";
import { decideRead } from "../../../src/log/decide_input.ts";
import { emptyStore } from "../../../src/tasks/store.ts";
import { structuredOf, TestPod, textOf } from "../../helpers/test_pod.ts";
import { storeOf } from "../../helpers/stores.ts";

Deno.test("a call is answered by a ToolResult with what it changed (§3)", () => {
  const pod = new TestPod();
  const args = { title: "write parser", priority: 1 };
  const task = { taskid: 1, status: "pending", subject: "write parser", description: "" };
  const summary = "Created task 1 (pending): write parser\n" +
    "TaskStore: 1 task(s) (pending: 1, inprogress: 0, completed: 0, deleted: 0)";
  assertEquals(pod.call("create_task", args, { call_id: "toolu_01" }), {
    v: 1,
    rules: 1,
    call_id: "toolu_01",
    tool: "TaskCreate",
    input_seq: 1,
    summary,
    result: {
      content: [{
        type: "text",
        text: `${summary}\n${JSON.stringify(task)}\nWarning: ignored unknown field "priority"`,
      }],
      structuredContent: { task },
      isError: false,
    },
    changes: [task],
    warnings: ['ignored unknown field "priority"'],
  });
});

Deno.test("a call that changes little has little in its changes, and null for what is no longer set", () => {
  const pod = new TestPod();
  pod.call("TaskCreate", { subject: "a", description: "long" });
  pod.call("TaskCreate", { subject: "b", blockedBy: [1], metadata: { k: 1, m: 2 } });
  const changes = [
    pod.call("TaskClaim", { taskid: 1 }, { agent: "w" }).changes,
    pod.call("TaskRelease", { taskid: 1 }, { agent: "w" }).changes,
    pod.call("TaskUpdate", { taskid: 2, metadata: { k: null } }).changes,
    pod.call("TaskUpdate", { taskid: 1, removeBlocks: [2], subject: "c" }).changes,
    pod.call("TaskUpdate", { taskid: 2, metadata: { m: null } }).changes,
  ];
  assertEquals(changes, [
    [{ taskid: 1, status: "inprogress", owner: "w" }],
    [{ taskid: 1, status: "pending", owner: null }],
    [{ taskid: 2, metadata: { m: 2 } }],
    [{ taskid: 1, subject: "c" }, { taskid: 2, blockedBy: null }],
    [{ taskid: 2, metadata: null }],
  ]);
});

Deno.test("a reading call, a refused one and one without effect have no changes", () => {
  const pod = new TestPod();
  pod.call("TaskCreate", { subject: "a" });
  const answers = [
    pod.call("TaskList"),
    pod.call("TaskGet", { taskid: 1 }),
    pod.call("TaskGet", { taskid: 2 }),
    pod.call("TaskUpdate", { taskid: 1, status: "pending" }),
  ];
  assertEquals(answers.map(({ changes, result }) => [changes, result.isError]), [
    [[], false],
    [[], false],
    [[], true],
    [[], false],
  ]);
});

Deno.test("a refused call is a normal answer, with the code and its values for programs (R7)", () => {
  const text = "Refused (task_not_found): there is no task 99: the store has no tasks yet\n" +
    'A correct call: TaskGet {"taskid":1}';
  assertEquals(new TestPod().call("TaskGet", { taskid: 99 }, { call_id: "c" }), {
    v: 1,
    rules: 1,
    call_id: "c",
    tool: "TaskGet",
    input_seq: 1,
    summary: text,
    result: {
      content: [{ type: "text", text }],
      structuredContent: {
        error: {
          code: "task_not_found",
          message: "there is no task 99: the store has no tasks yet",
          taskid: 99,
        },
      },
      isError: true,
    },
    changes: [],
    warnings: [],
  });
});

Deno.test("a call of no tool of ours is refused under the name that was called, with the tools listed", () => {
  const answer = new TestPod().call("TodoWrite", { todos: [] });
  const names = "TaskCreate, TaskList, TaskGet, TaskUpdate, TaskClaim, TaskComplete, TaskRelease";
  assertEquals([answer.tool, textOf(answer)], [
    "TodoWrite",
    `Refused (unknown_tool): there is no tool TodoWrite: the tools are ${names}`,
  ]);
});

Deno.test("a call of a name that is a tool's but for case and separators is refused, and told which was meant", () => {
  const messageOf = (tool: string): string => textOf(new TestPod().call(tool, {})).split(":")[1] ?? "";
  assertEquals(["taskcreate", "Task_List", "TASK-UPDATE", "Create_Task", "Tasks"].map(messageOf), [
    " there is no tool taskcreate (did you mean TaskCreate?)",
    " there is no tool Task_List (did you mean TaskList?)",
    " there is no tool TASK-UPDATE (did you mean TaskUpdate?)",
    " there is no tool Create_Task (did you mean TaskCreate?)",
    " there is no tool Tasks",
  ]);
});

Deno.test("a call with a good id and a bad agent is refused, and changes nothing", () => {
  const pod = new TestPod();
  const answer = pod.call("TaskCreate", { subject: "a" }, { agent: "a b" });
  const message = 'agent must be 1 to 64 of A-Z a-z 0-9 _ . : @ / -: got "a b"';
  assertEquals([structuredOf(answer), pod.store], [
    { error: { code: "invalid_arguments", message } },
    emptyStore(),
  ]);
});

Deno.test("a refusal shows what came, cut at 200 characters", () => {
  const answer = new TestPod().call("TaskUpdate", { taskid: 1, status: `<${"x".repeat(300)}` });
  assertEquals(
    textOf(answer),
    "Refused (invalid_arguments): status must be one of pending, inprogress, completed, deleted: got " +
      `"\\u003c${"x".repeat(199)}…"\nA correct call: TaskUpdate {"taskid":1,"status":"inprogress"}`,
  );
});

Deno.test("a call that cannot be read is rejected with its first 256 bytes (§2)", () => {
  const pod = new TestPod();
  const head = `\ufeff{}${"x".repeat(250)}`;
  const { detail, ...rest } = pod.publish("call.TaskList", `${head}é${"y".repeat(50)}`);
  assertEquals(rest, {
    v: 1,
    rules: 1,
    input_seq: 1,
    subject: "tasks.p.in.call.TaskList",
    reason: "not_json",
    head: `${head}\ufffd`,
  });
  assertMatch(`${detail}`, /^an input is JSON: Unexpected token/);
});

for (
  const [tool, args, code] of [
    ["TaskCreate", { subject: "b" }, "permission_denied"],
    ["task_update", { taskid: 1, status: "completed" }, "permission_denied"],
    ["TaskClaim", {}, "permission_denied"],
    ["TodoWrite", {}, "unknown_tool"],
    ["TaskGet", { taskid: 2 }, "task_not_found"],
    ["TaskGet", {}, "invalid_arguments"],
  ] as const
) {
  Deno.test(`decideRead() of ${tool} ${JSON.stringify(args)} is refused with ${code}`, () => {
    const { isError, structuredContent } = decideRead(storeOf({}), tool, args);
    const { code: said } = { code: "", ...(structuredContent.error ?? {}) };
    assertEquals([isError, said], [true, code]);
  });
}

Deno.test("decideRead() answers TaskList and TaskGet as a call does, under every name", () => {
  const pod = new TestPod();
  pod.call("TaskCreate", { subject: "a", description: "d" });
  for (
    const [tool, args] of [["TaskList", "{}"], ["list_tasks", { brief: true }], ["get_task", {
      id: "1",
    }]] as const
  ) {
    assertEquals(decideRead(pod.store, tool, args), pod.call(tool, args).result);
  }
});
