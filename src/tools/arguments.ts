/** A model's `arguments` as one JSON object: taken as an object, as JSON text, or as JSON text once more encoded. */
import { parse } from "@std/jsonc";
import { nestingMax } from "../tasks/limits.ts";
import { type Refusal, refuse } from "../tasks/refusal.ts";
import { isNestedDeeper } from "./nesting.ts";
import { shown } from "./shown.ts";

export type Arguments = { readonly [name: string]: unknown };

export function isJsonObject(value: unknown): value is Arguments {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Text may hold comments and trailing commas; absent, null and "" mean no arguments. */
export function readArguments(given: unknown): Arguments | Refusal {
  let value = given;
  for (let decodings = 0; typeof value === "string" && decodings < 2; decodings++) {
    if (value.trim() === "") return {};
    try {
      value = parse(value);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return refuse("invalid_arguments", `arguments must be a JSON object: got ${shown(given)}`);
    }
  }
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) {
    return refuse("invalid_arguments", `arguments must be a JSON object: got ${shown(given)}`);
  }
  if (isNestedDeeper(value, nestingMax)) {
    return refuse("invalid_arguments", `arguments may be nested ${nestingMax} levels deep: got more`);
  }
  return value;
}
