/** Creating one task or a batch: all of it or nothing (SPEC §4, §8). */
import type { Command, NewTask } from "./command.ts";
import type { Plan } from "./decide.ts";
import { noEdges, planEdges } from "./edges.ts";
import { fieldsProblem } from "./fields.ts";
import type { Refusal } from "./refusal.ts";
import type { Change, TaskStore } from "./store.ts";

export function decideCreate(store: TaskStore, command: Command & { type: "create" }): Plan | Refusal {
  for (const [index, task] of command.tasks.entries()) {
    const problem = fieldsProblem(task);
    if (!problem) continue;
    return command.isBatch ? { ...problem, message: `tasks[${index}]: ${problem.message}` } : problem;
  }
  const taskids = command.tasks.map((_, index) => store.nextTaskid + index);
  const parts = command.tasks.map((task, index) => ({
    taskid: store.nextTaskid + index,
    edges: { ...noEdges, addBlockedBy: task.blockedBy, addBlocks: task.addBlocks },
  }));
  const planned = planEdges(store, parts, command.isBatch ? taskids : []);
  if ("isRefusal" in planned) return planned;

  const created = command.tasks.map((task, index) => {
    const taskid = store.nextTaskid + index;
    return changeOf(taskid, task, planned.get(taskid));
  });
  const delayed = [...planned].filter(([taskid]) => taskid < store.nextTaskid)
    .map(([taskid, blockedBy]) => ({ taskid, blockedBy }));
  return { changes: [...created, ...delayed], taskids, warnings: [] };
}

function changeOf(taskid: number, task: NewTask, blockedBy: readonly number[] | undefined): Change {
  return {
    taskid,
    status: "pending",
    subject: task.subject,
    description: task.description,
    ...(task.activeForm === null ? {} : { activeForm: task.activeForm }),
    ...(task.owner === null ? {} : { owner: task.owner }),
    ...(blockedBy === undefined ? {} : { blockedBy }),
    ...(task.metadata === null ? {} : { metadata: task.metadata }),
  };
}
