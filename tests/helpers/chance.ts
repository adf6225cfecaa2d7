/** Chance that can be had again: the same seed gives the same draws. */

export class Chance {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 to below the limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** True so many times of a hundred. */
  percent(share: number): boolean {
    return this.next() * 100 < share;
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.below(from.length)];
    if (picked === undefined) throw new Error("Cannot pick from nothing");
    return picked;
  }

  /** One of the values, each as often as its weight says. */
  weighted<T>(choices: readonly (readonly [weight: number, value: T])[]): T {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of choices) {
      left -= weight;
      if (left < 0) return value;
    }
    throw new Error("Cannot choose from nothing");
  }

  /** Another chance, of a seed that follows from this one. */
  fork(): Chance {
    return new Chance(this.below(0x1_0000_0000));
  }
}
