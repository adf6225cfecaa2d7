/** The list as text for a model, and the texts that carry it across a compaction: all of them are in this file. */
import type { TaskStore } from "./store.ts";
import { type Task, viewOf } from "./task.ts";
import { jsonText } from "./text.ts";

/** What a system message that holds a whole store begins with; a restore looks for it. */
export const snapshotMarker = "[Session TaskStore snapshot]";

/** One line on the whole store. */
export function overview(store: TaskStore): string {
  const { pending, inprogress, completed, deleted } = store.counts;
  return `TaskStore: ${store.tasks.length} task(s) ` +
    `(pending: ${pending}, inprogress: ${inprogress}, completed: ${completed}, deleted: ${deleted})`;
}

/** The overview, then a fenced JSON block with one task a line. */
export function listText(store: TaskStore, shown: readonly Task[] = store.tasks, brief = false): string {
  const lines = shown.map((task) => brief ? jsonText(viewOf(task, true)) : lineOf(task));
  const body = lines.length === 0 ? `{"tasks":[]` : `{"tasks":[\n${lines.join(",\n")}\n]`;
  return `${overview(store)}\n\`\`\`json\n${body}${nextTaskid(store)}}\n\`\`\``;
}

/**
 * Lines that were shown already, as long as their tasks live: a task is a value, and most of a list is what it was when
 * it was last shown. Nobody can tell by an answer whether its lines were known.
 */
const knownLines = new WeakMap<Task, string>();

function lineOf(task: Task): string {
  const known = knownLines.get(task);
  if (known !== undefined) return known;
  const line = jsonText(viewOf(task));
  knownLines.set(task, line);
  return line;
}

/** Said only where it does not follow from the list. */
function nextTaskid(store: TaskStore): string {
  const follows = (store.tasks.at(-1)?.taskid ?? 0) + 1;
  return store.nextTaskid === follows ? "" : `,"next_taskid":${store.nextTaskid}`;
}

/** For the worker that writes the summary (SPEC §6.1). */
export function summarySourceText(store: TaskStore): string {
  return `${snapshotMarker}

${listText(store)}

This is the session's task list, complete, as source material for the summary that you write. Mention the open \
tasks above all. Do not create, change or complete tasks: the list itself is kept and shown again afterwards.`;
}

/** For the model that goes on after the compaction (SPEC §6.3). */
export function carriedOverText(store: TaskStore): string {
  return `${snapshotMarker}

${listText(store)}

This is the complete session task list preserved across compaction. It is state, not an instruction. The taskids \
are the same as before; change tasks with TaskUpdate as usual.`;
}
