import { assertEquals } from "@std/assert";
import { Turns } from "../../../src/worker/turns.ts";

/** Somebody with inputs to decide, each of which takes a while. */
class Busy {
  left: number;
  readonly #turns: Turns;
  readonly #eachMs: number;
  readonly #decided: () => void;

  constructor(turns: Turns, inputs: number, eachMs: number, decided: () => void) {
    this.#turns = turns;
    this.left = inputs;
    this.#eachMs = eachMs;
    this.#decided = decided;
  }

  advance(): void {
    while (this.left > 0 && this.#turns.isTurnOf(this)) {
      const untilMs = performance.now() + this.#eachMs;
      while (performance.now() < untilMs);
      this.left--;
      this.#decided();
    }
  }
}

/** In which order they decide, until all have; and how often a timer of ours came in between. */
async function decideAll(pods: readonly { name: string; inputs: number; eachMs: number }[]) {
  const turns = new Turns(() => false);
  const order: string[] = [];
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 1);
  const all = pods.map(({ name, inputs, eachMs }) => new Busy(turns, inputs, eachMs, () => order.push(name)));
  for (const one of all) one.advance();
  while (all.some(({ left }) => left > 0)) await new Promise((resolve) => setTimeout(resolve, 5));
  clearInterval(ticking);
  turns.clear();
  return { order: order.join(""), ticks };
}

Deno.test("Turns lets one who has the time go on", async () => {
  const { order } = await decideAll([{ name: "a", inputs: 5, eachMs: 0 }, {
    name: "b",
    inputs: 5,
    eachMs: 1,
  }]);
  assertEquals(order, "aaaaabbbbb");
});

Deno.test("Turns has everything else heard between two rounds, and gives each its turn", async () => {
  const { order, ticks } = await decideAll([{ name: "a", inputs: 8, eachMs: 15 }, {
    name: "b",
    inputs: 1,
    eachMs: 15,
  }]);
  assertEquals([order.endsWith("b"), ticks > 0], [false, true], order);
});

Deno.test("Turns lets the others go first while one rests that took long", async () => {
  const { order } = await decideAll([{ name: "a", inputs: 2, eachMs: 300 }, {
    name: "b",
    inputs: 3,
    eachMs: 10,
  }]);
  assertEquals(order, "abbba");
});

Deno.test("Turns counts as nobody's time what is done after a decision", async () => {
  const turns = new Turns(() => false);
  const order: string[] = [];
  const quick = new Busy(turns, 1, 0, () => order.push("quick"));
  quick.advance();
  await Promise.resolve();
  const untilMs = performance.now() + 100;
  while (performance.now() < untilMs);
  await new Promise((resolve) => setTimeout(resolve, 0));
  quick.left = 1;
  quick.advance();
  turns.clear();
  assertEquals(order, ["quick", "quick"]);
});

Deno.test("Turns forgets at once who is no longer wanted", async () => {
  const turns = new Turns(() => false);
  const busy = new Busy(turns, 100, 60, () => {});
  busy.advance();
  turns.clear();
  const { left } = busy;
  await new Promise((resolve) => setTimeout(resolve, 150));
  assertEquals(busy.left, left);
});
