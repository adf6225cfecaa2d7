/** Reads the list text of a snapshot back into a store (R23): all of it, or nothing where any of it is unreadable. */
import { hasCycle } from "../tasks/graph.ts";
import { fieldsProblem } from "../tasks/fields.ts";
import { blockersMax, nestingMax } from "../tasks/limits.ts";
import { snapshotMarker } from "../tasks/list_text.ts";
import { isRefusal } from "../tasks/refusal.ts";
import { type Change, emptyStore, evolve, type TaskStore } from "../tasks/store.ts";
import { isTaskid } from "../tasks/task.ts";
import { isJsonObject } from "../tools/arguments.ts";
import { type Fields, readFields } from "../tools/fields.ts";
import { parseJsonText } from "../tools/json_text.ts";
import { isNestedDeeper } from "../tools/nesting.ts";
import { isAgentName } from "../tools/tokens.ts";

/** Whether a system message's text claims to hold a whole store. */
export function isSnapshotText(text: string): boolean {
  return text.startsWith(snapshotMarker);
}

/** The store that the text shows, every task changed at `atMs`; null where it cannot be read. */
export function readSnapshotText(text: string, atMs: number): TaskStore | null {
  const block = /```[ \t]*json\s([^]*?)```/.exec(text)?.[1];
  const list = block === undefined ? null : parseJsonText(block);
  if (!isJsonObject(list) || !Array.isArray(list.tasks)) return null;
  const next = list.next_taskid ?? 1;
  if (!isTaskid(next)) return null;

  const changes: Change[] = [];
  for (const item of list.tasks) {
    const change = isJsonObject(item) && !isNestedDeeper(item, nestingMax) ? readTask(item) : null;
    if (change === null) return null;
    changes.push(change);
  }
  changes.sort((a, b) => a.taskid - b.taskid);
  if (changes.some((change, index) => change.taskid === changes[index + 1]?.taskid)) return null;
  const store = evolve(emptyStore(next), { changes }, atMs);
  return hasCycle(store) ? null : store;
}

/** A listed task as the change that makes it; null where a field is missing or wrong. */
function readTask(item: { readonly [name: string]: unknown }): Change | null {
  const reading = readFields(item, (fields): Change => {
    const ref = fields.task();
    const owner = fields.clearable("owner") ?? null;
    const activeForm = fields.clearable("activeForm") ?? null;
    const metadata = fields.newMetadata();
    const blockedBy = blockersOf(fields);
    return {
      taskid: ref && "taskid" in ref ? ref.taskid : fields.refuse("taskid is missing", "taskid"),
      status: fields.status("status") ?? fields.refuse("status is missing", "status"),
      subject: fields.subject() ?? fields.refuse("subject is missing", "subject"),
      description: fields.text("description") ?? "",
      ...(activeForm === null ? {} : { activeForm }),
      ...(owner === null ? {} : { owner }),
      ...(blockedBy.length === 0 ? {} : { blockedBy }),
      ...(metadata === null ? {} : { metadata }),
    };
  });
  if (isRefusal(reading) || fieldsProblem(reading.value)) return null;
  const { owner, blockedBy } = reading.value;
  if (owner && !isAgentName(owner)) return null;
  return (blockedBy?.length ?? 0) > blockersMax ? null : reading.value;
}

function blockersOf(fields: Fields): readonly number[] {
  const taskids = fields.tasks("blockedBy").map((ref) =>
    "taskid" in ref ? ref.taskid : fields.refuse("blockedBy holds taskids", "blockedBy")
  );
  return [...new Set(taskids)].sort((a, b) => a - b);
}
