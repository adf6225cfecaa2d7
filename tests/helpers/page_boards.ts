/** Boards as a page may get them: an ordinary one, one in which every text is hostile, and large ones. */
import { type Change, emptyStore, evolve, type TaskStore } from "../../src/tasks/store.ts";
import type { Status } from "../../src/tasks/task.ts";

export const hourMs = 3_600_000;
export const minuteMs = 60_000;

/** A store whose tasks were changed in steps, each so long ago. */
function storeBy(...steps: readonly (readonly [agoMs: number, ...changes: readonly Change[]])[]): TaskStore {
  const nowMs = Date.now();
  return steps.reduce(
    (store, [agoMs, ...changes]) => evolve(store, { changes }, nowMs - agoMs),
    emptyStore(),
  );
}

function task(taskid: number, subject: string, more: Partial<Change> = {}): Change {
  return { taskid, status: "pending", subject, description: "", ...more };
}

export function compilerStore(): TaskStore {
  return storeBy(
    [
      26 * hourMs,
      task(1, "Read the protocol notes and list what is unclear", {
        description: "They are in docs/protocol.md.\n\nList each open question with its line.",
      }),
      task(2, "Write the lexer"),
      task(3, "Write the parser for expressions", { blockedBy: [2] }),
      task(4, "Error messages with line, column and the offending text", { blockedBy: [3] }),
      task(5, "Parse declarations", { blockedBy: [2, 3] }),
      task(6, "Type checker: inference for let-bindings", { blockedBy: [5] }),
      task(7, "Emit WebAssembly", { blockedBy: [6] }),
      task(8, "Benchmarks against the old compiler", { blockedBy: [7] }),
      task(9, "Publish the playground", { blockedBy: [7, 4] }),
      task(10, "Ask for a review of the grammar"),
      task(11, "Try a hand-written Pratt parser first"),
      task(12, "Fuzz the lexer with invalid UTF-8", {
        blockedBy: [2],
        metadata: { corpus: "seeds/utf8", minutes: 30 },
      }),
      task(13, "Set up the nightly build"),
    ],
    [20 * hourMs, { taskid: 1, status: "completed", owner: "reader" }],
    [9 * hourMs, { taskid: 2, status: "completed", owner: "lexer-agent" }],
    [3 * hourMs, { taskid: 11, status: "deleted" }],
    [2 * hourMs, { taskid: 12, status: "inprogress", owner: "fuzzer", activeForm: "Fuzzing the lexer" }],
    [17 * minuteMs, {
      taskid: 3,
      status: "inprogress",
      owner: "alice",
      activeForm: "Writing the parser for expressions",
    }],
    [7 * minuteMs, { taskid: 10, owner: "bob" }],
  );
}

/** A list of `total` tasks, of which the first ones are completed and the next in progress, that last changed so long ago. */
export function listStore(agoMs: number, total: number, completed: number, inProgress = 0): TaskStore {
  const tasks = Array.from({ length: total }, (_, index) => {
    const status = index < completed
      ? "completed"
      : index < completed + inProgress
      ? "inprogress"
      : "pending";
    return task(index + 1, `step ${index + 1}`, { status });
  });
  return storeBy([agoMs, ...tasks]);
}

export const hostileMarkup = "<script>owned()</script><img src=x onerror=owned()></li></a><h1>owned";

/** Its last task waits for all others, and for one that is missing. */
export function hostileStore(): TaskStore {
  const longest = "W".repeat(500);
  return storeBy([
    5 * minuteMs,
    task(1, hostileMarkup, {
      description: `${hostileMarkup}\njavascript:owned()`,
      owner: "a/b@c:d",
      metadata: { [hostileMarkup]: hostileMarkup, __proto__: 1 },
    }),
    task(2, "\u202egnp.exe live \u2066 rtl\u0000\u001b[31m"),
    task(3, `z${"\u0335\u0322\u0327\u0353".repeat(40)}algo`, {
      status: "inprogress",
      activeForm: `אבג דהו ${hostileMarkup}`,
      owner: "x".repeat(64),
    }),
    task(4, "👨‍👩‍👧‍👦 襷を掛ける naïve", { status: "completed" }),
    task(5, "{{constructor.constructor('owned()')()}} ${owned()} ';owned();'", { status: "deleted" }),
    task(6, longest, {
      description: "y".repeat(16_000),
      activeForm: longest,
      blockedBy: [1, 2, 3, 4, 5, 99],
    }),
  ]);
}

const statuses: readonly Status[] = ["pending", "inprogress", "completed", "deleted"];

/** @param count of tasks, a quarter in each status, a third with edges */
export function largeStore(count: number): TaskStore {
  const tasks = Array.from({ length: count }, (_, index) => {
    const taskid = index + 1;
    return task(taskid, `Task number ${taskid} of a very long list, with a subject of some length`, {
      status: statuses[taskid % 4] ?? "pending",
      ...(taskid % 3 === 0 ? { blockedBy: [Math.max(1, taskid - 20), taskid - 1] } : {}),
    });
  });
  return storeBy([minuteMs, ...tasks]);
}
