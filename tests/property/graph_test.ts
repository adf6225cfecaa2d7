/** The picture of any graph: boxes do not overlap, and arrows run between them. */
import fc from "fast-check";
import { assertEquals } from "@std/assert";
import { type Dependents, layOut, type Sizes } from "../../src/graph/layout.ts";
import type { Place, Point } from "../../src/graph/place.ts";
import type { Route } from "../../src/graph/route.ts";
import { treeRows } from "../../src/graph/tree.ts";
import { type GivenTask, storeOf } from "../helpers/stores.ts";

/** For each task the tasks before it that it waits for, as distances; and the lines of its subject. */
const tasks = fc.array(
  fc.record({
    distances: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
    lines: fc.nat(3),
  }),
  { maxLength: 40, size: "max" },
);
type Drawn = typeof tasks extends fc.Arbitrary<infer T> ? T : never;

function edgesOf(drawn: Drawn): readonly (readonly [blocker: number, dependent: number])[] {
  return drawn.flatMap(({ distances }, index) =>
    distances.map((distance) => [index + 1 - distance, index + 1] as const).filter(([blocker]) => blocker > 0)
  );
}

function layoutOf(drawn: Drawn) {
  const dependents = new Map<number, number[]>(drawn.map((_, index) => [index + 1, []]));
  for (const [blocker, dependent] of edgesOf(drawn)) dependents.get(blocker)?.push(dependent);
  const sizes: Sizes = new Map(
    drawn.map(({ lines }, index) => [index + 1, { width: 212, height: 33 + 17 * lines }]),
  );
  return layOut(sizes, dependents satisfies Dependents);
}

/** Points of the curves, close to each other. */
function pointsOf([start, ...curves]: Route): readonly Point[] {
  const points: Point[] = [];
  let from = start;
  for (let i = 0; i + 2 < curves.length; i += 3) {
    const [a, b, end] = curves.slice(i, i + 3);
    for (let t = 0; from && a && b && end && t <= 1; t += 0.05) {
      const [p, q, r, s] = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t ** 2 * (1 - t), t ** 3];
      points.push({
        x: p * from.x + q * a.x + r * b.x + s * end.x,
        y: p * from.y + q * a.y + r * b.y + s * end.y,
      });
    }
    from = end;
  }
  return points;
}

function isInside({ x, y }: Point, place: Place): boolean {
  return x > place.x + 1 && x < place.x + place.width - 1 && y > place.y + 1 &&
    y < place.y + place.height - 1;
}

function overlap(a: Place, b: Place): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

Deno.test("layOut places every box inside of the picture, and none over another", () => {
  fc.assert(fc.property(tasks, (drawn) => {
    const { places, width, height } = layoutOf(drawn);
    const all = [...places.values()];
    assertEquals(all.length, drawn.length);
    assertEquals(
      all.filter(({ x, y, ...size }) => x < 0 || y < 0 || x + size.width > width || y + size.height > height),
      [],
    );
    assertEquals(
      all.filter((place, index) => all.slice(index + 1).some((other) => overlap(place, other))),
      [],
    );
  }));
});

/** One whose edge from 5 to 11 passes below all boxes of its part. */
const overTheRim: Drawn = [[], [], [2], [3], [], [1], [], [], [3, 5], [1], [6, 9, 8]].map((
  distances,
  index,
) => ({
  distances,
  lines: index === 4 ? 2 : 0,
}));

Deno.test("layOut leads an arrow along every edge, and behind no box", () => {
  fc.assert(
    fc.property(tasks, (drawn) => {
      const { places, arrows } = layoutOf(drawn);
      const pairs = arrows.map(({ blocker, dependent }) => `${blocker} ${dependent}`);
      assertEquals(pairs.sort(), edgesOf(drawn).map((edge) => edge.join(" ")).sort());
      const hidden = arrows.filter(({ route }) =>
        pointsOf(route).some((point) => [...places.values()].some((place) => isInside(point, place)))
      );
      assertEquals(hidden, []);
    }),
    { examples: [[overTheRim]] },
  );
});

Deno.test("treeRows shows every task once, and every edge", () => {
  fc.assert(fc.property(tasks, (drawn) => {
    const given = drawn.map(({ distances }, index): GivenTask => ({
      blockedBy: distances.map((distance) => index + 1 - distance).filter((id) => id > 0).sort((a, b) =>
        a - b
      ),
    }));
    const rows = treeRows(storeOf(...given));
    const shown = rows.filter(({ stands }) => stands === "here").map(({ taskid }) => taskid);
    assertEquals(shown.sort((a, b) => a - b), drawn.map((_, index) => index + 1));
    assertEquals(rows.filter(({ guide }) => guide !== "").length, edgesOf(drawn).length);
  }));
});
