/** A refusal: the reasoned no of the domain. A value that is answered and recorded, never an exception (R7). */
import type { JsonValue } from "./task.ts";

export type RefusalCode =
  | "invalid_arguments"
  | "task_not_found"
  | "unknown_tool"
  | "permission_denied"
  | "store_full"
  | "blocked"
  | "already_claimed"
  | "nothing_ready"
  | "not_owner"
  | "wrong_status"
  | "dependency_cycle";

export interface Refusal {
  readonly isRefusal: true;
  readonly code: RefusalCode;
  /** What came, and what is wanted; no full stop. */
  readonly message: string;
  /** The same values as fields, for programs. */
  readonly fields: { readonly [name: string]: JsonValue };
}

export function refuse(
  code: RefusalCode,
  message: string,
  fields: { readonly [name: string]: JsonValue } = {},
): Refusal {
  return { isRefusal: true, code, message, fields };
}

export function isRefusal(value: object): value is Refusal {
  return "isRefusal" in value;
}
