/** Stores, commands and outcomes for tests of `src/tasks`: given a store, when a command, then an outcome. */
import type { Caller, Command, EdgeEdit, NewTask, TaskEdit, TaskRef } from "../../src/tasks/command.ts";
import { decide, type Decision } from "../../src/tasks/decide.ts";
import { isRefusal, type Refusal } from "../../src/tasks/refusal.ts";
import { type Change, emptyStore, evolve, type TaskStore } from "../../src/tasks/store.ts";
import { type Status, type TaskView, viewOf } from "../../src/tasks/task.ts";

/** When the tasks of {@link storeOf} were made. */
export const madeMs = 1_000;
/** When the commands of these tests are decided. */
export const nowMs = 2_000;

export type GivenTask = Omit<Change, "taskid"> & { readonly taskid?: number };

/** A store with these tasks; a task is pending, numbered by its place and called `task n` where it does not say. */
export function storeOf(...tasks: readonly GivenTask[]): TaskStore {
  const changes = tasks.map((task, index): Change => {
    const taskid = task.taskid ?? index + 1;
    return { status: "pending", subject: `task ${taskid}`, description: "", ...task, taskid };
  });
  return evolve(emptyStore(), { changes }, madeMs);
}

/** The store's tasks as everybody sees them. */
export function viewsOf(store: TaskStore): readonly TaskView[] {
  return store.tasks.map((task) => viewOf(task));
}

export function by(agent: string | null): Caller {
  return { agent, atMs: nowMs };
}

/** Tasks by their ids, as calls name them. */
export function ids(...taskids: readonly number[]): readonly TaskRef[] {
  return taskids.map((taskid) => ({ taskid }));
}

export function newTask(fields: Partial<NewTask> = {}): NewTask {
  return {
    subject: "new",
    description: "",
    activeForm: null,
    owner: null,
    metadata: null,
    blockedBy: [],
    addBlocks: [],
    ...fields,
  };
}

export function create(fields: Partial<NewTask> = {}): Command {
  return { type: "create", tasks: [newTask(fields)], isBatch: false };
}

export function createBatch(...tasks: readonly Partial<NewTask>[]): Command {
  return { type: "create", tasks: tasks.map(newTask), isBatch: true };
}

export interface UpdateParts {
  readonly edges?: Partial<EdgeEdit>;
  readonly ifStatus?: Status;
}

export function update(taskid: number, edit: TaskEdit, { edges, ifStatus }: UpdateParts = {}): Command {
  return {
    type: "update",
    task: { taskid },
    ifStatus: ifStatus ?? null,
    edit,
    edges: { addBlockedBy: [], addBlocks: [], removeBlockedBy: [], removeBlocks: [], ...edges },
  };
}

export function updateEdges(taskid: number, edges: Partial<EdgeEdit>): Command {
  return update(taskid, {}, { edges });
}

export function claim(taskid: number | null, fields: { owner?: string; exclusive?: boolean } = {}): Command {
  const task = taskid === null ? null : { taskid };
  return { type: "claim", task, owner: fields.owner ?? null, exclusive: fields.exclusive ?? false };
}

export function complete(taskid: number): Command {
  return { type: "complete", task: { taskid } };
}

export function release(taskid: number, fields: { reason?: string; force?: boolean } = {}): Command {
  return {
    type: "release",
    task: { taskid },
    reason: fields.reason ?? null,
    force: fields.force ?? false,
  };
}

export function get(taskid: number): Command {
  return { type: "get", task: { taskid } };
}

export function exit(agent: string): Command {
  return { type: "exit", agent };
}

export function list(
  fields: { status?: Status; owner?: string; ready?: boolean; brief?: boolean } = {},
): Command {
  const { status = null, owner = null, ready = false, brief = false } = fields;
  return { type: "list", status, owner, ready, brief };
}

/** What a command led to, without the store after it. */
export type Outcome = Pick<Decision, "changes" | "warnings" | "unblocked"> | Omit<Refusal, "isRefusal">;

export function outcomeOf(store: TaskStore, command: Command, agent: string | null = null): Outcome {
  const decided = decide(store, command, by(agent));
  if (isRefusal(decided)) {
    const { code, message, fields } = decided;
    return { code, message, fields };
  }
  const { changes, warnings, unblocked } = decided;
  return { changes, warnings, unblocked };
}

/** An outcome that changes this and says nothing more. */
export function changed(...changes: readonly Change[]): Outcome {
  return { changes, warnings: [], unblocked: [] };
}

/** @throws {Error} when the command is refused */
export function decisionOf(store: TaskStore, command: Command, agent: string | null = null): Decision {
  const decided = decide(store, command, by(agent));
  if (isRefusal(decided)) throw new Error(`Refused (${decided.code}): ${decided.message}`);
  return decided;
}

/** The store after these commands, by nobody in particular. */
export function after(store: TaskStore, ...commands: readonly Command[]): TaskStore {
  return commands.reduce((before, command) => decisionOf(before, command).after, store);
}
