/**
 * The graph as a tree of lines: below each task those that wait for it. A task that waits for several stands below the
 * first of them, and the others refer to it.
 */
import { findTask, type TaskStore } from "../tasks/store.ts";
import type { Task } from "../tasks/task.ts";
import { graphOf } from "./graph.ts";

export interface TreeRow {
  /** What connects the row to those above it. */
  readonly guide: string;
  readonly taskid: number;
  /** Null where the task is missing. */
  readonly task: Task | null;
  /** Whether it is only referred to, because it stands somewhere else. */
  readonly stands: "here" | "above" | "below";
}

/** What is deeper begins at the margin again. */
const levelsMax = 24;

export function treeRows(store: Pick<TaskStore, "tasks">): readonly TreeRow[] {
  return new Tree(store).rows;
}

class Tree {
  readonly rows: TreeRow[] = [];
  readonly #store: Pick<TaskStore, "tasks">;
  readonly #dependents: ReadonlyMap<number, readonly number[]>;
  readonly #shown = new Set<number>();
  /** Those at the margin; grows by what is too deep. */
  readonly #roots: number[];

  constructor(store: Pick<TaskStore, "tasks">) {
    const { missing, dependents } = graphOf(store);
    this.#store = store;
    this.#dependents = dependents;
    const first = store.tasks.filter(({ blockedBy }) => blockedBy.length === 0).map(({ taskid }) => taskid);
    this.#roots = [...missing, ...first];
    for (const taskid of this.#roots) {
      if (!this.#shown.has(taskid)) this.#show(taskid, { guide: "", below: "", level: 0 });
    }
  }

  /** @param place what stands in front of the row, and of those below it */
  #show(taskid: number, place: { guide: string; below: string; level: number }): void {
    const { guide, below, level } = place;
    const task = findTask(this.#store, taskid) ?? null;
    if (this.#shown.has(taskid)) {
      this.rows.push({ guide, taskid, task, stands: "above" });
      return;
    }
    if (level > levelsMax) {
      this.#roots.push(taskid);
      this.rows.push({ guide, taskid, task, stands: "below" });
      return;
    }
    this.#shown.add(taskid);
    this.rows.push({ guide, taskid, task, stands: "here" });
    const dependents = this.#dependents.get(taskid) ?? [];
    for (const [index, dependent] of dependents.entries()) {
      const isLast = index === dependents.length - 1;
      this.#show(dependent, {
        guide: below + (isLast ? "└─ " : "├─ "),
        below: below + (isLast ? "   " : "│  "),
        level: level + 1,
      });
    }
  }
}
