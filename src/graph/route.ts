/**
 * The ways of the arrows. A layout says where an edge passes each rank of boxes; an arrow leaves and enters a box in the
 * middle of a side, goes straight beside the boxes of a rank, and bends between the ranks: it never hides behind a box.
 */
import type { Place, Point } from "./place.ts";

/** In which direction the ranks follow each other: left to right, top to bottom. */
export type Direction = "LR" | "TB";

/** Cubic curves one after the other: where they begin, then for each its two control points and its end. */
export type Route = readonly Point[];

/** A point, or a way to go straight, seen along the direction. */
interface Passage {
  readonly start: number;
  readonly end: number;
  /** How far to the side it is. */
  readonly side: number;
}

export class Router {
  readonly #direction: Direction;
  /** Keyed by the middle of its boxes along the direction: from where to where they reach. */
  readonly #ranks = new Map<number, { start: number; end: number }>();

  /** @param places of all boxes; those of one rank have the same middle */
  constructor(direction: Direction, places: readonly Place[]) {
    this.#direction = direction;
    for (const { start, end } of places.map((place) => this.#passageOf(place))) {
      const rank = this.#ranks.get(middleOf({ start, end })) ?? { start, end };
      this.#ranks.set(middleOf({ start, end }), {
        start: Math.min(start, rank.start),
        end: Math.max(end, rank.end),
      });
    }
  }

  /** @param points where the edge passes the ranks between those of the two boxes */
  route(from: Place, points: readonly Point[], to: Place): Route {
    const first = this.#passageOf(from);
    const last = this.#passageOf(to);
    const between = points.flatMap((point): readonly Passage[] => {
      const { start, side } = this.#passageOf({ ...point, width: 0, height: 0 });
      const rank = this.#ranks.get(middleOf({ start, end: start }));
      return rank && rank.start > first.end && rank.end < last.start ? [{ ...rank, side }] : [];
    });
    const leaving = { ...first, start: first.end, end: this.#ranks.get(middleOf(first))?.end ?? first.end };
    const entering = {
      ...last,
      start: this.#ranks.get(middleOf(last))?.start ?? last.start,
      end: last.start,
    };
    return this.#curves([leaving, ...between, entering]);
  }

  #passageOf({ x, y, width, height }: Place): Passage {
    return this.#direction === "LR"
      ? { start: x, end: x + width, side: y + height / 2 }
      : { start: y, end: y + height, side: x + width / 2 };
  }

  #curves(passages: readonly Passage[]): Route {
    const route: Point[] = [];
    let before: Passage | null = null;
    for (const passage of passages) {
      const { start, end, side } = passage;
      if (before) {
        const middle = (before.end + start) / 2;
        route.push(this.#point(middle, before.side), this.#point(middle, side), this.#point(start, side));
      } else route.push(this.#point(start, side));
      if (end > start) {
        const third = (end - start) / 3;
        route.push(...[start + third, end - third, end].map((along) => this.#point(along, side)));
      }
      before = passage;
    }
    return route;
  }

  #point(along: number, side: number): Point {
    return this.#direction === "LR" ? { x: along, y: side } : { x: side, y: along };
  }
}

/** Rounded, so that boxes of one rank have the same. */
function middleOf({ start, end }: { readonly start: number; readonly end: number }): number {
  return Math.round((start + end) / 2);
}
