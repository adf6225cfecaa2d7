/** The file that says which taskids a folder has had, so that none is used again. */
import { taskidMax } from "../tasks/limits.ts";
import { type FileNote, noteOn } from "./file_note.ts";
import type { Folder } from "./folder.ts";

const name = ".highwatermark";
const sizeBytesMax = 1_024;

interface HighWatermark {
  /** The highest taskid that the folder ever had; null where it does not say. */
  readonly taskid: number | null;
  readonly notes: readonly FileNote[];
}

/** @throws {OperatorError} when it cannot be read */
export async function readHighWatermark(folder: Folder): Promise<HighWatermark> {
  const entry = await folder.entry(name);
  if (entry === null) return { taskid: null, notes: [] };
  const isReadable = entry.kind === "file" && entry.sizeBytes <= sizeBytesMax;
  const text = isReadable ? new TextDecoder().decode(await folder.read(name)).trim() : "";
  const taskid = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  // The next one must be a taskid, too.
  return taskid < taskidMax
    ? { taskid, notes: [] }
    : { taskid: null, notes: [noteOn(name, "must be a file with the highest taskid: it is ignored")] };
}

/** Never lowers it. @throws {OperatorError} when it cannot be read or written */
export async function raiseHighWatermark(folder: Folder, taskid: number): Promise<void> {
  const { taskid: known } = await readHighWatermark(folder);
  if (taskid > (known ?? 0)) await folder.replace(name, `${taskid}\n`, null);
}
