/** Times as a person reads them. */

const units = [["d", 86_400], ["h", 3_600], ["m", 60]] as const;

/** `42s`, `7m`, `3h`, `12d`; what lies ahead, by another machine's clock, is `0s`. */
export function age(sinceMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - sinceMs) / 1_000));
  const [unit, length] = units.find(([, length]) => seconds >= length) ?? ["s", 1];
  return `${Math.floor(seconds / length)}${unit}`;
}

/** `12:03:04`, in the time zone of whoever reads it. */
export function timeOfDay(ms: number): string {
  return new Date(ms).toLocaleTimeString("en-GB");
}
