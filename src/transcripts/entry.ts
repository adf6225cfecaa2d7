/** Entries of a session's history in the form of SPEC §7, which `restore` folds. */
import { isJsonObject } from "../tools/arguments.ts";

export type Entry =
  | {
    readonly type: "tool_call";
    readonly call_id: string;
    readonly name: string;
    readonly arguments: unknown;
    readonly agent?: string;
  }
  | {
    readonly type: "tool_result";
    readonly call_id: string;
    readonly is_error: boolean;
    /** The id that the result says it gave. */
    readonly taskid?: number;
  }
  | { readonly type: "message"; readonly role: string; readonly text: string };

/** Whether a value is meant as an entry; whether it is a good one is up to `restore`, which counts those that are not. */
export function looksLikeEntry(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { type } = value;
  return type === "tool_call" || type === "tool_result" ||
    (type === "message" && typeof value.text === "string");
}

/** The entries of a whole document, a list or `{"entries": [...]}`; null where it is neither. */
export function entriesOfDocument(value: unknown): readonly unknown[] | null {
  const list = isJsonObject(value) ? value.entries : value;
  return Array.isArray(list) ? list : null;
}
