/** Updating a task: any status to any other, fields, metadata, edges; a warning where it is unusual (SPEC §4, R9, R26). */
import { canonicalJson } from "./canonical_json.ts";
import type { Command, TaskEdit } from "./command.ts";
import type { Plan } from "./decide.ts";
import { planEdges } from "./edges.ts";
import { fieldsProblem } from "./fields.ts";
import { isOpenBlocker } from "./graph.ts";
import { type Refusal, refuse } from "./refusal.ts";
import { resolve } from "./resolve.ts";
import type { Change, TaskStore } from "./store.ts";
import type { JsonObject, Task } from "./task.ts";

export function decideUpdate(store: TaskStore, command: Command & { type: "update" }): Plan | Refusal {
  const task = resolve(store, command.task);
  if ("isRefusal" in task) return task;
  const { taskid } = task;
  if (command.ifStatus !== null && task.status !== command.ifStatus) {
    return refuse(
      "wrong_status",
      `task ${taskid} must be ${command.ifStatus} for this update: it is ${task.status}`,
      {
        taskid,
        status: task.status,
      },
    );
  }
  const edit = command.edit.metadata === undefined
    ? command.edit
    : { ...command.edit, metadata: merged(task.metadata, command.edit.metadata) };
  const problem = fieldsProblem(edit);
  if (problem) return problem;
  const planned = planEdges(store, [{ taskid, edges: command.edges }], []);
  if ("isRefusal" in planned) return planned;

  const own = ownChange(task, edit, planned.get(taskid));
  const others = [...planned].filter(([id]) => id !== taskid)
    .map(([id, blockedBy]) => ({ taskid: id, blockedBy: blockedBy.length === 0 ? null : blockedBy }));
  return {
    changes: [...(own ? [own] : []), ...others],
    taskids: [taskid],
    warnings: warningsOf(store, task, edit, planned.get(taskid)),
  };
}

/** Null where the metadata is empty after the merge. */
function merged(before: JsonObject | null, edit: JsonObject): JsonObject | null {
  const after = new Map(Object.entries(before ?? {}));
  for (const [key, value] of Object.entries(edit)) {
    if (value === null) after.delete(key);
    else after.set(key, value);
  }
  return after.size === 0 ? null : Object.fromEntries(after);
}

type MergedEdit = Omit<TaskEdit, "metadata"> & { readonly metadata?: JsonObject | null };

function ownChange(task: Task, edit: MergedEdit, blockedBy: readonly number[] | undefined): Change | null {
  const returnsToPending = edit.status === "pending" && task.status !== "pending";
  const owner = edit.owner === undefined && returnsToPending ? null : edit.owner;
  const differs = <T>(wanted: T | undefined, has: T): wanted is T => wanted !== undefined && wanted !== has;
  const change: Change = {
    taskid: task.taskid,
    ...(differs(edit.status, task.status) ? { status: edit.status } : {}),
    ...(differs(edit.subject, task.subject) ? { subject: edit.subject } : {}),
    ...(differs(edit.description, task.description) ? { description: edit.description } : {}),
    ...(differs(edit.activeForm, task.activeForm) ? { activeForm: edit.activeForm } : {}),
    ...(differs(owner, task.owner) ? { owner } : {}),
    ...(blockedBy === undefined ? {} : { blockedBy: blockedBy.length === 0 ? null : blockedBy }),
    ...(edit.metadata !== undefined && canonicalJson(edit.metadata) !== canonicalJson(task.metadata)
      ? { metadata: edit.metadata }
      : {}),
  };
  return Object.keys(change).length > 1 ? change : null;
}

function warningsOf(
  store: TaskStore,
  task: Task,
  edit: MergedEdit,
  blockedBy: readonly number[] | undefined,
): readonly string[] {
  const warnings: string[] = [];
  if (edit.status === undefined || edit.status === task.status) return warnings;
  if (task.status === "deleted") warnings.push(`task ${task.taskid} was deleted: it is ${edit.status} again`);
  const open = blockedBy?.filter((id) => isOpenBlocker(store, id)) ?? task.openBlockers;
  if ((edit.status === "inprogress" || edit.status === "completed") && open.length > 0) {
    warnings.push(`task ${task.taskid} still waits for ${open.join(", ")}`);
  }
  return warnings;
}
