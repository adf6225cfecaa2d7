/**
 * The edges that the files of a folder tell, one edge set from both sides: what a task waits for, and what another one
 * says that it blocks. Where a store cannot hold one it is left out, and the file noted.
 */
import { blockersMax } from "../tasks/limits.ts";
import { isOpen } from "../tasks/task.ts";
import { shown } from "../tools/shown.ts";
import { type Blockers, withoutCircles } from "./circles.ts";
import { type FileNote, noteOn } from "./file_note.ts";
import type { MadeTask, TaskidMap } from "./taskid_map.ts";

interface EdgeReading {
  readonly blockers: Blockers;
  readonly notes: readonly FileNote[];
}

/** @param tasks no two of them with the same id */
export function edgesOf(tasks: readonly MadeTask[], map: TaskidMap): EdgeReading {
  const edges = new FileEdges(tasks, map);
  for (const task of tasks) edges.take(task);
  return { blockers: edges.fit(), notes: edges.notes };
}

class FileEdges {
  readonly notes: FileNote[] = [];
  readonly #map: TaskidMap;
  readonly #tasks: ReadonlyMap<number, MadeTask>;
  readonly #ids: ReadonlySet<MadeTask["id"]>;
  readonly #blockers = new Map<number, Set<number>>();

  constructor(tasks: readonly MadeTask[], map: TaskidMap) {
    this.#map = map;
    this.#tasks = new Map(tasks.map((task) => [map.taskidOf(task.id), task]));
    this.#ids = new Set(tasks.map(({ id }) => id));
  }

  take({ file, id, blockedBy, blocks }: MadeTask): void {
    const taskid = this.#map.taskidOf(id);
    for (const other of new Set(blockedBy)) {
      const blocker = this.#map.taskidOf(other);
      this.#add(taskid, blocker);
      if (this.#ids.has(other)) continue;
      const name = typeof other === "string" ? `${shown(other)}, now ${blocker}` : `${blocker}`;
      this.notes.push(noteOn(file, `waits for ${name}, which is missing`));
    }
    for (const other of new Set(blocks)) {
      if (this.#ids.has(other)) this.#add(this.#map.taskidOf(other), taskid);
      else this.notes.push(noteOn(file, `no longer blocks ${shown(other)}, which is missing`));
    }
  }

  #add(dependent: number, blocker: number): void {
    this.#blockers.set(dependent, (this.#blockers.get(dependent) ?? new Set()).add(blocker));
  }

  /** Those that a store can hold. */
  fit(): Blockers {
    const sorted = [...this.#blockers].map(([dependent, blockers]) =>
      [dependent, [...blockers].sort((a, b) => a - b)] as const
    );
    const { blockers, leftOut } = withoutCircles(new Map(sorted));
    for (const { dependent, blocker, circle } of leftOut) {
      this.#noteOn(dependent, `no longer waits for ${blocker}, as they wait in a circle: ${circle}`);
    }
    return new Map([...blockers].map(([dependent, all]) => [dependent, this.#fewEnough(dependent, all)]));
  }

  /** Blockers that are done are the first to go. */
  #fewEnough(dependent: number, blockers: readonly number[]): readonly number[] {
    if (blockers.length <= blockersMax) return blockers;
    const kept = new Set(
      blockers.toSorted((a, b) => Number(this.#isOpen(b)) - Number(this.#isOpen(a)) || a - b).slice(
        0,
        blockersMax,
      ),
    );
    const gone = blockers.filter((blocker) => !kept.has(blocker));
    this.#noteOn(
      dependent,
      `no longer waits for ${gone.join(", ")}: a task waits for at most ${blockersMax} others`,
    );
    return blockers.filter((blocker) => kept.has(blocker));
  }

  /** A missing one is open (R27). */
  #isOpen(taskid: number): boolean {
    return isOpen(this.#tasks.get(taskid)?.fields.status ?? "pending");
  }

  #noteOn(taskid: number, message: string): void {
    const task = this.#tasks.get(taskid);
    if (task) this.notes.push(noteOn(task.file, message));
  }
}
