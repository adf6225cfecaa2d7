/** Opens the circles in what tasks wait for: a folder may hold some, a store must not. */

/** Keyed by dependent: its blockers, ascending. */
export type Blockers = ReadonlyMap<number, readonly number[]>;

/** An edge that is left out, and the circle that it would close: along "waits for", its first tasks. */
interface ClosingEdge {
  readonly dependent: number;
  readonly blocker: number;
  readonly circle: string;
}

interface Acyclic {
  readonly blockers: Blockers;
  readonly leftOut: readonly ClosingEdge[];
}

/** Of each circle the edge is left out by which an earlier task waits for a later one, as far as one can tell. */
export function withoutCircles(blockers: Blockers): Acyclic {
  return new CircleSearch(blockers);
}

const circleTasksShownMax = 12;

/** Follows "waits for" from each task to its end, once; who comes back to where it came from has found a circle. */
class CircleSearch implements Acyclic {
  readonly blockers = new Map<number, readonly number[]>();
  readonly leftOut: ClosingEdge[] = [];
  readonly #given: Blockers;
  /** The tasks from where the search began to where it is; goes as deep as a store may hold tasks. */
  readonly #path = new Set<number>();

  constructor(given: Blockers) {
    this.#given = given;
    for (const taskid of [...given.keys()].sort((a, b) => b - a)) this.#visit(taskid);
  }

  #visit(dependent: number): void {
    if (this.blockers.has(dependent)) return;
    this.#path.add(dependent);
    const kept: number[] = [];
    for (const blocker of this.#given.get(dependent) ?? []) {
      if (this.#path.has(blocker)) {
        this.leftOut.push({ dependent, blocker, circle: this.#circleFrom(blocker) });
      } else {
        kept.push(blocker);
        this.#visit(blocker);
      }
    }
    this.#path.delete(dependent);
    this.blockers.set(dependent, kept);
  }

  #circleFrom(first: number): string {
    const path = [...this.#path];
    const circle = path.slice(path.indexOf(first));
    const shown = circle.slice(0, circleTasksShownMax);
    return [...shown, ...(shown.length < circle.length ? ["…"] : []), first].join(" → ");
  }
}
