/** What a task costs on the wire (SPEC R12): charged so that no change of status or owner can raise it. */
import { agentCharsMax } from "./limits.ts";
import { type Task, viewOf } from "./task.ts";
import { jsonText, utf8Bytes } from "./text.ts";

const longestOwner = "x".repeat(agentCharsMax);

/** Bytes: its JSON plus twice its list-text line as a JSON string, as if in progress, owned, every edge open. */
export function costOf(task: Task): number {
  const dearest = viewOf({
    ...task,
    status: "inprogress",
    owner: longestOwner,
    openBlockers: task.blockedBy,
  });
  return utf8Bytes(JSON.stringify(dearest)) + 2 * utf8Bytes(JSON.stringify(jsonText(dearest)));
}
