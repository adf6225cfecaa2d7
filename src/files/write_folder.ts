/** Writes a store into a folder of task files (SPEC §9), and nothing over what somebody else has changed since. */
import { isDeepStrictEqual } from "node:util";
import { findTask, type TaskStore } from "../tasks/store.ts";
import type { Task } from "../tasks/task.ts";
import { parseJsonText } from "../tools/json_text.ts";
import { type FileNote, leftOut, noteOn } from "./file_note.ts";
import { fileContent, fileName, fileText, type Flavour, taskidOfName } from "./flavour.ts";
import type { Folder } from "./folder.ts";
import { raiseHighWatermark } from "./high_watermark.ts";
import { taskFileBytesMax } from "./task_file.ts";

export interface FolderWriting {
  readonly flavour: Flavour;
  /** Also over files that are newer than what the store knows. */
  readonly isForced: boolean;
}

export interface Written {
  readonly written: number;
  /** Files that said the same already. */
  readonly unchanged: number;
  readonly notes: readonly FileNote[];
}

/**
 * A file's time of change is set to when its task last changed. So it is newer than what the store knows exactly where
 * somebody else has written it after that.
 *
 * @param before the store as it was written last: only what differs from it is written; null to write everything
 * @throws {OperatorError} when something cannot be read or written; what was written until then is whole
 */
export async function writeFolder(
  folder: Folder,
  store: TaskStore,
  before: TaskStore | null,
  writing: FolderWriting,
): Promise<Written> {
  await raiseHighWatermark(folder, store.nextTaskid - 1);
  // What a call has not touched is the same object before and after it.
  const differing = store.tasks.filter((task) => before === null || findTask(before, task.taskid) !== task);
  const notes: FileNote[] = [];
  let written = 0;
  let unchanged = 0;
  for (const task of differing) {
    const result = await writeTask(folder, task, writing);
    if (result === "written") written++;
    else if (result === "unchanged") unchanged++;
    else notes.push(result);
  }
  const isMissingSome = before === null || before.tasks.some(({ taskid }) => !findTask(store, taskid));
  if (isMissingSome) notes.push(...await strangers(folder, store, writing.flavour));
  return { written, unchanged, notes };
}

async function writeTask(
  folder: Folder,
  task: Task,
  { flavour, isForced }: FolderWriting,
): Promise<"written" | "unchanged" | FileNote> {
  const name = fileName(flavour, task.taskid);
  const content = fileContent(flavour, task);
  const entry = await folder.entry(name);
  if (entry !== null) {
    if (entry.kind !== "file") return leftOut(name, `must be a plain file: got a ${entry.kind}`);
    const isComparable = entry.sizeBytes <= taskFileBytesMax;
    if (isComparable && isDeepStrictEqual(await contentOf(folder, name), content)) return "unchanged";
    if (entry.changedMs > task.changedMs && !isForced) {
      return leftOut(name, "is newer than what the pod's list knows");
    }
  }
  await folder.replace(name, fileText(content), task.changedMs);
  return "written";
}

/** Undefined where it is no JSON. */
async function contentOf(folder: Folder, name: string): Promise<unknown> {
  return parseJsonText(new TextDecoder().decode(await folder.read(name)));
}

/** Files of tasks that the store does not have. */
async function strangers(folder: Folder, store: TaskStore, flavour: Flavour): Promise<readonly FileNote[]> {
  return (await folder.names()).flatMap((name) => {
    const taskid = taskidOfName(flavour, name);
    const isStranger = taskid !== null && !findTask(store, taskid);
    return isStranger ? [noteOn(name, "is left as it is: the pod's list has no such task")] : [];
  });
}
