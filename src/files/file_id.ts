/** How the files of a folder name their tasks: by taskids, or by other words, for which taskids have to be found. */
import { refOf } from "../tools/fields.ts";

/** A taskid, or the words of a tool that numbers in another way: `task_1730000000_ab12cd34`. */
export type FileId = number | string;

/** Null where the value names nothing. */
export function fileIdOf(value: unknown): FileId | null {
  const ref = refOf(value);
  if (ref && "taskid" in ref) return ref.taskid;
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim().toWellFormed() : null;
}

/** What a file's name says of its task. */
export function fileIdOfName(name: string): FileId {
  const stem = name.replace(/\.json$/, "");
  return fileIdOf(stem) ?? stem;
}
