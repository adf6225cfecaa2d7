/** From a tool's name and a model's arguments to a command: lenient in what it takes (R10), never half of a call. */
import type { Command, EdgeEdit, NewTask, TaskEdit, TaskRef } from "../tasks/command.ts";
import { agentCharsMax, batchTasksMax, noteCharsMax, warningsMax } from "../tasks/limits.ts";
import { isRefusal, type Refusal, refuse } from "../tasks/refusal.ts";
import { type Arguments, readArguments } from "./arguments.ts";
import { type FieldName, type Fields, hasField, isGiven, readFields } from "./fields.ts";
import type { ToolName } from "./names.ts";
import { shown } from "./shown.ts";
import { isAgentName, isNote } from "./tokens.ts";

interface ReadCall {
  readonly command: Command;
  /** The arguments as JSON values: what repeats are compared by. */
  readonly args: Arguments;
  readonly warnings: readonly string[];
}

/** @param given the call's `arguments` as they came */
export function readCall(tool: ToolName, given: unknown): ReadCall | Refusal {
  const args = readArguments(given);
  if (isRefusal(args)) return args;
  const missing = missingRequired(tool, args);
  if (missing) return missing;
  const reading = readFields(args, (fields) => readers[tool](fields));
  if (isRefusal(reading)) return reading;
  return { command: reading.value, args, warnings: firstOf(reading.warnings) };
}

/** Up to `warningsMax`, then a count. */
function firstOf(warnings: readonly string[]): readonly string[] {
  const rest = warnings.length - warningsMax;
  return rest > 0 ? [...warnings.slice(0, warningsMax), `and ${rest} more like these`] : warnings;
}

const readers: { readonly [tool in ToolName]: (fields: Fields) => Command } = {
  TaskCreate: readCreate,
  TaskList: (fields) => ({
    type: "list",
    status: fields.status("status"),
    owner: agentName(fields) ?? null,
    ready: fields.flag("ready"),
    brief: fields.flag("brief"),
  }),
  TaskGet: (fields) => ({ type: "get", task: theTask(fields) }),
  TaskUpdate: readUpdate,
  TaskClaim: (fields) => ({
    type: "claim",
    task: fields.task(),
    owner: agentName(fields) ?? null,
    exclusive: fields.flag("exclusive"),
  }),
  TaskComplete: (fields) => ({ type: "complete", task: theTask(fields) }),
  TaskRelease: (fields) => {
    const reason = fields.clearable("reason") ?? null;
    if (reason !== null && !isNote(reason)) {
      fields.refuse(`reason may have at most ${noteCharsMax} characters: got ${shown(reason)}`, "reason");
    }
    return { type: "release", task: theTask(fields), reason, force: fields.flag("force") };
  },
};

function theTask(fields: Fields): TaskRef {
  return fields.task() ?? fields.refuse("taskid is missing", "taskid");
}

/** Undefined where not given, null where the call clears it. */
function agentName(fields: Fields): string | null | undefined {
  const owner = fields.clearable("owner");
  if (typeof owner === "string" && !isAgentName(owner)) {
    fields.refuse(
      `owner must be an agent name, 1 to ${agentCharsMax} of A-Z a-z 0-9 _ . : @ / -: got ${shown(owner)}`,
      "owner",
    );
  }
  return owner;
}

function readCreate(fields: Fields): Command {
  const items = fields.batch();
  if (items === null) return { type: "create", tasks: [readNewTask(fields)], isBatch: false };
  if (fields.has("subject")) fields.refuse("give either tasks or one task's subject: got both", "tasks");
  if (items.length === 0 || items.length > batchTasksMax) {
    fields.refuse(`tasks must hold 1 to ${batchTasksMax} tasks: got ${items.length}`, "tasks");
  }
  const tasks = items.map((item, index) => {
    const reading = hasField(item, "subject")
      ? readFields(item, readNewTask)
      : refuse("invalid_arguments", "subject is missing", { field: "subject" });
    if (isRefusal(reading)) return fields.refuse(`tasks[${index}]: ${reading.message}`, "tasks");
    for (const warning of reading.warnings) fields.warn(`tasks[${index}]: ${warning}`);
    return reading.value;
  });
  return { type: "create", tasks, isBatch: true };
}

function readNewTask(fields: Fields): NewTask {
  const task = {
    subject: fields.subject() ?? fields.refuse("subject is missing", "subject"),
    description: fields.text("description") ?? "",
    activeForm: fields.clearable("activeForm") ?? null,
    owner: agentName(fields) ?? null,
    metadata: fields.newMetadata(),
    blockedBy: fields.tasks("blockedBy"),
    addBlocks: fields.tasks("addBlocks"),
  };
  if (fields.has("status")) fields.warn("ignored status: a new task is pending");
  if (fields.has("taskid")) fields.warn("ignored taskid: the store assigns it");
  return task;
}

function readUpdate(fields: Fields): Command {
  const status = fields.status("status");
  const subject = fields.subject();
  const description = fields.text("description");
  const activeForm = fields.clearable("activeForm");
  const owner = agentName(fields);
  const metadata = fields.metadata();
  const edit: TaskEdit = {
    ...(status === null ? {} : { status }),
    ...(subject === null ? {} : { subject }),
    ...(description === null ? {} : { description }),
    ...(activeForm === undefined ? {} : { activeForm }),
    ...(owner === undefined ? {} : { owner }),
    ...(metadata === null ? {} : { metadata }),
  };
  const edges: EdgeEdit = {
    addBlockedBy: fields.tasks("addBlockedBy"),
    addBlocks: fields.tasks("addBlocks"),
    removeBlockedBy: fields.tasks("removeBlockedBy"),
    removeBlocks: fields.tasks("removeBlocks"),
  };
  return { type: "update", task: theTask(fields), ifStatus: fields.status("if_status"), edit, edges };
}

/** A call whose own required fields are missing: its arguments are some other tool's, or nobody's. */
function missingRequired(tool: ToolName, args: Arguments): Refusal | null {
  const bare = tool === "TaskUpdate" ? bareEdges.filter((name) => isGiven(args, name)) : [];
  if (bare.length > 0) {
    const message =
      "TaskUpdate changes edges with addBlockedBy, addBlocks, removeBlockedBy and removeBlocks: " +
      `got ${bare.join(" and ")}`;
    return refuse("invalid_arguments", message, { field: "blockedBy" });
  }
  const missing = missingOf(tool, args);
  if (missing === null) return null;
  const likely = recognisable.find((other) => other !== tool && missingOf(other, args) === null);
  const hint = likely ? `; these look like arguments of ${likely}` : "";
  const came = Object.keys(args).length === 0 ? "nothing" : shown(args);
  return refuse("invalid_arguments", `${tool} needs ${missing}: got ${came}${hint}`, { missing });
}

/** Tools that arguments can be told to belong to, the most specific first. */
const recognisable: readonly ToolName[] = ["TaskUpdate", "TaskCreate", "TaskGet"];
const bareEdges: readonly string[] = ["blockedBy", "blocked_by", "blocks"];
const changeable: readonly FieldName[] = [
  "status",
  "subject",
  "description",
  "activeForm",
  "owner",
  "metadata",
  "addBlockedBy",
  "addBlocks",
  "removeBlockedBy",
  "removeBlocks",
];

/** What the tool needs and the arguments do not have, in words; null where all is there. */
function missingOf(tool: ToolName, args: Arguments): string | null {
  switch (tool) {
    case "TaskCreate":
      return hasField(args, "subject") || hasField(args, "tasks") ? null : "a subject";
    case "TaskList":
    case "TaskClaim":
      return null;
    case "TaskGet":
    case "TaskComplete":
    case "TaskRelease":
      return hasField(args, "taskid") ? null : "a taskid";
    case "TaskUpdate": {
      const needs = [
        ...(hasField(args, "taskid") ? [] : ["a taskid"]),
        ...(changeable.some((field) => hasField(args, field))
          ? []
          : ["at least one field to change (status, subject, description, …)"]),
      ];
      return needs.length === 0 ? null : needs.join(" and ");
    }
  }
}
