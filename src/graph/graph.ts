/** The graph of a store with everything in it, the blockers that are missing included (R27). */
import type { TaskStore } from "../tasks/store.ts";

export interface Graph {
  /** Taskids that tasks wait for and the store does not have, ascending. */
  readonly missing: readonly number[];
  /** Keyed by taskid, missing ones too: who waits for it, ascending. */
  readonly dependents: ReadonlyMap<number, readonly number[]>;
}

export function graphOf({ tasks }: Pick<TaskStore, "tasks">): Graph {
  const dependents = new Map<number, number[]>();
  for (const task of tasks) {
    for (const blocker of task.missing) {
      dependents.set(blocker, [...dependents.get(blocker) ?? [], task.taskid]);
    }
  }
  const missing = [...dependents.keys()].sort((a, b) => a - b);
  for (const task of tasks) dependents.set(task.taskid, [...task.blocks]);
  return { missing, dependents };
}
