/** Reads a folder of task files into a store. */
import { OperatorError } from "../errors.ts";
import { storeTasksMax } from "../tasks/limits.ts";
import { isRefusal, type Refusal, refuse } from "../tasks/refusal.ts";
import { type FileNote, leftOut } from "./file_note.ts";
import type { Folder } from "./folder.ts";
import { readHighWatermark } from "./high_watermark.ts";
import { type FolderReading, storeOfFiles } from "./store_of_files.ts";
import { readTaskFile, taskFileBytesMax, tooLarge } from "./task_file.ts";
import type { MadeTask } from "./taskid_map.ts";

/**
 * Every `*.json` counts as a task; what cannot be read as one is noted, other files are none of ours.
 *
 * @param atMs when the tasks count as made and changed, in milliseconds since the epoch
 * @returns a refusal where one store cannot hold them all
 * @throws {OperatorError} when the folder cannot be read
 */
export async function readFolder(folder: Folder, atMs: number): Promise<FolderReading | Refusal> {
  const files = (await folder.names()).filter(isTaskFile);
  if (files.length > storeTasksMax) {
    return refuse("store_full", `a store holds ${storeTasksMax} tasks: got ${files.length} files`);
  }
  const highWatermark = await readHighWatermark(folder);
  const notes: FileNote[] = [...highWatermark.notes];
  const tasks: MadeTask[] = [];
  for (const file of files) {
    const read = await readFile(folder, file);
    if (typeof read === "string") notes.push(leftOut(file, read));
    else tasks.push(read);
  }
  const reading = storeOfFiles(tasks, highWatermark.taskid, atMs);
  return isRefusal(reading) ? reading : { store: reading.store, notes: [...notes, ...reading.notes] };
}

function isTaskFile(name: string): boolean {
  return name.endsWith(".json") && !name.startsWith(".");
}

/** The task, or why there is none. */
async function readFile(folder: Folder, file: string): Promise<MadeTask | string> {
  try {
    const entry = await folder.entry(file);
    if (entry === null) return "is gone";
    if (entry.kind !== "file") return `must be a plain file: got a ${entry.kind}`;
    if (entry.sizeBytes > taskFileBytesMax) return tooLarge(entry.sizeBytes);
    const task = readTaskFile(file, await folder.read(file));
    return typeof task === "string" ? task : { ...task, madeMs: entry.madeMs };
  } catch (error) {
    if (error instanceof OperatorError) return error.message;
    throw error;
  }
}
