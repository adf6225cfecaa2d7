import { assertEquals } from "@std/assert";
import { emptyStore, type TaskStore } from "../../../src/tasks/store.ts";
import { viewOf } from "../../../src/tasks/task.ts";
import { jsonText } from "../../../src/tasks/text.ts";
import { type Answer, answerOf } from "../../../src/tools/answer.ts";
import {
  claim,
  create,
  createBatch,
  decisionOf,
  get,
  list,
  release,
  storeOf,
  update,
} from "../../helpers/stores.ts";
import type { Command } from "../../../src/tasks/command.ts";

function answer(store: TaskStore, command: Command, warnings: readonly string[] = [], agent = "me"): Answer {
  return answerOf(command, store, decisionOf(store, command, agent), warnings);
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
Changed: status (inprogress -> completed)
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

const done: Command = { type: "complete", task: { taskid: 1 } };
for (
  const [about, given, command, head, counts] of [
    [
      "a claim",
      {},
      claim(1),
      "Claimed task 1 (inprogress): task 1\nChanged: status (pending -> inprogress), owner",
      [0, 1, 0],
    ],
    [
      "a claim of what is claimed already",
      { status: "inprogress", owner: "me" },
      claim(1),
      "Task 1 (inprogress): task 1: no change",
      [0, 1, 0],
    ],
    [
      "a completion",
      { status: "inprogress" },
      done,
      "Completed task 1 (completed): task 1\nChanged: status (inprogress -> completed)",
      [0, 0, 1],
    ],
    [
      "a release",
      { owner: "me" },
      release(1),
      "Released task 1 (pending): task 1\nChanged: owner",
      [1, 0, 0],
    ],
    [
      "a release with its reason",
      { status: "inprogress", owner: "me" },
      release(1, { reason: "lunch\n<b>" }),
      "Released task 1 (pending): task 1\nChanged: status (inprogress -> pending), owner\n" +
      "Reason: lunch\\u000a\\u003cb\\u003e",
      [1, 0, 0],
    ],
  ] as const
) {
  Deno.test(`answerOf() ${about} says what happened, and leaves the description to programs`, () => {
    const store = storeOf({ ...given, description: "d" });
    const { after: { tasks: [task] } } = decisionOf(store, command, "me");
    if (!task) throw new Error("The store lost its task");
    const [pending, inprogress, completed] = counts;
    const summary = `${head}\n${counted(pending, inprogress, completed)}`;
    assertEquals(answer(store, command), {
      summary,
      result: {
        content: [{ type: "text", text: `${summary}\n${jsonText(viewOf(task, true))}` }],
        structuredContent: { task: viewOf(task) },
        isError: false,
      },
    });
  });
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
