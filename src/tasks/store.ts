/**
 * The TaskStore and `evolve`: `(store, changes) → store`. A store is a value: evolving gives a new one and leaves
 * the old one as it was, so that a checkpoint, a reader and an answer in flight can each keep the one they mean.
 *
 * Invariants:
 * 1. `tasks` is ascending by taskid, and every taskid is below `nextTaskid`.
 * 2. `blocks`, `openBlockers`, `missing`, `costBytes`, `counts` and the store's cost follow from the rest.
 */
import { isOpen, type JsonObject, type Status, type Task } from "./task.ts";
import { costOf } from "./cost.ts";

export type Counts = { readonly [status in Status]: number };

export interface TaskStore {
  /** Ascending by taskid; at most `storeTasksMax`. */
  readonly tasks: readonly Task[];
  /** The taskid of the next create. */
  readonly nextTaskid: number;
  readonly counts: Counts;
  /** The sum of what the tasks cost (R12). */
  readonly costBytes: number;
  /** How many tasks have a blocker that the store does not have (R27). */
  readonly danglingTasks: number;
}

/** The new value of each field that changed; null where it is no longer set. A taskid not yet there is a create. */
export interface Change {
  readonly taskid: number;
  readonly status?: Status;
  readonly subject?: string;
  readonly description?: string;
  readonly activeForm?: string | null;
  readonly owner?: string | null;
  readonly blockedBy?: readonly number[] | null;
  readonly metadata?: JsonObject | null;
}

/** What one input did to a store: `reset` first, then the changes in their order. */
export interface Delta {
  readonly changes: readonly Change[];
  /** Starts an empty store whose next create gets this taskid. */
  readonly reset?: { readonly next_taskid: number };
}

export function emptyStore(nextTaskid = 1): TaskStore {
  return {
    tasks: [],
    nextTaskid,
    counts: { pending: 0, inprogress: 0, completed: 0, deleted: 0 },
    costBytes: 0,
    danglingTasks: 0,
  };
}

/** The position of a taskid in ascending tasks: where it is, or where it would be inserted. */
function positionOf(tasks: readonly Task[], taskid: number): number {
  if (tasks[taskid - 1]?.taskid === taskid) return taskid - 1;
  let low = 0;
  let high = tasks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((tasks[middle]?.taskid ?? Infinity) < taskid) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The task, or undefined where the store does not have it. */
export function findTask(store: Pick<TaskStore, "tasks">, taskid: number): Task | undefined {
  const task = store.tasks[positionOf(store.tasks, taskid)];
  return task?.taskid === taskid ? task : undefined;
}

/**
 * The store after the changes. Costs what the changes and the edges at them cost, plus one copy of an array of
 * references.
 *
 * @param atMs the stream's timestamp of the input that led to the changes
 * @throws {Error} when a change makes a task without a status, subject or description: such a record is corrupt
 */
export function evolve(store: TaskStore, delta: Delta, atMs: number): TaskStore {
  const base = delta.reset ? emptyStore(delta.reset.next_taskid) : store;
  if (delta.changes.length === 0) return base;
  const draft = new Draft(base, atMs);
  for (const change of delta.changes) draft.apply(change);
  return draft.finish();
}

/** Most tasks have no edges: they share one list of none, to take less memory. */
const none: readonly number[] = [];

function orNone(taskids: readonly number[]): readonly number[] {
  return taskids.length === 0 ? none : taskids;
}

/** One evolve in progress: tasks copied once, and what has to be derived again in the end. */
class Draft {
  readonly #base: TaskStore;
  readonly #atMs: number;
  readonly #tasks: Task[];
  /** Taskids whose derived fields must be made anew. */
  readonly #touched = new Set<number>();
  /** Blockers that were named before they were made. */
  readonly #awaited = new Set<number>();
  #nextTaskid: number;

  constructor(base: TaskStore, atMs: number) {
    this.#base = base;
    this.#atMs = atMs;
    this.#tasks = base.tasks.slice();
    this.#nextTaskid = base.nextTaskid;
  }

  #find(taskid: number): Task | undefined {
    return findTask({ tasks: this.#tasks }, taskid);
  }

  #replace(task: Task): void {
    this.#tasks[positionOf(this.#tasks, task.taskid)] = task;
    this.#touched.add(task.taskid);
  }

  apply(change: Change): void {
    const before = this.#find(change.taskid) ?? this.#create(change);
    const after: Task = {
      ...before,
      status: change.status ?? before.status,
      subject: change.subject ?? before.subject,
      description: change.description ?? before.description,
      activeForm: change.activeForm === undefined ? before.activeForm : change.activeForm,
      owner: change.owner === undefined ? before.owner : change.owner,
      metadata: change.metadata === undefined ? before.metadata : change.metadata,
      blockedBy: change.blockedBy === undefined ? before.blockedBy : orNone(change.blockedBy ?? none),
      changedMs: this.#atMs,
    };
    this.#replace(after);
    if (isOpen(before.status) !== isOpen(after.status)) {
      for (const taskid of after.blocks) this.#touched.add(taskid);
    }
    if (before.blockedBy !== after.blockedBy) this.#moveEdges(before, after);
  }

  /** A new task without edges yet; those that waited for its taskid before it was there now wait for it. */
  #create(change: Change): Task {
    const { taskid, status, subject, description } = change;
    if (status === undefined || subject === undefined || description === undefined) {
      throw new Error(`Cannot make task ${taskid}: a new task has status, subject and description`);
    }
    const isAwaited = this.#base.danglingTasks > 0 || this.#awaited.has(taskid);
    const dependents = isAwaited
      ? this.#tasks.filter((task) => task.blockedBy.includes(taskid)).map((task) => task.taskid)
      : [];
    for (const dependent of dependents) this.#touched.add(dependent);
    const task: Task = {
      taskid,
      status,
      subject,
      description,
      activeForm: null,
      owner: null,
      metadata: null,
      blockedBy: none,
      blocks: orNone(dependents),
      openBlockers: none,
      missing: none,
      costBytes: 0,
      createdMs: this.#atMs,
      changedMs: this.#atMs,
    };
    this.#tasks.splice(positionOf(this.#tasks, taskid), 0, task);
    this.#nextTaskid = Math.max(this.#nextTaskid, taskid + 1);
    return task;
  }

  /** Keeps the blockers' side of the edge set true. */
  #moveEdges(before: Task, after: Task): void {
    for (const taskid of before.blockedBy) {
      const blocker = this.#find(taskid);
      if (!blocker || after.blockedBy.includes(taskid)) continue;
      this.#replace({ ...blocker, blocks: orNone(blocker.blocks.filter((id) => id !== after.taskid)) });
    }
    for (const taskid of after.blockedBy) {
      const blocker = this.#find(taskid);
      if (!blocker) this.#awaited.add(taskid);
      if (!blocker || blocker.blocks.includes(after.taskid)) continue;
      this.#replace({ ...blocker, blocks: [...blocker.blocks, after.taskid].sort((a, b) => a - b) });
    }
  }

  finish(): TaskStore {
    const counts = { ...this.#base.counts };
    let { costBytes, danglingTasks } = this.#base;
    for (const taskid of this.#touched) {
      const before = findTask(this.#base, taskid);
      const task = this.#derive(taskid, before);
      if (before) {
        counts[before.status]--;
        costBytes -= before.costBytes;
        if (before.missing.length > 0) danglingTasks--;
      }
      counts[task.status]++;
      costBytes += task.costBytes;
      if (task.missing.length > 0) danglingTasks++;
    }
    return { tasks: this.#tasks, nextTaskid: this.#nextTaskid, counts, costBytes, danglingTasks };
  }

  #derive(taskid: number, before: Task | undefined): Task {
    const position = positionOf(this.#tasks, taskid);
    const task = this.#tasks[position];
    if (task?.taskid !== taskid) throw new Error(`Cannot derive task ${taskid}: it is not in the store`);
    const openBlockers: number[] = [];
    const missing: number[] = [];
    for (const blocker of task.blockedBy) {
      const found = this.#find(blocker);
      if (!found) missing.push(blocker);
      if (!found || isOpen(found.status)) openBlockers.push(blocker);
    }
    const derived: Task = { ...task, openBlockers: orNone(openBlockers), missing: orNone(missing) };
    const after = {
      ...derived,
      costBytes: before && costsAlike(before, derived) ? before.costBytes : costOf(derived),
    };
    this.#tasks[position] = after;
    return after;
  }
}

/** Whether nothing that a task is charged for differs; a status, an owner and open edges are not charged. */
function costsAlike(a: Task, b: Task): boolean {
  return a.subject === b.subject && a.description === b.description && a.activeForm === b.activeForm &&
    a.metadata === b.metadata && a.blockedBy === b.blockedBy && a.blocks === b.blocks &&
    a.missing.join() === b.missing.join();
}
