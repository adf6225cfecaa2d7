/** The one figure that stands for many. */

/** NaN of nothing. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** @param share 0.5: the value that half of them do not exceed */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** The value at the same place in both, divided, and the median of that: what one round has in common cancels out. */
export function medianRatio(values: readonly number[], yardstick: readonly number[]): number {
  return median(values.map((value, round) => value / (yardstick[round] ?? NaN)));
}
