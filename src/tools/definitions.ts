/** The tools as a model is shown them: the strict form only (SPEC §10), and one correct example each. */
import type { JsonObject } from "../tasks/task.ts";
import { batchTasksMax, subjectCharsMax } from "../tasks/limits.ts";
import { statuses } from "../tasks/task.ts";
import type { ToolName } from "./names.ts";

export interface ToolDefinition {
  readonly name: ToolName;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
}

export const toolSets = ["session", "graph"] as const;
type ToolSet = typeof toolSets[number];

/** One correct call of each tool: what a refusal shows, and what the definitions are tested with. */
export const examples: { readonly [tool in ToolName]: JsonObject } = {
  TaskCreate: { subject: "Write the parser", description: "Read JSONC, keep comments" },
  TaskList: {},
  TaskGet: { taskid: 1 },
  TaskUpdate: { taskid: 1, status: "inprogress" },
  TaskClaim: { taskid: 1 },
  TaskComplete: { taskid: 1 },
  TaskRelease: { taskid: 1, reason: "waiting for a review" },
};

const taskid = {
  type: "integer",
  minimum: 1,
  description: "The task's id, as TaskCreate and TaskList show it",
};
const subject = {
  type: "string",
  minLength: 1,
  maxLength: subjectCharsMax,
  description: "What is to be done, in one line",
};
const description = { type: "string", description: "Details: what done means, files, decisions" };
const status = {
  type: "string",
  enum: [...statuses],
  description:
    "pending, then inprogress when work starts, completed when it is done; deleted withdraws a task",
};
const taskids = { type: "array", items: { type: "integer", minimum: 1 } };
const owner = { type: "string", description: "Name of the agent that works on the task" };
const activeForm = {
  type: "string",
  description: "The subject as an activity, for a spinner: Writing the parser",
};
const metadata = { type: "object", description: "Anything else, as JSON; null removes a key" };

function object(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: "object", properties, required, additionalProperties: false };
}

const sessionTools: readonly ToolDefinition[] = [
  {
    name: "TaskCreate",
    description:
      "Add a task to the end of the session's task list. It starts pending; the answer gives its taskid.",
    parameters: object({ subject, description }, ["subject", "description"]),
  },
  {
    name: "TaskList",
    description: "Show every task of the list, the completed and deleted ones too.",
    parameters: object({}),
  },
  {
    name: "TaskGet",
    description: "Show one task.",
    parameters: object({ taskid }, ["taskid"]),
  },
  {
    name: "TaskUpdate",
    description:
      "Change a task's status, subject or description. Set inprogress when you start and completed when " +
      "it is done; set deleted to withdraw a task, which stays listed.",
    parameters: object({ taskid, status, subject, description }, ["taskid"]),
  },
];

const newTask = {
  subject,
  description,
  activeForm,
  owner,
  metadata,
  blockedBy: { ...taskids, description: "Tasks that must be completed first" },
};

const graphTools: readonly ToolDefinition[] = [
  {
    name: "TaskCreate",
    description:
      "Add one task, or several in one step with `tasks`, to the board. A task that waits for others " +
      'names them in blockedBy; inside `tasks`, "$1" is the first task of the same call.',
    parameters: object({
      ...newTask,
      tasks: {
        type: "array",
        minItems: 1,
        maxItems: batchTasksMax,
        description: "Several tasks at once, instead of subject and description",
        items: object({
          ...newTask,
          blockedBy: {
            type: "array",
            items: {
              anyOf: [{ type: "integer", minimum: 1 }, { type: "string", pattern: "^\\$[1-9][0-9]*$" }],
            },
            description: 'Tasks that must be completed first; "$n" is the n-th task of this call',
          },
        }, ["subject"]),
      },
    }),
  },
  {
    name: "TaskList",
    description: "Show the board's tasks: all, or those that match. `ready` shows what can be claimed now.",
    parameters: object({
      status,
      owner,
      ready: {
        type: "boolean",
        description: "Only pending tasks without an owner and without open blockers",
      },
      brief: { type: "boolean", description: "Leave the descriptions out" },
    }),
  },
  {
    name: "TaskGet",
    description: "Show one task.",
    parameters: object({ taskid }, ["taskid"]),
  },
  {
    name: "TaskUpdate",
    description:
      "Change a task's fields or what it waits for. To start, finish or hand back work, use TaskClaim, " +
      "TaskComplete and TaskRelease.",
    parameters: object({
      taskid,
      status,
      subject,
      description,
      activeForm,
      owner,
      metadata,
      if_status: { ...status, description: "Change nothing unless the task has this status" },
      addBlockedBy: { ...taskids, description: "Tasks that this one waits for from now on" },
      addBlocks: { ...taskids, description: "Tasks that wait for this one from now on" },
      removeBlockedBy: { ...taskids, description: "Tasks that this one no longer waits for" },
      removeBlocks: { ...taskids, description: "Tasks that no longer wait for this one" },
    }, ["taskid"]),
  },
  {
    name: "TaskClaim",
    description:
      "Take a task and start it. Without a taskid: go on with your own task, or take the first that is " +
      "ready. Of several agents exactly one gets a task.",
    parameters: object({
      taskid,
      owner,
      exclusive: { type: "boolean", description: "Refuse while you have another task open" },
    }),
  },
  {
    name: "TaskComplete",
    description: "Finish a task that is inprogress; the answer names the tasks that became ready.",
    parameters: object({ taskid }, ["taskid"]),
  },
  {
    name: "TaskRelease",
    description: "Hand a task back: it is pending again and has no owner.",
    parameters: object({
      taskid,
      reason: { type: "string", maxLength: 128, description: "Why; required with force" },
      force: { type: "boolean", description: "Release another agent's task" },
    }, ["taskid"]),
  },
];

export function definitions(set: ToolSet): readonly ToolDefinition[] {
  switch (set) {
    case "session":
      return sessionTools;
    case "graph":
      return graphTools;
  }
}
