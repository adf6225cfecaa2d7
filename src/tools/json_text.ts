/** JSON as models write it, inside a string: comments and trailing commas are taken. */
import { parse } from "@std/jsonc";

/** Undefined where the text is no JSON, or nested deeper than the parser follows. */
export function parseJsonText(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
