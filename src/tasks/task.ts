/** One task, its statuses, and the form in which the outside sees it. */
import { taskidMax } from "./limits.ts";

export const statuses = ["pending", "inprogress", "completed", "deleted"] as const;
export type Status = typeof statuses[number];

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** A task as a store holds it. The derived fields are kept by `evolve` and come from nowhere else. */
export interface Task {
  /** ≥ 1, assigned by the store, never reused in its life. */
  readonly taskid: number;
  readonly status: Status;
  readonly subject: string;
  readonly description: string;
  /** Null where not set, like the next two. */
  readonly activeForm: string | null;
  readonly owner: string | null;
  readonly metadata: JsonObject | null;
  /** The edges: taskids that this task waits for, ascending; kept when a blocker completes (R25). */
  readonly blockedBy: readonly number[];

  /** Derived: the same edges seen from the blocker, ascending. */
  readonly blocks: readonly number[];
  /** Derived: those of `blockedBy` that are neither completed nor deleted, the missing ones included. */
  readonly openBlockers: readonly number[];
  /** Derived: those of `blockedBy` that the store does not have (R27). */
  readonly missing: readonly number[];
  /** Derived: what the task is charged for (R12). */
  readonly costBytes: number;
  /** Milliseconds since the epoch, from the stream's timestamps of the inputs that made and last changed it. */
  readonly createdMs: number;
  readonly changedMs: number;
}

/** A task as answers, lists and snapshots show it: what is not set is not there. */
export interface TaskView {
  readonly taskid: number;
  readonly status: Status;
  readonly subject: string;
  readonly description?: string;
  readonly activeForm?: string;
  readonly owner?: string;
  readonly blockedBy?: readonly number[];
  readonly blocks?: readonly number[];
  readonly openBlockers?: readonly number[];
  readonly missing?: readonly number[];
  readonly metadata?: JsonObject;
}

/** Whether a value from outside can be a taskid. */
export function isTaskid(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= taskidMax;
}

/** Ready (R25): the one definition of what may be claimed. */
export function isReady(task: Task): boolean {
  return task.status === "pending" && task.owner === null && task.openBlockers.length === 0;
}

/** Whether a task of this status still keeps its dependents waiting. */
export function isOpen(status: Status): boolean {
  return status === "pending" || status === "inprogress";
}

/** The task's view, without its description where `brief`. */
export function viewOf(task: Task, brief = false): TaskView {
  return {
    taskid: task.taskid,
    status: task.status,
    subject: task.subject,
    ...(brief ? {} : { description: task.description }),
    ...(task.activeForm === null ? {} : { activeForm: task.activeForm }),
    ...(task.owner === null ? {} : { owner: task.owner }),
    ...(task.blockedBy.length === 0 ? {} : { blockedBy: task.blockedBy }),
    ...(task.blocks.length === 0 ? {} : { blocks: task.blocks }),
    ...(task.openBlockers.length === 0 ? {} : { openBlockers: task.openBlockers }),
    ...(task.missing.length === 0 ? {} : { missing: task.missing }),
    ...(task.metadata === null ? {} : { metadata: task.metadata }),
  };
}
