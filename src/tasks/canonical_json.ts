/** Equality of JSON values: the order of an object's keys says nothing. */

/** The same text for equal values: JSON with every object's keys in order. The value must not be nested without end. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1)
    .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`);
  return `{${members.join(",")}}`;
}
