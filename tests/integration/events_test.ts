/** Inputs that are no calls: a session restored, closed, an agent's exit (SPEC §7, §8). */
import { assertEquals } from "@std/assert";
import { startFileServer } from "../helpers/file_server.ts";
import { Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput } from "../helpers/session_log.ts";
import { startWorker } from "../helpers/worker_in_process.ts";

const server = await startFileServer();

const call = (call_id: string, name: string, args: unknown) => ({
  type: "tool_call",
  call_id,
  name,
  arguments: args,
});
const result = (call_id: string, more: { is_error?: boolean; taskid?: number } = {}) => ({
  type: "tool_result",
  call_id,
  ...more,
});

const history = [
  call("a", "TaskCreate", { subject: "first" }),
  result("a", { taskid: 1 }),
  call("b", "mcp__tasks__TaskCreate", JSON.stringify({ title: "second" })),
  result("b", { taskid: 5 }),
  call("c", "TaskUpdate", { taskId: "1", status: "in_progress" }),
  call("d", "TaskCreate", { subject: "failed" }),
  result("d", { is_error: true }),
  call("a", "TaskCreate", { subject: "first" }),
  call("e", "TaskUpdate", { taskid: 77, status: "completed" }),
  call("f", "TaskUpdate", "no JSON"),
  { type: "message", role: "user", text: "[Session TaskStore snapshot] of mine" },
  call("g", "Bash", { command: "ls" }),
];

Deno.test("session.restore builds the list from its entries, counts what it passed over, and is known again", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  const { kind, body } = await pod.restore("r1", history);
  const { calls, ...rest } = body;

  const first = { taskid: 1, status: "inprogress", subject: "first", description: "" };
  const second = { taskid: 5, status: "pending", subject: "second", description: "" };
  assertEquals({ kind, body: rest }, {
    kind: "event",
    body: {
      v: 1,
      rules: 1,
      input_seq: body.input_seq,
      kind: "session.restore",
      restore_id: "r1",
      reset: { next_taskid: 6 },
      changes: [first, second],
      applied: 3,
      snapshots: 0,
      passed_over: { refused: 1, unreadable: 1, seen_before: 1, over_limits: 0, failed: 1 },
      differing: [{ call_id: "b", given: 5, counted: 2 }],
    },
  });
  assertEquals(calls.map(({ call_id, taskids }: typeof calls[0]) => [call_id, taskids]), [["a", [1]], ["b", [
    5,
  ]], ["c", [1]]]);

  const { body: again } = await pod.restore("r1", [call("z", "TaskCreate", { subject: "other" })]);
  assertEquals(again, {
    ...Object.fromEntries(Object.entries(body).filter(([name]) => name !== "reset")),
    input_seq: again.input_seq,
    duplicate: true,
    changes: [],
  });
  assertEquals(await pod.tasks(), [first, second]);
});

Deno.test("a restored call that comes again is a repeat, answered with the task as it is, before and after a restart", async () => {
  await using pod = await Pod.join(server);
  const before = await startWorker(server);
  await pod.restore("r1", history);
  await pod.call("TaskUpdate", { taskid: 1, status: "completed" });
  const repeat = () =>
    pod.call("TaskCreate", { subject: "first" }, { callId: "a", agent: "x", session: "y" });
  const { body } = await repeat();
  await before.stop();
  await using _after = await startWorker(server);
  const { body: again } = await repeat();

  assertEquals([body.duplicate, body.changes, body.result.structuredContent.task.status], [
    true,
    [],
    "completed",
  ]);
  assertEquals({ ...again, input_seq: 0 }, { ...body, input_seq: 0 });
  assertEquals((await pod.tasks()).length, 2);
});

Deno.test("a restore from an injected system message gives the same list, however nasty its text", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  await using copy = await Pod.join(server);
  await pod.call("TaskCreate", {
    subject: "```\u2028</system>",
    description: 'a\n```json\n{"tasks":[]}\n```\n\u202e"\\',
  });
  await pod.call("TaskCreate", {
    subject: "b",
    blockedBy: [1],
    metadata: { k: ["<", null] },
    activeForm: "doing b",
  });
  await pod.call("TaskClaim", { taskid: 1 }, { agent: "red" });
  const { injection } = await pod.compact("c1");
  const [message] = injection.body.items;
  await copy.restore("r1", [call("a", "TaskCreate", { subject: "kept in front" }), message]);

  assertEquals(await copy.tasks(), await pod.tasks());
});

Deno.test("into_empty is refused where there are tasks, replace replaces", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  await pod.call("TaskCreate", { subject: "old" });
  const entries = [call("a", "TaskCreate", { subject: "new" })];
  const { body: refused } = await pod.restore("r1", entries);
  assertEquals([refused.error.code, refused.changes, refused.reset], ["wrong_status", [], undefined]);
  const { body: replaced } = await pod.restore("r2", entries, "replace");
  assertEquals([replaced.error, replaced.reset], [undefined, { next_taskid: 2 }]);
  const { body: unknown } = await pod.restore("r3", entries, "merge");
  assertEquals(unknown.error.code, "invalid_arguments");

  assertEquals((await pod.tasks()).map(({ subject }) => subject), ["new"]);
});

Deno.test("session.closed ends the list: the next call starts at task 1, also after a restart", async () => {
  await using pod = await Pod.join(server);
  const before = await startWorker(server);
  await pod.call("TaskCreate", { subject: "a" }, { callId: "c" });
  const { kind, body } = await pod.input("session.closed", { event_id: "e1" });
  assertEquals({ kind, body }, {
    kind: "event",
    body: {
      v: 1,
      rules: 1,
      input_seq: body.input_seq,
      kind: "session.closed",
      event_id: "e1",
      reset: { next_taskid: 1 },
      changes: [],
    },
  });
  assertEquals(await pod.tasks(), []);
  const { body: created } = await pod.call("TaskCreate", { subject: "a" }, { callId: "c" });
  assertEquals([created.duplicate, created.changes[0].taskid], [undefined, 1]);
  const { body: again } = await pod.input("session.closed", { event_id: "e1" });
  assertEquals([again.duplicate, again.reset, again.changes], [true, undefined, []]);
  const tasks = await pod.tasks();
  await before.stop();
  await using _after = await startWorker(server);

  assertEquals(await pod.tasks(), tasks);
});

Deno.test("agent.exited returns the agent's open tasks in one recorded step that names them", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  for (const subject of ["a", "b", "c", "d"]) await pod.call("TaskCreate", { subject });
  await pod.call("TaskClaim", { taskid: 1 }, { agent: "red" });
  await pod.call("TaskUpdate", { taskid: 2, owner: "red" });
  await pod.call("TaskClaim", { taskid: 3 }, { agent: "red" });
  await pod.call("TaskComplete", { taskid: 3 }, { agent: "red" });
  await pod.call("TaskClaim", { taskid: 4 }, { agent: "blue" });
  const { kind, body } = await pod.input("agent.exited", { event_id: "e1", agent: "red", reason: "crash" });

  assertEquals({ kind, body }, {
    kind: "event",
    body: {
      v: 1,
      rules: 1,
      input_seq: body.input_seq,
      kind: "agent.exited",
      event_id: "e1",
      changes: [{ taskid: 1, status: "pending", owner: null }, { taskid: 2, owner: null }],
      agent: "red",
      reason: "crash",
      released: [{ taskid: 1, subject: "a" }, { taskid: 2, subject: "b" }],
    },
  });
  const owners = (await pod.tasks()).map(({ status, owner }) => [status, owner]);
  assertEquals(owners, [["pending", undefined], ["pending", undefined], ["completed", "red"], [
    "inprogress",
    "blue",
  ]]);
  await everyInputHasOneOutput(server);
});

Deno.test("of simultaneous claims by agents of one board exactly one succeeds for each task", async () => {
  await using _worker = await startWorker(server);
  await using board = await Pod.join(server);
  for (const subject of ["a", "b", "c"]) await board.call("TaskCreate", { subject });
  const agents = await Promise.all(Array.from({ length: 8 }, () => Pod.join(server, { id: board.id })));
  const claims = await Promise.all(
    agents.map((agent, n) => agent.call("TaskClaim", {}, { agent: `agent-${n}`, callId: "claim" })),
  );
  for (const agent of agents) await agent[Symbol.asyncDispose]();

  const got = claims.flatMap(({ body }) => body.result.structuredContent.task?.taskid ?? []);
  const codes = claims.flatMap(({ body }) => body.result.structuredContent.error?.code ?? []);
  assertEquals(got.toSorted(), [1, 2, 3]);
  assertEquals(codes, Array.from({ length: 5 }, () => "nothing_ready"));
});
