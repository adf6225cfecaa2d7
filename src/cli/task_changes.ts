/** What happened to the tasks of a store between two moments, and each change in a line. */
import { findTask, type TaskStore } from "../tasks/store.ts";
import type { Task } from "../tasks/task.ts";
import { lineForTerminal } from "./terminal_text.ts";

export interface TaskChange {
  /** Null where the task was made. */
  readonly before: Task | null;
  readonly after: Task;
}

/** Tasks that are new, or differ in something that a call can change; ascending by taskid. */
export function taskChanges(before: TaskStore, after: TaskStore): readonly TaskChange[] {
  if (before.tasks === after.tasks) return [];
  return after.tasks.map((task): TaskChange => ({
    before: findTask(before, task.taskid) ?? null,
    after: task,
  }))
    .filter((change) => change.before === null || changedFields(change.before, change.after).length > 0);
}

const fields = ["status", "subject", "description", "activeForm", "owner", "metadata", "blockedBy"] as const;

function changedFields(before: Task, after: Task): readonly string[] {
  return fields.filter((field) =>
    before[field] !== after[field] && JSON.stringify(before[field]) !== JSON.stringify(after[field])
  );
}

/** `task 3 pending → inprogress (owner): write the parser`, fit for a terminal. */
export function changeLine({ before, after }: TaskChange): string {
  const name = `task ${after.taskid}`;
  const subject = lineForTerminal(after.subject);
  if (before === null) {
    return `${name} created${after.status === "pending" ? "" : `, ${after.status}`}: ${subject}`;
  }
  const others = changedFields(before, after).filter((field) => field !== "status").join(", ");
  if (before.status === after.status) return `${name} changed (${others}): ${subject}`;
  return `${name} ${before.status} → ${after.status}${others === "" ? "" : ` (${others})`}: ${subject}`;
}
