/** What the kernel costs a call, between the input's bytes and the output's, in CPU time and by size of the store. */
import { Fold } from "../src/log/fold.ts";
import type { LogMessage } from "../src/log/log_message.ts";
import { Pod } from "../src/log/pod.ts";
import { callsRememberedMax } from "../src/tasks/limits.ts";
import type { Change } from "../src/tasks/store.ts";
import { newTask, statusChange } from "./calls.ts";
import { costUs } from "./cost.ts";
import { answered, answeredAndApplied, loggedCall, podOf, subjects } from "./kernel_pod.ts";
import { describedTasks, fanOfTasks, leanTasks, tangledTasks } from "./kernel_stores.ts";
import { numberText, report, reportCurve } from "./report.ts";
import { sized } from "./sizes.ts";
import { ownCpuUs } from "./usage.ts";

function callCostUs(tasks: readonly Change[], tool: string, args: unknown): number {
  const pod = podOf("bench", tasks);
  const call = loggedCall(pod.id, 1, tool, args);
  return costUs(() => answered(pod, call));
}

/** The first that is measured shall not be the first that is compiled. */
function warmUp(): void {
  const { tasks, awaited } = tangledTasks(100, 300);
  for (let round = 0; round < 2; round++) {
    callCostUs(tasks, "TaskCreate", { ...newTask(0), blockedBy: [99, 100] });
    callCostUs(tasks, "TaskUpdate", { ...statusChange(100, 0), addBlockedBy: [98] });
    callCostUs(tasks, "TaskComplete", { taskid: awaited });
    callCostUs(tasks, "TaskGet", { taskid: 50 });
    callCostUs(tasks, "TaskList", {});
  }
}

type Points = [number, number][];

/** What the limits of a store let in, with one more to come. */
const nearlyFull = 1_850;

function byTasks(): void {
  const counts = [10, 30, 100, 300, 1_000, 2_000];
  const costs: { readonly name: string; readonly points: Points }[] = [
    { name: "TaskCreate", points: counts.map((count) => createPoint(Math.min(count, nearlyFull))) },
    {
      name: "TaskUpdate",
      points: counts.map((count) => point(count, "TaskUpdate", statusChange(count / 2, 0))),
    },
    { name: "TaskGet", points: counts.map((count) => point(count, "TaskGet", { taskid: count / 2 })) },
    { name: "TaskList", points: counts.map((count) => point(count, "TaskList", {})) },
  ];
  for (const { name, points } of costs) {
    for (const [count, us] of points) {
      if (count === 30 || count === 300) continue;
      report(
        `kernel_${name}_${count}`,
        `${name}, ${numberText(count)} tasks in the store, kernel CPU`,
        us,
        "µs",
      );
    }
  }
  reportCurve({
    file: "growth_tasks",
    title: "What a call costs the kernel",
    x: "tasks in the store",
    y: "µs of CPU per call",
    logarithmic: "both",
    series: costs,
  });
}

function point(count: number, tool: string, args: unknown): [number, number] {
  return [count, callCostUs(leanTasks(count), tool, args)];
}

function createPoint(count: number): [number, number] {
  return point(count, "TaskCreate", newTask(0));
}

function ofAList(): void {
  const tasks = describedTasks(100);
  const list = callCostUs(tasks, "TaskList", {});
  const get = callCostUs(tasks, "TaskGet", { taskid: 50 });
  report("kernel_list_ratio", "TaskList of 100 tasks against TaskGet, kernel CPU", list / get, "×");
  report(
    "kernel_list_first",
    "TaskList of 100 tasks that no list has shown before, kernel CPU",
    firstUs(tasks),
    "µs",
  );
}

/** Each of many pods lists its tasks once. */
function firstUs(tasks: readonly Change[]): number {
  const count = sized(500, 10);
  const pods = Array.from({ length: count }, (_, index) => podOf(`first-${index}`, tasks));
  const call = loggedCall("first", 1, "TaskList", {});
  const startedUs = ownCpuUs();
  for (const pod of pods) answered(pod, call);
  return (ownCpuUs() - startedUs) / count;
}

/** Every call has the id `call_0`, as those of some models do, and as many as may be are remembered. */
function ofARecurringId(): void {
  const pod = podOf("recurring", leanTasks(1));
  let calls = 0;
  const call = (): void => {
    const { message, rest } = loggedCall(pod.id, ++calls, "TaskUpdate", {
      taskid: 1,
      subject: `Part ${calls}`,
    });
    const text = new TextDecoder().decode(message.data).replace(/"s\d+"/, '"call_0"');
    answeredAndApplied(pod, { message: { ...message, data: new TextEncoder().encode(text) }, rest });
  };
  while (calls < 2 * callsRememberedMax) call();
  report("kernel_same_id", "TaskUpdate, all calls with one id, kernel CPU", costUs(call), "µs");
}

function byEdges(): void {
  const count = 1_000;
  const complete: Points = [];
  const create: Points = [];
  const cycle: Points = [];
  for (const edges of [0, 1_000, 2_000, 3_000, 4_000, 5_000]) {
    const { tasks, awaited } = tangledTasks(count, edges);
    complete.push([edges, callCostUs(tasks, "TaskComplete", { taskid: awaited })]);
    create.push([edges, callCostUs(tasks, "TaskCreate", { ...newTask(0), blockedBy: [count, count - 1] })]);
    // The check walks everything that task 1000 waits for, however far, and finds no way back.
    const [one = { taskid: 0 }, two = { taskid: 0 }] = leanTasks(2);
    const pair: Change[] = [
      { ...one, taskid: count + 1 },
      { ...two, taskid: count + 2, blockedBy: [count + 1] },
    ];
    const addEdge = { taskid: count + 1, addBlockedBy: [count] };
    cycle.push([edges, callCostUs([...tasks, ...pair], "TaskUpdate", addEdge)]);
  }
  const last = (points: Points): number => points.at(-1)?.[1] ?? NaN;
  const store = "1,000 tasks with 5,000 edges, kernel CPU";
  report("kernel_complete_ms", `TaskComplete with notices in ${store}`, last(complete) / 1000, "ms");
  report("kernel_edges_create", `TaskCreate with two blockers in ${store}`, last(create), "µs");
  report("kernel_cycle", `a new edge with its check for cycles in ${store}`, last(cycle), "µs");
  const fan = callCostUs(fanOfTasks(count), "TaskComplete", { taskid: 1 });
  report("kernel_fan_ms", "TaskComplete for which 999 others wait, kernel CPU", fan / 1000, "ms");
  reportCurve({
    file: "growth_edges",
    title: "What a call costs the kernel in a store of 1,000 tasks",
    x: "edges in the store",
    y: "µs of CPU per call",
    logarithmic: "none",
    series: [
      { name: "TaskComplete with notices", points: complete },
      { name: "TaskCreate with two blockers", points: create },
      { name: "a new edge, checked for cycles", points: cycle },
    ],
  });
}

/** Inputs and outputs of 64 pods, as the log has them. */
function recordedCalls(calls: number): readonly LogMessage[] {
  const pods = Array.from({ length: 64 }, (_, index) => new Pod(`bench-${index}`));
  let seq = 0;
  const messages: LogMessage[] = [];
  for (let turn = 0; seq < 2 * calls; turn++) {
    for (const pod of pods) {
      const tool = turn === 0 ? "TaskCreate" : "TaskUpdate";
      const call = loggedCall(pod.id, ++seq, tool, turn === 0 ? newTask(1) : statusChange(1, turn));
      const { subject, data, headers } = answeredAndApplied(pod, call);
      const header = (name: string): string | null => headers.get(name) ?? null;
      messages.push(call.message, { seq: ++seq, timeMs: 1, subject, data, header });
    }
  }
  return messages;
}

function ofReplay(): void {
  const messages = recordedCalls(sized(20_000, 1_000));
  const us = costUs(() => {
    const fold = new Fold(subjects);
    for (const message of messages) fold.take(message);
  }) / messages.length;
  report("kernel_fold", "folding a recorded message, input or output, kernel CPU", us, "µs");
}

warmUp();
byTasks();
ofAList();
ofARecurringId();
byEdges();
ofReplay();
