import { assertEquals } from "@std/assert";
import { viewsOf } from "../../helpers/stores.ts";
import { structuredOf, TestPod, textOf, type ToolResult } from "../../helpers/test_pod.ts";

/** The answer as its repeat gives it: with another `input_seq`, marked, and without the changes. */
function asRepeat(first: ToolResult, inputSeq: number): ToolResult {
  return { ...first, input_seq: inputSeq, duplicate: true, changes: [] };
}

const reused = "this call_id was used before with other content: it was taken as a new call";

Deno.test("a repeat changes nothing and gets the first answer again, whatever came since (R6)", () => {
  const pod = new TestPod();
  pod.call("TaskCreate", { subject: "a" });
  const first = pod.call("TaskUpdate", { taskid: 1, status: "inprogress", foo: 1 }, { call_id: "u" });
  pod.call("TaskUpdate", { taskid: 1, status: "completed" });
  const repeat = pod.call("TaskUpdate", { taskid: 1, status: "inprogress", foo: 1 }, { call_id: "u" });
  assertEquals(repeat, asRepeat(first, 7));
  assertEquals(pod.store.counts, { pending: 0, inprogress: 0, completed: 1, deleted: 0 });
});

Deno.test("a repeat may write its arguments in another order, as text, and name its tool by another name", () => {
  const pod = new TestPod();
  const first = pod.call("TaskCreate", { subject: "a", description: "b" }, { call_id: "c" });
  assertEquals(
    pod.call("TaskCreate", '{"description":"b","subject":"a",}', { call_id: "c" }),
    asRepeat(first, 3),
  );
  assertEquals(
    pod.call("create_task", { subject: "a", description: "b" }, { call_id: "c" }),
    asRepeat(first, 5),
  );
});

Deno.test("a repeat is known after a restart", () => {
  const pod = new TestPod();
  const first = pod.call("TaskCreate", { tasks: [{ subject: "a" }, { subject: "b" }] }, { call_id: "c" });
  pod.restart();
  assertEquals(
    pod.call("TaskCreate", { tasks: [{ subject: "a" }, { subject: "b" }] }, { call_id: "c" }),
    asRepeat(first, 3),
  );
  assertEquals(pod.store.nextTaskid, 3);
});

for (
  const [about, args, fields] of [
    ["arguments", { subject: "b" }, {}],
    ["agent", { subject: "a" }, { agent: "v" }],
    ["session", { subject: "a" }, { session: "t" }],
    ["arguments, by one that means nothing", { subject: "a", foo: null }, {}],
  ] as const
) {
  Deno.test(`the same call_id with another ${about} is a new call, and a warning says so`, () => {
    const pod = new TestPod();
    pod.call("TaskCreate", { subject: "a" }, { call_id: "c", agent: "w", session: "s" });
    const second = pod.call("TaskCreate", args, { call_id: "c", agent: "w", session: "s", ...fields });
    assertEquals([second.duplicate, second.warnings.includes(reused), pod.store.nextTaskid], [
      undefined,
      true,
      3,
    ]);
  });
}

Deno.test("the same call_id for another tool is a new call, with the warning in the text, too", () => {
  const pod = new TestPod();
  pod.call("TaskCreate", { subject: "a" }, { call_id: "c" });
  const second = pod.call("TaskUpdate", { taskid: 1, status: "done" }, { call_id: "c" });
  assertEquals([second.warnings, textOf(second).split("\n").at(-1)], [[reused], `Warning: ${reused}`]);
});

Deno.test("a refused call is not remembered: the same again is decided anew", () => {
  const pod = new TestPod();
  const refused = pod.call("TaskUpdate", { taskid: 1, subject: "b" }, { call_id: "c" });
  pod.call("TaskCreate", { subject: "a" });
  const again = pod.call("TaskUpdate", { taskid: 1, subject: "b" }, { call_id: "c" });
  assertEquals([refused.result.isError, again.result.isError, again.duplicate, again.warnings], [
    true,
    false,
    undefined,
    [],
  ]);
});

Deno.test("a call that changed nothing is not remembered", () => {
  const pod = new TestPod();
  pod.call("TaskCreate", { subject: "a" });
  pod.call("TaskUpdate", { taskid: 1, status: "pending" }, { call_id: "c" });
  pod.call("TaskUpdate", { taskid: 1, status: "inprogress" });
  const again = pod.call("TaskUpdate", { taskid: 1, status: "pending" }, { call_id: "c" });
  assertEquals([again.duplicate, again.changes], [undefined, [{ taskid: 1, status: "pending" }]]);
});

Deno.test("a reading call is never a repeat", () => {
  const pod = new TestPod();
  pod.call("TaskList", {}, { call_id: "c" });
  pod.call("TaskCreate", { subject: "a" });
  const again = pod.call("TaskList", {}, { call_id: "c" });
  assertEquals([again.duplicate, again.warnings, structuredOf(again).counts], [
    undefined,
    [],
    { pending: 1, inprogress: 0, completed: 0, deleted: 0 },
  ]);
});

for (
  const [about, then, duplicate, taskid] of [
    ["the caller's and inprogress", [], true, 1],
    [
      "the caller's and pending again",
      [["TaskUpdate", { taskid: 1, status: "pending", owner: "w" }]],
      true,
      1,
    ],
    ["completed", [["TaskComplete", { taskid: 1 }]], undefined, 2],
    [
      "released",
      [["TaskRelease", { taskid: 1 }], ["TaskUpdate", { taskid: 1, status: "deleted" }]],
      undefined,
      2,
    ],
    ["another's", [["TaskUpdate", { taskid: 1, owner: "v" }]], undefined, 2],
  ] as const
) {
  Deno.test(`a claim without taskid is ${duplicate ? "a" : "no"} repeat while its task is ${about}`, () => {
    const pod = new TestPod();
    pod.call("TaskCreate", { tasks: [{ subject: "a" }, { subject: "b" }] });
    pod.call("TaskClaim", {}, { call_id: "c", agent: "w" });
    for (const [tool, args] of then) pod.call(tool, args, { agent: "w" });
    const again = pod.call("TaskClaim", {}, { call_id: "c", agent: "w" });
    const { task } = structuredOf(again);
    assertEquals([again.duplicate, { ...(task ?? {}) }, again.warnings], [
      duplicate,
      { taskid, status: "inprogress", subject: taskid === 1 ? "a" : "b", description: "", owner: "w" },
      [],
    ]);
  });
}

Deno.test("a claim with a taskid is a repeat whatever became of its task", () => {
  const pod = new TestPod();
  pod.call("TaskCreate", { subject: "a" });
  const first = pod.call("TaskClaim", { taskid: 1 }, { call_id: "c", agent: "w" });
  pod.call("TaskRelease", { taskid: 1 }, { agent: "w" });
  assertEquals(pod.call("TaskClaim", { taskid: 1 }, { call_id: "c", agent: "w" }), asRepeat(first, 7));
});

for (const [about, between, isRepeat] of [["1,023", 1_023, true], ["1,024", 1_024, false]] as const) {
  Deno.test(`a repeat is ${isRepeat ? "known" : "forgotten"} after ${about} other writing calls`, () => {
    const pod = new TestPod();
    pod.call("TaskCreate", { subject: "a" });
    pod.call("TaskUpdate", { taskid: 1, subject: "b" }, { call_id: "c" });
    for (let i = 0; i < between; i++) pod.call("TaskUpdate", { taskid: 1, subject: `s${i}` });
    for (let i = 0; i < 50; i++) pod.call("TaskGet", { taskid: 1 });
    const again = pod.call("TaskUpdate", { taskid: 1, subject: "b" }, { call_id: "c" });
    assertEquals([again.duplicate ?? false, again.warnings], [isRepeat, []]);
  });
}

Deno.test("of 1,030 calls of one call_id the 1,024th last is a repeat, the 1,025th last is a new call", () => {
  const pod = new TestPod();
  const change = (at: number) =>
    pod.call("TaskUpdate", { taskid: 1, subject: `s${at}` }, { call_id: "call_0" });
  const answers = [pod.call("TaskCreate", { subject: "s0" }, { call_id: "call_0" })];
  for (let at = 1; at < 1_030; at++) answers.push(change(at));
  assertEquals(answers.map(({ warnings }) => warnings), answers.map((_, at) => at === 0 ? [] : [reused]));

  const [first] = answers.slice(-1_024);
  const repeat = change(1_030 - 1_024);
  assertEquals([repeat], [first && asRepeat(first, repeat.input_seq)]);
  const forgotten = change(1_030 - 1_025);
  assertEquals([forgotten.duplicate, forgotten.changes, forgotten.warnings], [
    undefined,
    [{ taskid: 1, subject: "s5" }],
    [reused],
  ]);
});

Deno.test("a repeat whose first answer the log no longer has shows the task as it is now", () => {
  const pod = new TestPod();
  pod.call("TaskCreate", { subject: "a", description: "d" }, { call_id: "c" });
  pod.call("TaskUpdate", { taskid: 1, status: "completed" });
  pod.log.delete(2);
  const task = { taskid: 1, status: "completed", subject: "a", description: "d" };
  const summary = "Already done before; as it is now\n" +
    "TaskStore: 1 task(s) (pending: 0, inprogress: 0, completed: 1, deleted: 0)";
  assertEquals(pod.call("TaskCreate", { subject: "a", description: "d" }, { call_id: "c" }), {
    v: 1,
    rules: 1,
    call_id: "c",
    tool: "TaskCreate",
    input_seq: 5,
    duplicate: true,
    summary,
    result: {
      content: [{ type: "text", text: `${summary}\n${JSON.stringify(task)}` }],
      structuredContent: { task },
      isError: false,
    },
    changes: [],
    warnings: [],
  });
});

Deno.test("a store that was closed forgets its calls: the same call makes a task again", () => {
  const pod = new TestPod();
  pod.call("TaskCreate", { subject: "a" }, { call_id: "c" });
  pod.event("session.closed", { event_id: "e" });
  const again = pod.call("TaskCreate", { subject: "a" }, { call_id: "c" });
  assertEquals([again.duplicate, again.warnings, viewsOf(pod.store).length], [undefined, [], 1]);
});
