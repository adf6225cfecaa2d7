import { assertEquals } from "@std/assert";
import { Turns } from "../../../src/worker/turns.ts";

/** Time that passes only where a test lets it: what else the machine does takes none. */
class StandingClock implements Disposable {
  nowMs = 0;
  readonly #now = performance.now;

  constructor() {
    performance.now = () => this.nowMs;
  }

  [Symbol.dispose](): void {
    performance.now = this.#now;
  }
}

/** Somebody with inputs to decide, each of which takes a while. */
class Busy {
  left: number;
  readonly #turns: Turns;
  readonly #clock: StandingClock;
  readonly #eachMs: number;
  readonly #decided: () => void;

  constructor(turns: Turns, clock: StandingClock, inputs: number, eachMs: number, decided: () => void) {
    this.#turns = turns;
    this.#clock = clock;
    this.left = inputs;
    this.#eachMs = eachMs;
    this.#decided = decided;
  }

  advance(): void {
    while (this.left > 0 && this.#turns.isTurnOf(this)) {
      this.#clock.nowMs += this.#eachMs;
      this.left--;
      this.#decided();
    }
  }
}

/** In which order they decide, until all have; and how many inputs were decided when a timer set before was heard. */
async function decideAll(pods: readonly { name: string; inputs: number; eachMs: number }[]) {
  using clock = new StandingClock();
  const turns = new Turns(() => false);
  const order: string[] = [];
  let decidedWhenHeard = Infinity;
  setTimeout(() => decidedWhenHeard = order.length, 0);
  const all = pods.map(({ name, inputs, eachMs }) =>
    new Busy(turns, clock, inputs, eachMs, () => order.push(name))
  );
  for (const one of all) one.advance();
  do await new Promise((resolve) => setTimeout(resolve, 5)); while (all.some(({ left }) => left > 0));
  turns.clear();
  return { order: order.join(""), decidedWhenHeard };
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
  const { order, decidedWhenHeard } = await decideAll([{ name: "a", inputs: 8, eachMs: 15 }, {
    name: "b",
    inputs: 1,
    eachMs: 15,
  }]);
  assertEquals([order.endsWith("b"), decidedWhenHeard], [false, 2], order);
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
  using clock = new StandingClock();
  const turns = new Turns(() => false);
  const order: string[] = [];
  const quick = new Busy(turns, clock, 1, 0, () => order.push("quick"));
  quick.advance();
  await Promise.resolve();
  clock.nowMs += 100;
  await new Promise((resolve) => setTimeout(resolve, 0));
  quick.left = 1;
  quick.advance();
  turns.clear();
  assertEquals(order, ["quick", "quick"]);
});

Deno.test("Turns forgets at once who is no longer wanted", async () => {
  using clock = new StandingClock();
  const turns = new Turns(() => false);
  const busy = new Busy(turns, clock, 100, 60, () => {});
  busy.advance();
  turns.clear();
  const { left } = busy;
  await new Promise((resolve) => setTimeout(resolve, 150));
  assertEquals(busy.left, left);
});
