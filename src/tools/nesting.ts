/** Nesting of JSON values, measured before anything that recurses may touch them. */

/** Whether brackets stand inside more than `levels` brackets, the outermost counted; needs no stack. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  let level = [value].filter(isBracketed);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= levels) return true;
    level = level.flatMap((item) => Object.values(item).filter(isBracketed));
  }
  return false;
}

function isBracketed(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
