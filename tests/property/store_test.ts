/** What holds of a store after any calls. */
import fc from "fast-check";
import { assertEquals } from "@std/assert";
import type { Command } from "../../src/tasks/command.ts";
import { costOf } from "../../src/tasks/cost.ts";
import { decide, type Decision } from "../../src/tasks/decide.ts";
import { hasCycle } from "../../src/tasks/graph.ts";
import { isRefusal } from "../../src/tasks/refusal.ts";
import { type Change, emptyStore, evolve, findTask, type TaskStore } from "../../src/tasks/store.ts";
import { isReady, type Task } from "../../src/tasks/task.ts";
import { toolOf } from "../../src/tools/names.ts";
import { readCall } from "../../src/tools/read_call.ts";
import { boardCalls, type Call } from "../helpers/board_calls.ts";
import { by, storeOf } from "../helpers/stores.ts";

/** One call that was not refused. */
interface Step {
  readonly before: TaskStore;
  readonly command: Command;
  readonly agent: string;
  readonly decision: Decision;
}

/** The calls in turn, each by the other of two agents; those that are refused change nothing and are left out. */
function stepsOf(calls: readonly Call[], start: TaskStore): readonly Step[] {
  const steps: Step[] = [];
  let before = start;
  for (const [index, { tool, args }] of calls.entries()) {
    const name = toolOf(tool);
    const call = name && readCall(name, args);
    if (!call || isRefusal(call)) continue;
    const agent = index % 2 === 0 ? "w" : "v";
    const decision = decide(before, call.command, by(agent));
    if (isRefusal(decision)) continue;
    steps.push({ before, command: call.command, agent, decision });
    before = decision.after;
  }
  return steps;
}

/** Checks every step of random calls on a new board, and on one that was imported with dangling edges. */
function always(check: (step: Step) => void): void {
  const imported = storeOf({ taskid: 3, blockedBy: [2, 9] }, {
    taskid: 5,
    status: "inprogress",
    blockedBy: [9],
  });
  fc.assert(
    fc.property(boardCalls, fc.constantFrom(emptyStore(), imported), (calls, start) => {
      for (const step of stepsOf(calls, start)) check(step);
    }),
    { numRuns: 400 },
  );
}

/** By definition, from statuses, owners and edges alone. */
function definedReady(store: TaskStore): readonly number[] {
  const isDone = (taskid: number) => store.tasks.some((task) => task.taskid === taskid && isClosed(task));
  return store.tasks
    .filter(({ status, owner, blockedBy }) =>
      status === "pending" && owner === null && blockedBy.every(isDone)
    )
    .map((task) => task.taskid);
}

function isClosed({ status }: Task): boolean {
  return status === "completed" || status === "deleted";
}

Deno.test("ready is pending, without owner, every blocker completed or deleted (R25)", () => {
  always(({ decision: { after } }) => {
    assertEquals(after.tasks.filter(isReady).map((task) => task.taskid), definedReady(after));
  });
});

Deno.test("unblocked is what is ready after a call and had an open blocker before it (§3)", () => {
  always(({ before, decision: { after, unblocked } }) => {
    const waited = (taskid: number) =>
      findTask(before, taskid)?.blockedBy.some((id) => {
        const blocker = findTask(before, id);
        return !blocker || !isClosed(blocker);
      });
    assertEquals(unblocked, definedReady(after).filter(waited));
    assertEquals(unblocked.filter((taskid) => definedReady(before).includes(taskid)), []);
  });
});

Deno.test("what is derived follows from the rest", () => {
  always(({ decision: { after } }) => {
    const blocks = (taskid: number) =>
      after.tasks.filter((task) => task.blockedBy.includes(taskid)).map((task) => task.taskid);
    for (const task of after.tasks) {
      assertEquals(
        { ...task, blocks: blocks(task.taskid), costBytes: costOf(task) },
        {
          ...task,
          blockedBy: [...new Set(task.blockedBy)].sort((a, b) => a - b),
          openBlockers: task.blockedBy.filter((id) =>
            !after.tasks.some((other) => other.taskid === id && isClosed(other))
          ),
          missing: task.blockedBy.filter((id) => !after.tasks.some((other) => other.taskid === id)),
        },
      );
    }
    const counted = (status: Task["status"]) => after.tasks.filter((task) => task.status === status).length;
    assertEquals({ ...after, tasks: [] }, {
      tasks: [],
      nextTaskid: after.nextTaskid,
      counts: {
        pending: counted("pending"),
        inprogress: counted("inprogress"),
        completed: counted("completed"),
        deleted: counted("deleted"),
      },
      costBytes: after.tasks.reduce((sum, task) => sum + task.costBytes, 0),
      danglingTasks: after.tasks.filter((task) => task.missing.length > 0).length,
    });
  });
});

Deno.test("the graph never has a cycle, and no task more than 64 blockers", () => {
  always(({ decision: { after } }) => {
    const waits = (taskid: number, path: readonly number[]): void => {
      if (path.includes(taskid)) throw new Error(`A cycle: ${path.join(" → ")} → ${taskid}`);
      for (const blocker of findTask(after, taskid)?.blockedBy ?? []) waits(blocker, [...path, taskid]);
    };
    for (const task of after.tasks) waits(task.taskid, []);
    assertEquals([hasCycle(after), after.tasks.filter((task) => task.blockedBy.length > 64)], [false, []]);
  });
});

Deno.test("taskids rise with every create and are never used again; tasks never vanish", () => {
  always(({ before, command, decision: { after, tasks } }) => {
    const idsOf = (store: TaskStore) => store.tasks.map((task) => task.taskid);
    const created = command.type === "create" ? tasks.map((task) => task.taskid) : [];
    assertEquals(created, created.map((_, index) => before.nextTaskid + index));
    assertEquals([idsOf(after), after.nextTaskid], [
      [...idsOf(before), ...created],
      before.nextTaskid + created.length,
    ]);
  });
});

Deno.test("changes name what differs and nothing else, and make the store again, through JSON, too", () => {
  always(({ before, decision: { changes, after } }) => {
    for (const change of changes) {
      const { taskid, ...fields } = change;
      const task = findTask(before, taskid);
      if (task) assertEquals(Object.entries(fields).filter(([name, value]) => isSame(task, name, value)), []);
    }
    assertEquals(new Set(changes.map((change) => change.taskid)).size, changes.length);
    const wire: readonly Change[] = JSON.parse(JSON.stringify(changes));
    assertEquals(evolve(before, { changes: wire }, by(null).atMs), after);
  });
});

/** Whether a change sets a field to what it is. */
function isSame(task: Task, name: string, value: unknown): boolean {
  const is = new Map<string, unknown>(Object.entries(task)).get(name);
  return JSON.stringify(is) === JSON.stringify(value ?? (name === "blockedBy" ? [] : null));
}

Deno.test("a claim never takes an open task from its owner, never starts one that waits, and gives one owner (R28)", () => {
  always(({ before, command, agent, decision: { tasks } }) => {
    if (command.type !== "claim") return;
    const [task] = tasks;
    const was = task && findTask(before, task.taskid);
    if (!was) throw new Error("The claim shows no task");
    const owner = command.owner ?? agent;
    assertEquals([task?.owner, task?.status], [owner, "inprogress"]);
    const wasMine = was.owner === owner && was.status === "inprogress";
    assertEquals(
      wasMine ||
        (was.status === "pending" && was.openBlockers.length === 0 && [null, owner].includes(was.owner)),
      true,
    );
  });
});

Deno.test("an agent's exit leaves it no open task, and touches no other's", () => {
  always(({ decision: { after } }) => {
    const exited = decide(after, { type: "exit", agent: "w" }, by(null));
    if (isRefusal(exited)) throw new Error(exited.message);
    assertEquals(exited.after.tasks.filter((task) => task.owner === "w" && !isClosed(task)), []);
    const others = (store: TaskStore) =>
      store.tasks.filter(({ taskid }) => findTask(after, taskid)?.owner !== "w");
    const plain = ({ taskid, status, owner }: Task) => ({ taskid, status, owner });
    assertEquals(others(exited.after).map(plain), others(after).map(plain));
  });
});
