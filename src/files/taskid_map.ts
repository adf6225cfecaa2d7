/**
 * Finds a taskid for everything that the files of a folder name. Taskids stay what they are. Other ids get fresh ones
 * above all that the folder names, in the order in which the tasks were made. An id that no file has gets one, too,
 * which no task will ever have: what waits for it goes on waiting (R27).
 */
import { taskidMax } from "../tasks/limits.ts";
import type { FileId } from "./file_id.ts";
import type { FileTask } from "./task_file.ts";

export interface MadeTask extends FileTask {
  /** When the file was made, in milliseconds since the epoch. */
  readonly madeMs: number;
}

export class TaskidMap {
  /** Keyed by ids that are no taskids. */
  readonly #fresh = new Map<string, number>();
  #lastFresh: number;
  /** The highest taskid that no new task may get. */
  #highest: number;

  /**
   * @param tasks no two of them with the same id
   * @param highWatermark the highest taskid that the folder ever had; null where it does not say
   */
  constructor(tasks: readonly MadeTask[], highWatermark: number | null) {
    const own = highest(tasks.map(({ id }) => id));
    const named = highest(tasks.flatMap(({ blockedBy }) => blockedBy));
    this.#highest = Math.max(own, highWatermark ?? named);
    this.#lastFresh = Math.max(this.#highest, named);
    for (const { id } of tasks.filter(({ id }) => typeof id === "string").sort(byMaking)) this.taskidOf(id);
  }

  /** The taskid of the next create. */
  get nextTaskid(): number {
    return this.#highest + 1;
  }

  /** Whether there were not enough taskids. */
  get isExhausted(): boolean {
    return this.#lastFresh > taskidMax;
  }

  taskidOf(id: FileId): number {
    if (typeof id === "number") return id;
    const known = this.#fresh.get(id);
    if (known !== undefined) return known;
    this.#highest = ++this.#lastFresh;
    this.#fresh.set(id, this.#lastFresh);
    return this.#lastFresh;
  }
}

function highest(ids: readonly FileId[]): number {
  return ids.reduce<number>((most, id) => typeof id === "number" ? Math.max(most, id) : most, 0);
}

/** By the time that stands in the id, where one does, then by the time at which the file was made. */
function byMaking(a: MadeTask, b: MadeTask): number {
  return timeIn(a.id) - timeIn(b.id) || a.madeMs - b.madeMs || (a.file < b.file ? -1 : 1);
}

/** `task_1730000000_ab12cd34`: seconds since the epoch. */
function timeIn(id: FileId): number {
  return Number(/(?<!\d)\d{9,13}(?!\d)/.exec(String(id))?.[0] ?? 0);
}
