/** The answer to a call: what a model reads, in the shape of an MCP CallToolResult (SPEC §3, R7). */
import type { Command } from "../tasks/command.ts";
import type { Decision } from "../tasks/decide.ts";
import { listText, overview } from "../tasks/list_text.ts";
import type { Refusal } from "../tasks/refusal.ts";
import { type Change, findTask, type TaskStore } from "../tasks/store.ts";
import { type JsonValue, type Task, type TaskView, viewOf } from "../tasks/task.ts";
import { inlineText, jsonText } from "../tasks/text.ts";
import { examples } from "./definitions.ts";
import type { ToolName } from "./names.ts";

/** https://modelcontextprotocol.io: the result of tools/call. */
export interface CallToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly structuredContent: { readonly [name: string]: unknown };
  readonly isError: boolean;
}

export interface Answer {
  /** One or more lines for a log or a person; what a writing tool's text begins with. */
  readonly summary: string;
  readonly result: CallToolResult;
}

/** @param tool the tool that was called; null where no tool has the name, and the refusal lists those there are */
export function refusalAnswer(tool: ToolName | null, refusal: Refusal): Answer {
  const example = tool === null ? "" : `\nA correct call: ${tool} ${JSON.stringify(examples[tool])}`;
  const summary = `Refused (${refusal.code}): ${refusal.message}${example}`;
  const error = { code: refusal.code, message: refusal.message, ...refusal.fields };
  return { summary, result: resultOf(summary, { error }, true) };
}

/** @param warnings of reading and deciding, in the order in which they are to be read */
export function answerOf(
  command: Command,
  before: TaskStore,
  decision: Decision,
  warnings: readonly string[],
): Answer {
  switch (command.type) {
    case "list": {
      const isWhole = decision.tasks.length === decision.after.tasks.length;
      const text = listText(decision.after, isWhole ? undefined : decision.tasks, command.brief);
      const tasks = decision.tasks.map((task) => viewOf(task, command.brief));
      const counts = decision.after.counts;
      return {
        summary: overview(decision.after),
        result: resultOf(withWarnings(text, warnings), { tasks, counts }),
      };
    }
    case "get":
      return taskAnswer(decision, "", true, warnings);
    case "create":
      if (command.isBatch) return batchAnswer(decision, warnings);
      return taskAnswer(decision, headline(before, decision, "Created"), true, warnings);
    case "update":
      return taskAnswer(
        decision,
        headline(before, decision, "Updated"),
        touchesDescription(decision),
        warnings,
      );
    case "claim":
      return taskAnswer(decision, headline(before, decision, "Claimed"), false, warnings);
    case "complete":
      return taskAnswer(decision, headline(before, decision, "Completed"), false, warnings);
    case "release": {
      const reason = command.reason === null ? "" : `\nReason: ${inlineText(command.reason)}`;
      return taskAnswer(decision, headline(before, decision, "Released") + reason, false, warnings);
    }
    case "exit":
      throw new Error("Cannot answer an agent's exit as a call: it is an event");
  }
}

/** The answer of a call that was repeated and whose first answer the log no longer has: the tasks as they are (R6). */
export function currentAnswer(store: TaskStore, taskids: readonly number[]): Answer {
  const tasks = taskids.flatMap((taskid) => findTask(store, taskid) ?? []);
  const [only] = tasks;
  const summary = `Already done before; as it is now\n${overview(store)}`;
  if (tasks.length === 1 && only) {
    return { summary, result: resultOf(`${summary}\n${jsonText(viewOf(only))}`, { task: viewOf(only) }) };
  }
  return {
    summary,
    result: resultOf([summary, ...tasks.map(idAndSubjectLine)].join("\n"), {
      tasks: tasks.map(idAndSubject),
    }),
  };
}

function taskAnswer(
  decision: Decision,
  head: string,
  withDescription: boolean,
  warnings: readonly string[],
): Answer {
  const [task] = decision.tasks;
  if (!task) throw new Error("Cannot answer a call: its decision names no task");
  const line = jsonText(viewOf(task, !withDescription));
  const structured = { task: viewOf(task), ...unblockedOf(decision) };
  if (head === "") {
    return {
      summary: `Task ${task.taskid} (${task.status}): ${inlineText(task.subject)}`,
      result: resultOf(withWarnings(line, warnings), structured),
    };
  }
  const summary = [head, ...unblockedLines(decision), overview(decision.after)].join("\n");
  return { summary, result: resultOf(withWarnings(`${summary}\n${line}`, warnings), structured) };
}

/** `Updated task 3 (inprogress): write parser`, with what changed, or that nothing did. */
function headline(before: TaskStore, decision: Decision, verb: string): string {
  const [task] = decision.tasks;
  if (!task) throw new Error("Cannot answer a call: its decision names no task");
  const name = `task ${task.taskid} (${task.status}): ${inlineText(task.subject)}`;
  if (decision.changes.length === 0) return `T${name.slice(1)}: no change`;
  const changed = whatChanged(findTask(before, task.taskid), decision.changes);
  return `${verb} ${name}${changed === "" ? "" : `\nChanged: ${changed}`}`;
}

/** Nothing for a task that was made now. ASCII: one letter beyond Latin-1, and V8 writes all of the answer half as fast. */
function whatChanged(before: Task | undefined, changes: readonly Change[]): string {
  if (!before) return "";
  return changes.flatMap((change) => {
    if (change.taskid !== before.taskid) return [`blockedBy of task ${change.taskid}`];
    return Object.keys(change).filter((field) => field !== "taskid").map((field) =>
      field === "status" ? `status (${before.status} -> ${change.status})` : field
    );
  }).join(", ");
}

function touchesDescription(decision: Decision): boolean {
  return decision.changes.some((change) => change.description !== undefined);
}

function batchAnswer(decision: Decision, warnings: readonly string[]): Answer {
  const taskids = decision.tasks.map((task) => task.taskid).join(", ");
  const summary = `Created ${decision.tasks.length} task(s): ${taskids}\n${overview(decision.after)}`;
  const text = [summary, ...decision.tasks.map(idAndSubjectLine)].join("\n");
  const structured = { tasks: decision.tasks.map(idAndSubject), ...unblockedOf(decision) };
  return { summary, result: resultOf(withWarnings(text, warnings), structured) };
}

function idAndSubject({ taskid, subject }: Task): Pick<TaskView, "taskid" | "subject"> {
  return { taskid, subject };
}

function idAndSubjectLine(task: Task): string {
  return jsonText(idAndSubject(task));
}

function unblockedTasks(decision: Decision): readonly Task[] {
  return decision.unblocked.flatMap((taskid) => findTask(decision.after, taskid) ?? []);
}

function unblockedOf(decision: Decision): { readonly unblocked?: readonly JsonValue[] } {
  const unblocked = unblockedTasks(decision).map(({ taskid, subject }) => ({ taskid, subject }));
  return unblocked.length === 0 ? {} : { unblocked };
}

function unblockedLines(decision: Decision): readonly string[] {
  const names = unblockedTasks(decision).map((task) => `${task.taskid} (${inlineText(task.subject)})`);
  return names.length === 0 ? [] : [`Unblocked: ${names.join(", ")}`];
}

function withWarnings(text: string, warnings: readonly string[]): string {
  return [text, ...warnings.map((warning) => `Warning: ${warning}`)].join("\n");
}

function resultOf(
  text: string,
  structuredContent: CallToolResult["structuredContent"],
  isError = false,
): CallToolResult {
  return { content: [{ type: "text", text }], structuredContent, isError };
}
