/**
 * `decide`: `(store, command, caller) → decision`, pure. A decision is what changes, with the store after it, or a
 * refusal that changes nothing. The commands' own rules are in `decide_*.ts`; what holds for all of them is here.
 */
import type { Caller, Command } from "./command.ts";
import { decideClaim, decideComplete, decideExit, decideRelease } from "./decide_ownership.ts";
import { decideCreate } from "./decide_create.ts";
import { decideUpdate } from "./decide_update.ts";
import { unblockedBetween } from "./graph.ts";
import { storeCostBytesMax, storeTasksMax } from "./limits.ts";
import { isRefusal, type Refusal, refuse } from "./refusal.ts";
import { resolve } from "./resolve.ts";
import { type Change, evolve, findTask, type TaskStore } from "./store.ts";
import { isReady, type Task } from "./task.ts";

export interface Decision {
  readonly changes: readonly Change[];
  /** The store after the changes; the same object where nothing changed. */
  readonly after: TaskStore;
  /** The tasks that the answer shows, as they are after the changes, ascending. */
  readonly tasks: readonly Task[];
  readonly warnings: readonly string[];
  /** Taskids that this call made ready (R25), ascending. */
  readonly unblocked: readonly number[];
}

/** What the rules of one command say: changes and warnings, and which tasks the answer is about. */
export interface Plan {
  readonly changes: readonly Change[];
  readonly taskids: readonly number[];
  readonly warnings: readonly string[];
}

export function decide(store: TaskStore, command: Command, caller: Caller): Decision | Refusal {
  const plan = planOf(store, command, caller);
  if (isRefusal(plan)) return plan;
  const after = evolve(store, plan, caller.atMs);
  const full = overLimits(store, after);
  if (full) return full;
  const shown = [...new Set(plan.taskids)].sort((a, b) => a - b);
  return {
    changes: plan.changes,
    after,
    tasks: shown.flatMap((taskid) => findTask(after, taskid) ?? []),
    warnings: plan.warnings,
    unblocked: unblockedBetween(store, after, plan.changes.map((change) => change.taskid)),
  };
}

function planOf(store: TaskStore, command: Command, caller: Caller): Plan | Refusal {
  switch (command.type) {
    case "create":
      return decideCreate(store, command);
    case "update":
      return decideUpdate(store, command);
    case "claim":
      return decideClaim(store, command, caller);
    case "complete":
      return decideComplete(store, command, caller);
    case "release":
      return decideRelease(store, command, caller);
    case "exit":
      return decideExit(store, command);
    case "get": {
      const task = resolve(store, command.task);
      return isRefusal(task) ? task : { changes: [], taskids: [task.taskid], warnings: [] };
    }
    case "list": {
      const listed = store.tasks.filter((task) =>
        (command.status === null || task.status === command.status) &&
        (command.owner === null || task.owner === command.owner) &&
        (!command.ready || isReady(task))
      );
      return { changes: [], taskids: listed.map((task) => task.taskid), warnings: [] };
    }
  }
}

/** Only calls that add something can meet the limits of a store (R12). */
function overLimits(before: TaskStore, after: TaskStore): Refusal | null {
  if (after.tasks.length > storeTasksMax && after.tasks.length > before.tasks.length) {
    return refuse(
      "store_full",
      `a store holds ${storeTasksMax} tasks: this would make ${after.tasks.length}`,
      {
        tasks: after.tasks.length,
        tasksMax: storeTasksMax,
      },
    );
  }
  if (after.costBytes > storeCostBytesMax && after.costBytes > before.costBytes) {
    return refuse(
      "store_full",
      `a store may cost ${storeCostBytesMax} bytes on the wire: this would make ${after.costBytes}`,
      { costBytes: after.costBytes, costBytesMax: storeCostBytesMax },
    );
  }
  return null;
}
