/** Stores of many tasks and edges, the same in every run. */
import type { Change } from "../src/tasks/store.ts";
import { newTask } from "./calls.ts";

/** Taskids 1 to `count`, pending, without edges, and so lean that the limits of a store let 1,900 in. */
export function leanTasks(count: number): readonly Change[] {
  return Array.from({ length: count }, (_, index) => {
    const taskid = index + 1;
    return { taskid, status: "pending", subject: `Part ${taskid}`, description: "" };
  });
}

/** The same, of the size that a model writes. */
export function describedTasks(count: number): readonly Change[] {
  return leanTasks(count).map((task) => ({ ...task, ...newTask(task.taskid) }));
}

/**
 * Each edge leads from a task to one before it. The first half is done but for the task that is awaited most, which
 * somebody works on: when it is completed, all that wait for it alone are ready.
 */
export function tangledTasks(
  count: number,
  edges: number,
): { readonly tasks: readonly Change[]; readonly awaited: number } {
  const blockers = tangle(count, edges);
  const half = count / 2;
  const waiting = new Array<number>(half + 1).fill(0);
  for (let taskid = half + 1; taskid <= count; taskid++) {
    const ofTask = [...blockers.get(taskid) ?? []];
    if (ofTask.some((blocker) => blocker > half)) continue;
    for (const blocker of ofTask) waiting[blocker] = (waiting[blocker] ?? 0) + 1;
  }
  const awaited = Math.max(1, waiting.indexOf(Math.max(...waiting)));
  const tasks = leanTasks(count).map((task): Change => {
    const { taskid } = task;
    const status = taskid === awaited ? "inprogress" : taskid <= half ? "completed" : "pending";
    return { ...task, status, blockedBy: [...blockers.get(taskid) ?? []].sort((a, b) => a - b) };
  });
  return { tasks, awaited };
}

/** Keyed by dependent. */
function tangle(count: number, edges: number): ReadonlyMap<number, ReadonlySet<number>> {
  const blockers = new Map<number, Set<number>>();
  let made = 0;
  let chance = 1;
  while (made < edges) {
    for (let taskid = 2; taskid <= count && made < edges; taskid++) {
      const ofTask = blockers.get(taskid) ?? new Set<number>();
      blockers.set(taskid, ofTask);
      chance = (Math.imul(chance, 1_103_515_245) + 12_345) >>> 0;
      const blocker = 1 + (chance >>> 8) % (taskid - 1);
      if (ofTask.has(blocker)) continue;
      ofTask.add(blocker);
      made++;
    }
  }
  return blockers;
}

/** All wait for task 1, which somebody works on. */
export function fanOfTasks(count: number): readonly Change[] {
  return leanTasks(count).map((task) =>
    task.taskid === 1 ? { ...task, status: "inprogress" } : { ...task, blockedBy: [1] }
  );
}
