/** What of a graph still matters, for where there is no room for all of it. */
import { findTask, type TaskStore } from "../tasks/store.ts";
import { isOpen } from "../tasks/task.ts";

/** The open tasks, those that they have waited for, and the edges between them. */
export function unsettled(store: Pick<TaskStore, "tasks">): Pick<TaskStore, "tasks"> {
  const isOpenId = (taskid: number): boolean => isOpen(findTask(store, taskid)?.status ?? "pending");
  const kept = store.tasks.filter(({ status, blocks }) => isOpen(status) || blocks.some(isOpenId));
  const isKept = (taskid: number): boolean => findTask({ tasks: kept }, taskid) !== undefined;
  return {
    tasks: kept.map((task) => ({
      ...task,
      blocks: task.blocks.filter(isKept),
      blockedBy: task.blockedBy.filter((taskid) => isKept(taskid) || task.missing.includes(taskid)),
    })),
  };
}
