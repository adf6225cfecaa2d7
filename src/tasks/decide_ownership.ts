/** Claim, complete, release and an agent's exit: who works on what (SPEC §8, R25–R29). */
import type { Caller, Command } from "./command.ts";
import type { Plan } from "./decide.ts";
import { type Refusal, refuse } from "./refusal.ts";
import { resolve } from "./resolve.ts";
import type { Change, TaskStore } from "./store.ts";
import { isOpen, isReady, type Task } from "./task.ts";

/** Whom a claim is for where neither the call nor its arguments name anybody. */
const anonymous = "agent";

/** Waiting tasks that a `nothing_ready` names before it counts the rest. */
const waitingShownMax = 10;

export function claimant(command: Command & { type: "claim" }, caller: Caller): string {
  return command.owner ?? caller.agent ?? anonymous;
}

export function decideClaim(
  store: TaskStore,
  command: Command & { type: "claim" },
  caller: Caller,
): Plan | Refusal {
  const owner = claimant(command, caller);
  const task = command.task === null ? nextFor(store, owner) : resolve(store, command.task);
  if ("isRefusal" in task) return task;
  const mine = task.owner === owner;
  if (mine && task.status === "inprogress") return { changes: [], taskids: [task.taskid], warnings: [] };
  const refusal = claimProblem(task, mine) ?? (command.exclusive ? busyProblem(store, owner, task) : null);
  if (refusal) return refusal;
  return planOf(task, { status: "inprogress", ...(mine ? {} : { owner }) });
}

function planOf(task: Task, change: Omit<Change, "taskid">): Plan {
  return { changes: [{ taskid: task.taskid, ...change }], taskids: [task.taskid], warnings: [] };
}

/** The refusals of a claim, in the order of SPEC §8. */
function claimProblem(task: Task, mine: boolean): Refusal | null {
  const { taskid, status, owner } = task;
  if (!isOpen(status)) {
    return refuse("wrong_status", `only an open task can be claimed: task ${taskid} is ${status}`, {
      taskid,
      status,
    });
  }
  if (owner !== null && !mine) {
    return refuse("already_claimed", `task ${taskid} is already claimed by ${owner}`, { taskid, owner });
  }
  if (status === "inprogress" && owner === null) {
    return refuse("wrong_status", `task ${taskid} is already inprogress, without an owner`, {
      taskid,
      status,
    });
  }
  if (task.openBlockers.length > 0) {
    return refuse("blocked", `task ${taskid} still waits for ${task.openBlockers.join(", ")}`, {
      taskid,
      openBlockers: task.openBlockers,
    });
  }
  return null;
}

function busyProblem(store: TaskStore, owner: string, claimed: Task): Refusal | null {
  const other = store.tasks.find((task) => task !== claimed && task.owner === owner && isOpen(task.status));
  return other
    ? refuse("already_claimed", `${owner} still has task ${other.taskid} open, and this claim is exclusive`, {
      taskid: other.taskid,
      owner,
    })
    : null;
}

/** What an agent goes on with, or could start: its own work first, then the first that is ready. */
function nextFor(store: TaskStore, owner: string): Task | Refusal {
  const own = store.tasks.filter((task) => task.owner === owner);
  const next = own.find((task) => task.status === "inprogress") ??
    own.find((task) => task.status === "pending" && task.openBlockers.length === 0) ??
    store.tasks.find(isReady);
  if (next) return next;
  const waiting = store.tasks.filter((task) => task.status === "pending" && task.openBlockers.length > 0);
  const shown = waiting.slice(0, waitingShownMax)
    .map((task) => `${task.taskid} waits for ${task.openBlockers.join(", ")}`);
  const rest = waiting.length > shown.length ? [`${waiting.length - shown.length} more wait`] : [];
  return refuse(
    "nothing_ready",
    `no task is ready to be claimed: ${[...shown, ...rest].join("; ") || "none is pending without an owner"}`,
    {
      waiting: waiting.slice(0, waitingShownMax).map(({ taskid, openBlockers }) => ({
        taskid,
        openBlockers,
      })),
    },
  );
}

export function decideComplete(
  store: TaskStore,
  command: Command & { type: "complete" },
  caller: Caller,
): Plan | Refusal {
  const task = resolve(store, command.task);
  if ("isRefusal" in task) return task;
  const { taskid, status, owner } = task;
  if (status !== "inprogress") {
    return refuse("wrong_status", `only a task inprogress can be completed: task ${taskid} is ${status}`, {
      taskid,
      status,
    });
  }
  if (owner !== null && caller.agent !== null && owner !== caller.agent) {
    return refuse("not_owner", `task ${taskid} is owned by ${owner}: ${caller.agent} cannot complete it`, {
      taskid,
      owner,
    });
  }
  const plan = planOf(task, { status: "completed" });
  return task.openBlockers.length === 0
    ? plan
    : { ...plan, warnings: [`task ${taskid} still waits for ${task.openBlockers.join(", ")}`] };
}

export function decideRelease(
  store: TaskStore,
  command: Command & { type: "release" },
  caller: Caller,
): Plan | Refusal {
  const task = resolve(store, command.task);
  if ("isRefusal" in task) return task;
  const { taskid, status, owner } = task;
  if (status !== "inprogress" && !(status === "pending" && owner !== null)) {
    return refuse(
      "wrong_status",
      `only a task that somebody has taken can be released: task ${taskid} is ${status}${
        status === "pending" ? " without an owner" : ""
      }`,
      { taskid, status },
    );
  }
  const isAnothers = owner !== null && caller.agent !== null && owner !== caller.agent;
  if (isAnothers && !(command.force && command.reason !== null)) {
    return refuse("not_owner", `task ${taskid} is owned by ${owner}: release it with force and a reason`, {
      taskid,
      owner,
    });
  }
  return planOf(task, releaseOf(task));
}

export function decideExit(store: TaskStore, command: Command & { type: "exit" }): Plan {
  const left = store.tasks.filter((task) => task.owner === command.agent && isOpen(task.status));
  return {
    changes: left.map((task) => ({ taskid: task.taskid, ...releaseOf(task) })),
    taskids: left.map((task) => task.taskid),
    warnings: [],
  };
}

function releaseOf(task: Task): Omit<Change, "taskid"> {
  return {
    ...(task.status === "pending" ? {} : { status: "pending" as const }),
    ...(task.owner === null ? {} : { owner: null }),
  };
}
