/** Values in objects of objects, by a path with dots. */

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined where there is none. */
export function valueAt(root: unknown, path: string): unknown {
  return path.split(".").reduce((value, key) => isObject(value) ? value[key] : undefined, root);
}

/** A copy. What should be an object and is none stays, for the schema to refuse. */
export function withValue(root: unknown, path: string, value: unknown): unknown {
  return withValueBelow(root, path.split("."), value);
}

function withValueBelow(root: unknown, [key, ...keys]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  if (root === undefined) return { [key]: withValueBelow(undefined, keys, value) };
  return isObject(root) ? { ...root, [key]: withValueBelow(root[key], keys, value) } : root;
}
