/** Edges of one call: all of them or none, at most `blockersMax` for a task, never a cycle (SPEC §8). */
import type { EdgeEdit } from "./command.ts";
import { findCycle } from "./graph.ts";
import { blockersMax } from "./limits.ts";
import { type Refusal, refuse } from "./refusal.ts";
import { namedEnds, resolveEnds } from "./resolve.ts";
import { findTask, type TaskStore } from "./store.ts";

export const noEdges: EdgeEdit = { addBlockedBy: [], addBlocks: [], removeBlockedBy: [], removeBlocks: [] };

/** The edges that one task of a call takes part in. */
interface EdgesOfTask {
  readonly taskid: number;
  readonly edges: EdgeEdit;
}

/** Keyed by dependent taskid: its whole new `blockedBy`, ascending. */
type BlockersByTask = ReadonlyMap<number, readonly number[]>;

/**
 * The tasks whose blockers differ after the call. Removes come before adds; an edge that is not there counts as removed.
 *
 * @param siblings taskids of a batch's own tasks in its order, which the store does not have yet
 */
export function planEdges(
  store: TaskStore,
  parts: readonly EdgesOfTask[],
  siblings: readonly number[],
): BlockersByTask | Refusal {
  const draft = new EdgeDraft(store);
  for (const { taskid, edges } of parts) {
    const blockers = namedEnds(store, edges.removeBlockedBy);
    if ("isRefusal" in blockers) return blockers;
    for (const blocker of blockers) draft.remove(taskid, blocker);
    const dependents = namedEnds(store, edges.removeBlocks);
    if ("isRefusal" in dependents) return dependents;
    for (const dependent of dependents) draft.remove(dependent, taskid);
  }
  for (const { taskid, edges } of parts) {
    const blockers = resolveEnds(store, edges.addBlockedBy, siblings);
    if ("isRefusal" in blockers) return blockers;
    for (const blocker of blockers) draft.add(taskid, blocker);
    const dependents = resolveEnds(store, edges.addBlocks, siblings);
    if ("isRefusal" in dependents) return dependents;
    for (const dependent of dependents) draft.add(dependent, taskid);
  }
  return draft.check() ?? draft.changed();
}

class EdgeDraft {
  readonly #store: TaskStore;
  /** Keyed by dependent: its blockers after the call, for those that the call touches. */
  readonly #blockers = new Map<number, Set<number>>();
  /** Keyed by dependent: the blockers that the call adds. */
  readonly #added = new Map<number, number[]>();
  readonly #addedBlockers = new Set<number>();

  constructor(store: TaskStore) {
    this.#store = store;
  }

  #blockersOf(taskid: number): Set<number> {
    const known = this.#blockers.get(taskid) ?? new Set(findTask(this.#store, taskid)?.blockedBy);
    this.#blockers.set(taskid, known);
    return known;
  }

  remove(dependent: number, blocker: number): void {
    if (findTask(this.#store, dependent)?.blockedBy.includes(blocker)) {
      this.#blockersOf(dependent).delete(blocker);
    }
  }

  add(dependent: number, blocker: number): void {
    const blockers = this.#blockersOf(dependent);
    if (blockers.has(blocker)) return;
    blockers.add(blocker);
    this.#added.set(dependent, [...this.#added.get(dependent) ?? [], blocker]);
    this.#addedBlockers.add(blocker);
  }

  check(): Refusal | null {
    for (const [dependent, added] of this.#added) {
      const count = this.#blockersOf(dependent).size;
      if (count > blockersMax) {
        return refuse(
          "invalid_arguments",
          `a task waits for at most ${blockersMax} others: task ${dependent} would wait for ${count}`,
          { taskid: dependent, blockers: count, blockersMax },
        );
      }
      if (!this.#hasDependents(dependent)) continue;
      const cycle = findCycle(dependent, added, (taskid) => this.#waitsFor(taskid));
      if (cycle) {
        return refuse(
          "dependency_cycle",
          `tasks cannot wait for each other in a circle: ${cycle.join(" → ")} (read → as "waits for")`,
          { cycle },
        );
      }
    }
    return null;
  }

  #hasDependents(taskid: number): boolean {
    return this.#addedBlockers.has(taskid) || (findTask(this.#store, taskid)?.blocks.length ?? 0) > 0;
  }

  #waitsFor(taskid: number): readonly number[] {
    const touched = this.#blockers.get(taskid);
    return touched ? [...touched] : findTask(this.#store, taskid)?.blockedBy ?? [];
  }

  changed(): BlockersByTask {
    const changed = new Map<number, readonly number[]>();
    for (const [taskid, blockers] of this.#blockers) {
      const before = findTask(this.#store, taskid)?.blockedBy ?? [];
      const after = [...blockers].sort((a, b) => a - b);
      if (before.join() !== after.join()) changed.set(taskid, after);
    }
    return changed;
  }
}
