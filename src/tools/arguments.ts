/** A model's `arguments` as one JSON object: taken as an object, as JSON text, or as JSON text once more encoded. */
import { nestingMax } from "../tasks/limits.ts";
import { type Refusal, refuse } from "../tasks/refusal.ts";
import { parseJsonText } from "./json_text.ts";
import { isNestedDeeper } from "./nesting.ts";
import { shown } from "./shown.ts";

export type Arguments = { readonly [name: string]: unknown };

export function isJsonObject(value: unknown): value is Arguments {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Text may hold comments and trailing commas; absent, null and "" mean no arguments. */
export function readArguments(given: unknown): Arguments | Refusal {
  const value = decoded(decoded(given)) ?? {};
  if (!isJsonObject(value)) {
    return refuse("invalid_arguments", `arguments must be a JSON object: got ${shown(given)}`);
  }
  if (isNestedDeeper(value, nestingMax)) {
    return refuse("invalid_arguments", `arguments may be nested ${nestingMax} levels deep: got more`);
  }
  return value;
}

/** What a text encodes; a text that is no JSON stays what it is. */
function decoded(value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (value.trim() === "") return null;
  const parsed = parseJsonText(value);
  return parsed === undefined ? value : parsed;
}
