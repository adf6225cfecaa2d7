/** The dependency graph: what waits for what, and whether an edge would close a cycle (SPEC §8). */
import { findTask, type TaskStore } from "./store.ts";
import { isOpen, isReady } from "./task.ts";

/** Whether a blocker of that taskid still keeps its dependents waiting; one that is missing does (R27). */
export function isOpenBlocker(store: Pick<TaskStore, "tasks">, taskid: number): boolean {
  const blocker = findTask(store, taskid);
  return !blocker || isOpen(blocker.status);
}

/** Whether tasks of the store wait for each other in a circle. Looks at each edge once. */
export function hasCycle(store: TaskStore): boolean {
  const waitsFor = new Map(
    store.tasks.map((task) => [task.taskid, task.blockedBy.length - task.missing.length]),
  );
  const sorted = store.tasks.filter((task) => waitsFor.get(task.taskid) === 0);
  for (const { blocks } of sorted) {
    for (const dependent of blocks) {
      const left = (waitsFor.get(dependent) ?? 0) - 1;
      waitsFor.set(dependent, left);
      const task = left === 0 ? findTask(store, dependent) : undefined;
      if (task) sorted.push(task);
    }
  }
  return sorted.length < store.tasks.length;
}

/**
 * The shortest cycle through `taskid` that goes over one of `through` first, along "waits for": `[2, 3, 1, 2]`; null
 * where there is none.
 *
 * @param waitsFor the blockers of a task, all of them, whatever their status
 */
export function findCycle(
  taskid: number,
  through: readonly number[],
  waitsFor: (taskid: number) => readonly number[],
): readonly number[] | null {
  const cameFrom = new Map<number, number>();
  const queue: number[] = [];
  const visit = (next: number, from: number): void => {
    if (cameFrom.has(next)) return;
    cameFrom.set(next, from);
    queue.push(next);
  };
  for (const blocker of through) visit(blocker, taskid);
  for (let i = 0; i < queue.length && !cameFrom.has(taskid); i++) {
    const current = queue[i];
    if (current !== undefined) { for (const blocker of waitsFor(current)) visit(blocker, current); }
  }
  if (!cameFrom.has(taskid)) return null;
  const path = [taskid];
  for (let at = cameFrom.get(taskid); at !== undefined; at = cameFrom.get(at)) {
    path.unshift(at);
    if (at === taskid) break;
  }
  return path;
}

/** Tasks that are ready now and had an open blocker before, among the given ones and their dependents (R25). */
export function unblockedBetween(
  before: TaskStore,
  after: TaskStore,
  changed: readonly number[],
): readonly number[] {
  const candidates = new Set(changed);
  for (const taskid of changed) {
    for (const dependent of findTask(after, taskid)?.blocks ?? []) candidates.add(dependent);
  }
  return [...candidates].filter((taskid) => {
    const now = findTask(after, taskid);
    const then = findTask(before, taskid);
    return now && then && isReady(now) && then.openBlockers.length > 0;
  }).sort((a, b) => a - b);
}
