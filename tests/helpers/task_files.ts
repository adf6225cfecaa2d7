/** What a folder of task files is read as. */
import { readFolder } from "../../src/files/read_folder.ts";
import { isRefusal } from "../../src/tasks/refusal.ts";
import type { TaskView } from "../../src/tasks/task.ts";
import { MemoryFolder } from "./memory_folder.ts";
import { madeMs, viewsOf } from "./stores.ts";

export interface Imported {
  readonly tasks: readonly TaskView[];
  readonly nextTaskid: number;
  /** `file: message`, with `✗` in front where the file was left out. */
  readonly notes: readonly string[];
}

/** @throws {Error} when one store cannot hold the tasks */
export async function imported(
  files: MemoryFolder | { readonly [name: string]: unknown },
): Promise<Imported> {
  const reading = await readFolder(files instanceof MemoryFolder ? files : new MemoryFolder(files), madeMs);
  if (isRefusal(reading)) throw new Error(reading.message);
  const { store, notes } = reading;
  return {
    tasks: viewsOf(store),
    nextTaskid: store.nextTaskid,
    notes: notes.map(({ file, message, isLeftOut }) => `${isLeftOut ? "✗ " : ""}${file}: ${message}`),
  };
}
