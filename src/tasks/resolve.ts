/** From the way a call names a task to the task itself, or to a refusal that helps to name it right. */
import type { TaskRef } from "./command.ts";
import { quoteCharsMax } from "./limits.ts";
import { type Refusal, refuse } from "./refusal.ts";
import { findTask, type TaskStore } from "./store.ts";
import type { Task } from "./task.ts";
import { cutText, inlineText } from "./text.ts";

/** The task that a call is about. */
export function resolve(store: TaskStore, ref: TaskRef): Task | Refusal {
  if (!("taskid" in ref)) return noId(store, ref);
  return findTask(store, ref.taskid) ??
    refuse("task_not_found", `there is no task ${ref.taskid}: ${taskidsOf(store)}`, { taskid: ref.taskid });
}

/**
 * The taskids at the other ends of edges. A batch may name its own tasks as `$1`, `$2`, …
 *
 * @param siblings taskids of the batch, in its order; empty where the call is none
 */
export function resolveEnds(
  store: TaskStore,
  refs: readonly TaskRef[],
  siblings: readonly number[],
): readonly number[] | Refusal {
  const taskids: number[] = [];
  for (const ref of refs) {
    if ("words" in ref) return noId(store, ref);
    const taskid = "taskid" in ref ? findTask(store, ref.taskid)?.taskid : siblings[ref.sibling - 1];
    if (taskid !== undefined) taskids.push(taskid);
    else {return "taskid" in ref
        ? noSuchEnd(store, ref.taskid, siblings.length)
        : noSibling(ref.sibling, siblings.length);}
  }
  return taskids;
}

/** The taskids at the other ends of edges to remove: such a task need not be there (R27), only named by its id. */
export function namedEnds(store: TaskStore, refs: readonly TaskRef[]): readonly number[] | Refusal {
  const taskids: number[] = [];
  for (const ref of refs) {
    if (!("taskid" in ref)) return noId(store, ref);
    taskids.push(ref.taskid);
  }
  return taskids;
}

function noSibling(sibling: number, count: number): Refusal {
  return refuse(
    "invalid_arguments",
    count === 0
      ? `"$${sibling}" names a task of the same batch, and this call creates none: give a taskid`
      : `there is no "$${sibling}" in this batch: it has "$1" to "$${count}"`,
  );
}

function noSuchEnd(store: TaskStore, taskid: number, siblings: number): Refusal {
  const hint = siblings === 0 ? "" : `; the tasks of this batch are "$1" to "$${siblings}"`;
  return refuse(
    "invalid_arguments",
    `an edge needs two tasks, and there is no task ${taskid}: ${taskidsOf(store)}${hint}`,
    { taskid },
  );
}

/** Words where a taskid belongs: perhaps the subject of a task. */
function noId(store: TaskStore, ref: Exclude<TaskRef, { readonly taskid: number }>): Refusal {
  const words = "words" in ref ? ref.words : `$${ref.sibling}`;
  const wanted = words.trim().toLowerCase();
  const meant = store.tasks.find((task) => task.subject.toLowerCase() === wanted);
  const hint = meant ? `: did you mean ${meant.taskid}?` : `; ${taskidsOf(store)}`;
  return refuse(
    "invalid_arguments",
    `a taskid is an integer like 3: got "${inlineText(cutText(words, quoteCharsMax))}"${hint}`,
    meant ? { didYouMean: meant.taskid } : {},
  );
}

function taskidsOf(store: TaskStore): string {
  const first = store.tasks[0];
  const last = store.tasks.at(-1);
  if (!first || !last) return "the store has no tasks yet";
  return first === last
    ? `the only taskid is ${first.taskid}`
    : `taskids run from ${first.taskid} to ${last.taskid}`;
}
