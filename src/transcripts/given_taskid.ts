/** The taskid that the result of a create says it gave. */
import { refOf } from "../tools/fields.ts";
import { isJsonObject } from "../tools/arguments.ts";

/** `Task #3 created successfully: …` (Claude Code), `Created task 3 (pending): …` (Tasuki over MCP). */
const inWords = /^(?:task #(\d{1,15}) created|created task (\d{1,15})\b)/i;

/**
 * Null where it says none.
 *
 * @param structured the result for programs, as a value: `{task: {id: "3"}}`
 * @param text the result for the model: words, or the same value as JSON
 */
export function givenTaskid(structured: unknown, text: string): number | null {
  const match = inWords.exec(text.trimStart());
  return taskidIn(structured) ?? taskidOf(match?.[1] ?? match?.[2]) ?? taskidIn(jsonOf(text));
}

function taskidIn(value: unknown): number | null {
  if (!isJsonObject(value)) return null;
  const task = isJsonObject(value.task) ? value.task : value;
  return taskidOf(task.id) ?? taskidOf(task.taskid) ?? taskidOf(task.taskId);
}

function taskidOf(value: unknown): number | null {
  const ref = refOf(value);
  return ref !== null && "taskid" in ref ? ref.taskid : null;
}

/** Null where the text is no JSON. */
function jsonOf(text: string): unknown {
  if (!text.trimStart().startsWith("{")) return null;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
