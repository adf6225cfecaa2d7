/** Paths that a configuration gives: what may be one, and what it is relative to. */
import { resolve } from "node:path";

/** No path are an empty text, several lines (a credentials file, a certificate) and the seed of an nkey. */
export function isPath(text: string): boolean {
  return text !== "" && !/[\r\n]|^S[A-Z]{1,2}[A-Z2-7]{50,}$/.test(text);
}

/** Absolute, where it is a path; what is none stays, for the schema to refuse. */
export function absolute(value: unknown, folder: string): unknown {
  return typeof value === "string" && isPath(value) ? resolve(folder, value) : value;
}
