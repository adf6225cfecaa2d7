import { assertEquals } from "@std/assert";
import { decide } from "../../../src/tasks/decide.ts";
import { isRefusal, refuse } from "../../../src/tasks/refusal.ts";
import { emptyStore, type TaskStore } from "../../../src/tasks/store.ts";
import { type Answer, answerOf, currentAnswer, refusalAnswer } from "../../../src/tools/answer.ts";
import { toolNames } from "../../../src/tools/names.ts";
import {
  after,
  by,
  claim,
  create,
  createBatch,
  get,
  list,
  release,
  storeOf,
  update,
} from "../../helpers/stores.ts";
import type { Command } from "../../../src/tasks/command.ts";

function answer(store: TaskStore, command: Command, warnings: readonly string[] = [], agent = "me"): Answer {
  const decision = decide(store, command, by(agent));
  if (isRefusal(decision)) throw new Error(decision.message);
  return answerOf(command, store, decision, warnings);
}

/** The answer's own words, without what is for programs. */
function wordsOf({ summary, result }: Answer): readonly [summary: string, text: string | undefined] {
  return [summary, result.content[0]?.text];
}

const counted = (pending: number, inprogress: number, completed: number, deleted = 0) =>
  `TaskStore: ${pending + inprogress + completed + deleted} task(s) ` +
  `(pending: ${pending}, inprogress: ${inprogress}, completed: ${completed}, deleted: ${deleted})`;

Deno.test("answerOf() a create is the summary, then the task as one line of JSON", () => {
  const summary = `Created task 1 (pending): a \\u003cb\\u003e\n${counted(1, 0, 0)}`;
  assertEquals(answer(emptyStore(), create({ subject: "a <b>", description: "x\ny" })), {
    summary,
    result: {
      content: [{
        type: "text",
        text:
          `${summary}\n{"taskid":1,"status":"pending","subject":"a \\u003cb\\u003e","description":"x\\u000ay"}`,
      }],
      structuredContent: { task: { taskid: 1, status: "pending", subject: "a <b>", description: "x\ny" } },
      isError: false,
    },
  });
});

const blocked = storeOf({ status: "inprogress", description: "long" }, {
  blockedBy: [1],
  subject: 'say "hi"',
}, {
  blockedBy: [1],
});

Deno.test("answerOf() an update says what changed and what it unblocked, without the description", () => {
  const summary = `Updated task 1 (completed): task 1
Changed: status (inprogress → completed)
Unblocked: 2 (say \\"hi\\"), 3 (task 3)
${counted(2, 0, 1)}`;
  assertEquals(answer(blocked, update(1, { status: "completed" })), {
    summary,
    result: {
      content: [{
        type: "text",
        text: `${summary}\n{"taskid":1,"status":"completed","subject":"task 1","blocks":[2,3]}`,
      }],
      structuredContent: {
        task: { taskid: 1, status: "completed", subject: "task 1", description: "long", blocks: [2, 3] },
        unblocked: [{ taskid: 2, subject: 'say "hi"' }, { taskid: 3, subject: "task 3" }],
      },
      isError: false,
    },
  });
});

Deno.test("answerOf() an update shows the description that it changed, and warnings last", () => {
  assertEquals(
    wordsOf(answer(blocked, update(2, { description: "`d`", owner: "w" }), ["one", "two"]))[1],
    `Updated task 2 (pending): say \\"hi\\"
Changed: description, owner
${counted(2, 1, 0)}
{"taskid":2,"status":"pending","subject":"say \\"hi\\"","description":"\\u0060d\\u0060","owner":"w","blockedBy":[1],"openBlockers":[1]}
Warning: one
Warning: two`,
  );
});

Deno.test("answerOf() an update of others' edges names them", () => {
  assertEquals(
    wordsOf(answer(storeOf({}, {}), update(1, {}, { edges: { addBlocks: [{ taskid: 2 }] } })))[0],
    `Updated task 1 (pending): task 1\nChanged: blockedBy of task 2\n${counted(2, 0, 0)}`,
  );
});

Deno.test("answerOf() an update that changes nothing says so", () => {
  assertEquals(wordsOf(answer(storeOf({ description: "d" }), update(1, { status: "pending" }))), [
    `Task 1 (pending): task 1: no change\n${counted(1, 0, 0)}`,
    `Task 1 (pending): task 1: no change\n${
      counted(1, 0, 0)
    }\n{"taskid":1,"status":"pending","subject":"task 1"}`,
  ]);
});

for (
  const [about, store, command, words] of [
    [
      "a claim",
      storeOf({ description: "d" }),
      claim(1),
      `Claimed task 1 (inprogress): task 1\nChanged: status (pending → inprogress), owner\n${
        counted(0, 1, 0)
      }`,
    ],
    [
      "a claim of what is claimed already",
      storeOf({ status: "inprogress", owner: "me" }),
      claim(1),
      `Task 1 (inprogress): task 1: no change\n${counted(0, 1, 0)}`,
    ],
    [
      "a completion",
      storeOf({ status: "inprogress" }),
      { type: "complete", task: { taskid: 1 } },
      `Completed task 1 (completed): task 1\nChanged: status (inprogress → completed)\n${counted(0, 0, 1)}`,
    ],
    [
      "a release, with its reason",
      storeOf({ status: "inprogress", owner: "me" }),
      release(1, { reason: "lunch\n<b>" }),
      "Released task 1 (pending): task 1\nChanged: status (inprogress → pending), owner\n" +
      `Reason: lunch\\u000a\\u003cb\\u003e\n${counted(1, 0, 0)}`,
    ],
  ] as const satisfies readonly (readonly [string, TaskStore, Command, string])[]
) {
  Deno.test(`answerOf() ${about} says what happened`, () =>
    assertEquals(wordsOf(answer(store, command))[0], words));
}

Deno.test("answerOf() a get is the task as JSON, whole", () => {
  const store = storeOf({
    blockedBy: [9],
    description: "d`",
    activeForm: "Doing",
    owner: "w",
    metadata: { k: [1] },
  });
  const task = {
    taskid: 1,
    status: "pending",
    subject: "task 1",
    description: "d`",
    activeForm: "Doing",
    owner: "w",
    blockedBy: [9],
    openBlockers: [9],
    missing: [9],
    metadata: { k: [1] },
  };
  assertEquals(answer(store, get(1), ["odd"]), {
    summary: "Task 1 (pending): task 1",
    result: {
      content: [{ type: "text", text: `${JSON.stringify(task).replace("`", "\\u0060")}\nWarning: odd` }],
      structuredContent: { task },
      isError: false,
    },
  });
});

Deno.test("answerOf() a batch shows ids and subjects only", () => {
  const command = createBatch({ subject: "a", description: "d" }, {
    subject: "b",
    blockedBy: [{ sibling: 1 }],
  });
  const summary = `Created 2 task(s): 2, 3\n${counted(3, 0, 0)}`;
  assertEquals(answer(storeOf({}), command), {
    summary,
    result: {
      content: [{ type: "text", text: `${summary}\n{"taskid":2,"subject":"a"}\n{"taskid":3,"subject":"b"}` }],
      structuredContent: { tasks: [{ taskid: 2, subject: "a" }, { taskid: 3, subject: "b" }] },
      isError: false,
    },
  });
});

Deno.test("answerOf() a list counts the whole store and shows what was asked for", () => {
  const store = storeOf({ status: "completed", description: "d" }, {});
  const fence = (line: string) => `${counted(1, 0, 1)}\n\`\`\`json\n{"tasks":[\n${line}\n]}\n\`\`\``;
  const done = { taskid: 1, status: "completed", subject: "task 1" };
  assertEquals(answer(store, list({ status: "completed", brief: true })), {
    summary: counted(1, 0, 1),
    result: {
      content: [{ type: "text", text: fence(JSON.stringify(done)) }],
      structuredContent: { tasks: [done], counts: { pending: 1, inprogress: 0, completed: 1, deleted: 0 } },
      isError: false,
    },
  });
});

Deno.test("currentAnswer() shows the tasks of a forgotten answer as they are now", () => {
  const store = after(storeOf({ description: "d" }, {}), update(1, { status: "completed" }));
  const summary = `Already done before; as it is now\n${counted(1, 0, 1)}`;
  const task = { taskid: 1, status: "completed", subject: "task 1", description: "d" };
  assertEquals(currentAnswer(store, [1]), {
    summary,
    result: {
      content: [{ type: "text", text: `${summary}\n${JSON.stringify(task)}` }],
      structuredContent: { task },
      isError: false,
    },
  });
  assertEquals(currentAnswer(store, [1, 2, 9]).result, {
    content: [{
      type: "text",
      text: `${summary}\n{"taskid":1,"subject":"task 1"}\n{"taskid":2,"subject":"task 2"}`,
    }],
    structuredContent: { tasks: [{ taskid: 1, subject: "task 1" }, { taskid: 2, subject: "task 2" }] },
    isError: false,
  });
});

Deno.test("refusalAnswer() says what is wrong and shows one correct call (R7)", () => {
  const text = 'Refused (blocked): task 1 still waits for 2\nA correct call: TaskClaim {"taskid":1}';
  assertEquals(
    refusalAnswer("TaskClaim", refuse("blocked", "task 1 still waits for 2", { openBlockers: [2] })),
    {
      summary: text,
      result: {
        content: [{ type: "text", text }],
        structuredContent: {
          error: { code: "blocked", message: "task 1 still waits for 2", openBlockers: [2] },
        },
        isError: true,
      },
    },
  );
});

Deno.test("refusalAnswer() to no tool of ours lists the tools", () => {
  const { result } = refusalAnswer(null, refuse("unknown_tool", "there is no tool TodoWrite"));
  assertEquals(
    result.content[0]?.text,
    `Refused (unknown_tool): there is no tool TodoWrite\nThe tools are ${toolNames.join(", ")}`,
  );
});
