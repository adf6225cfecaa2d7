/** One axis of a plot: where a value lies, and which values are written beside it. */

export interface Axis {
  /** Ascending. */
  readonly ticks: readonly number[];
  /** 0 at the beginning of the axis, 1 at its end. */
  place(value: number): number;
}

/** Holds all values: from 0 on, or where it is logarithmic from the first round number below them. */
export function axisOf(values: readonly number[], isLogarithmic: boolean): Axis {
  return isLogarithmic ? logarithmic(values) : linear(Math.max(...values));
}

/** The axis without the room behind that value. */
export function endingAt(most: number, { ticks, place }: Axis): Axis {
  return { ticks: ticks.filter((tick) => tick <= most), place: (value) => place(value) / place(most) };
}

function linear(most: number): Axis {
  const magnitude = 10 ** Math.floor(Math.log10(most / 5));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * magnitude).find((size) => most / size <= 6) ??
    most;
  const count = Math.ceil(most / step);
  const ticks = Array.from({ length: count + 1 }, (_, index) => index * step);
  return { ticks, place: (value) => value / (count * step) };
}

function logarithmic(values: readonly number[]): Axis {
  const least = Math.log10(Math.min(...values));
  const most = Math.log10(Math.max(...values));
  const round = Array.from(
    { length: 3 * (Math.ceil(most) - Math.floor(least) + 1) },
    (_, index) => Math.floor(least) + Math.floor(index / 3) + Math.log10([1, 2, 5][index % 3] ?? 1),
  );
  const first = Math.max(...round.filter((power) => power <= least + 1e-9));
  const last = Math.max(Math.min(...round.filter((power) => power >= most - 1e-9)), first + 0.3);
  const powers = Array.from(
    { length: Math.floor(last + 1e-9) - Math.ceil(first - 1e-9) + 1 },
    (_, index) => Math.ceil(first - 1e-9) + index,
  );
  return {
    ticks: powers.map((power) => 10 ** power),
    place: (value) => (Math.log10(value) - first) / (last - first),
  };
}
