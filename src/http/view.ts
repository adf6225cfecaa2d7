/** Boards as the page gets them: what a card shows, and all of one task when somebody opens it. */
import { type Standing, standingOf } from "../graph/standing.ts";
import { findTask, type TaskStore } from "../tasks/store.ts";
import { type Task, type TaskView, viewOf } from "../tasks/task.ts";

/** A task without its longer texts. */
interface Card {
  readonly taskid: number;
  readonly standing: Standing;
  readonly status: Task["status"];
  readonly subject: string;
  readonly activeForm?: string;
  readonly owner?: string;
  readonly blockedBy?: readonly number[];
  readonly openBlockers?: readonly number[];
  readonly missing?: readonly number[];
  readonly createdMs: number;
  readonly changedMs: number;
}

export function cardOf(task: Task): Card {
  const { description: _, blocks: __, metadata: ___, ...view } = viewOf(task);
  const { createdMs, changedMs } = task;
  return { ...view, standing: standingOf(task), createdMs, changedMs };
}

/** Everything of a task; null where the store does not have it. */
export function wholeTask(store: TaskStore, taskid: number): (TaskView & Card) | null {
  const task = findTask(store, taskid);
  return task ? { ...viewOf(task), ...cardOf(task) } : null;
}

/** What somebody who has `known` needs to have `store`. */
interface BoardChange {
  /** Whether the cards are all there are; otherwise those that are another one now. */
  readonly isWhole: boolean;
  readonly cards: readonly Card[];
}

/** @param known null where nothing is */
export function changeBetween(known: TaskStore | null, store: TaskStore): BoardChange {
  const isWhole = known === null || known.tasks.some(({ taskid }) => !findTask(store, taskid));
  const changed = isWhole ? store.tasks : store.tasks.filter((task) => findTask(known, task.taskid) !== task);
  return { isWhole, cards: changed.map(cardOf) };
}
