/**
 * Where everything of the picture stands. What hangs together is laid out in ranks, from left to right unless that gets
 * too wide; such parts stand in rows, the largest first, and below them the boxes without arrows.
 */
import { type EdgeLabel, Graph, type GraphLabel, layout, type NodeLabel } from "@dagrejs/dagre";
import type { Place, Point, Size } from "./place.ts";
import { type Direction, type Route, Router } from "./route.ts";

export interface Arrow {
  readonly blocker: number;
  readonly dependent: number;
  /** From the edge of the blocker's box to that of the dependent's. */
  readonly route: Route;
}

interface Layout extends Size {
  /** Keyed by taskid. */
  readonly places: ReadonlyMap<number, Place>;
  readonly arrows: readonly Arrow[];
}

/** Keyed by taskid. */
export type Sizes = ReadonlyMap<number, Size>;
/** Keyed by taskid, for every one of the picture. */
export type Dependents = ReadonlyMap<number, readonly number[]>;

const marginPx = 16;
const partGapPx = 32;
const looseGapPx = 18;
/** As wide as a picture is made where it can be helped. */
const widthPxMax = 1_400;
/** What is so many times wider than high gets narrower from top to bottom, boxes being as flat as they are. */
const longAspect = 3.5;

export function layOut(sizes: Sizes, dependents: Dependents): Layout {
  const parts = partsOf(dependents).map((taskids) => layOutPart(taskids, sizes, dependents));
  const connected = inRows(parts.filter(({ arrows }) => arrows.length > 0), partGapPx, widthPxMax);
  const looseWidth = Math.max(widthPxMax, connected.width);
  const loose = inRows(parts.filter(({ arrows }) => arrows.length === 0), looseGapPx, looseWidth);
  const { width, height, ...content } = inRows(
    [connected, loose].filter(({ width }) => width > 0),
    partGapPx,
    0,
  );
  return {
    ...moved(content, { x: marginPx, y: marginPx }),
    width: width + 2 * marginPx,
    height: height + 2 * marginPx,
  };
}

/** The taskids that hang together, ascending; larger parts first. */
function partsOf(dependents: Dependents): readonly (readonly number[])[] {
  const neighbours = new Map<number, number[]>([...dependents.keys()].map((taskid) => [taskid, []]));
  for (const [blocker, waiting] of dependents) {
    for (const dependent of waiting) {
      neighbours.get(blocker)?.push(dependent);
      neighbours.get(dependent)?.push(blocker);
    }
  }
  const seen = new Set<number>();
  const parts: number[][] = [];
  for (const taskid of [...neighbours.keys()].sort((a, b) => a - b)) {
    const part = seen.has(taskid) ? [] : [taskid];
    for (const member of part) {
      seen.add(member);
      part.push(...new Set((neighbours.get(member) ?? []).filter((id) => !seen.has(id))));
    }
    if (part.length > 0) parts.push([...new Set(part)].sort((a, b) => a - b));
  }
  return parts.sort((a, b) => b.length - a.length);
}

function layOutPart(taskids: readonly number[], sizes: Sizes, dependents: Dependents): Layout {
  const across = inRanks("LR", taskids, sizes, dependents);
  const isLong = across.width > widthPxMax && across.width > longAspect * across.height;
  return isLong ? inRanks("TB", taskids, sizes, dependents) : across;
}

function inRanks(
  direction: Direction,
  taskids: readonly number[],
  sizes: Sizes,
  dependents: Dependents,
): Layout {
  const graph = new Graph<GraphLabel, NodeLabel, EdgeLabel>();
  graph.setGraph({ rankdir: direction, nodesep: 18, edgesep: 12, ranksep: 56 });
  for (const taskid of taskids) graph.setNode(`${taskid}`, { width: 0, height: 0, ...sizes.get(taskid) });
  const edges = taskids.flatMap((blocker) =>
    (dependents.get(blocker) ?? []).map((dependent) => [`${blocker}`, `${dependent}`] as const)
  );
  // In this order the layout begins with lower taskids first, at the top or on the left.
  for (const [blocker, dependent] of edges.reverse()) graph.setEdge(blocker, dependent, {});
  layout(graph);
  const places = new Map(taskids.map((taskid): [number, Place] => {
    const { x = 0, y = 0, width, height } = graph.node(`${taskid}`);
    return [taskid, { x: x - width / 2, y: y - height / 2, width, height }];
  }));
  const router = new Router(direction, [...places.values()]);
  const arrows = graph.edges().flatMap(({ v, w }): readonly Arrow[] => {
    const [blocker, dependent] = [Number(v), Number(w)];
    const [from, to] = [places.get(blocker), places.get(dependent)];
    if (!from || !to) return [];
    return [{ blocker, dependent, route: router.route(from, graph.edge(v, w).points ?? [], to) }];
  });
  return framed({ places, arrows });
}

/** Moved and sized so that all of it is inside: arrows may pass outside of the boxes. */
function framed(content: Content): Layout {
  const corners = [...content.places.values()].flatMap(({ x, y, width, height }) => [
    { x, y },
    { x: x + width, y: y + height },
  ]);
  const points = [...corners, ...content.arrows.flatMap(({ route }) => route)];
  const [left, right] = rangeOf(points.map(({ x }) => x));
  const [top, bottom] = rangeOf(points.map(({ y }) => y));
  return { ...moved(content, { x: -left, y: -top }), width: right - left, height: bottom - top };
}

function rangeOf(values: readonly number[]): [low: number, high: number] {
  return values.reduce(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  );
}

/** One part beside the other as long as there is room, then below. */
function inRows(parts: readonly Layout[], gapPx: number, rowPxMax: number): Layout {
  const places = new Map<number, Place>();
  const arrows: Arrow[] = [];
  let x = 0;
  let y = 0;
  let rowHeight = 0;
  let width = 0;
  for (const part of parts) {
    if (x > 0 && x + part.width > rowPxMax) {
      x = 0;
      y += rowHeight + gapPx;
      rowHeight = 0;
    }
    const content = moved(part, { x, y });
    for (const [taskid, place] of content.places) places.set(taskid, place);
    arrows.push(...content.arrows);
    width = Math.max(width, x + part.width);
    rowHeight = Math.max(rowHeight, part.height);
    x += part.width + gapPx;
  }
  return { width, height: y + rowHeight, places, arrows };
}

type Content = Pick<Layout, "places" | "arrows">;

function moved({ places, arrows }: Content, offset: Point): Content {
  const move = ({ x, y }: Point): Point => ({ x: x + offset.x, y: y + offset.y });
  return {
    places: new Map([...places].map(([taskid, place]) => [taskid, { ...place, ...move(place) }])),
    arrows: arrows.map((arrow) => ({ ...arrow, route: arrow.route.map(move) })),
  };
}
