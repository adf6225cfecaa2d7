/**
 * Reads the fields of one call's arguments in every form that models use (R10): several names for a field, several
 * forms for a value. Collects the warnings and the first refusal; what nobody asked for is unknown.
 */
import type { TaskRef } from "../tasks/command.ts";
import { nestingMax } from "../tasks/limits.ts";
import { type Refusal, refuse } from "../tasks/refusal.ts";
import { isTaskid, type JsonObject, type JsonValue, type Status, statuses } from "../tasks/task.ts";
import { isBlank, joinLines, trimWhiteSpace } from "../tasks/text.ts";
import { type Arguments, isJsonObject } from "./arguments.ts";
import { parseJsonText } from "./json_text.ts";
import { isNestedDeeper } from "./nesting.ts";
import { shown } from "./shown.ts";

/** Names that models give to the fields, the strict one first. */
const names = {
  taskid: ["taskid", "taskId", "task_id", "id"],
  subject: ["subject", "title", "name", "content"],
  description: ["description"],
  status: ["status"],
  if_status: ["if_status", "ifStatus"],
  activeForm: ["activeForm", "active_form"],
  owner: ["owner"],
  metadata: ["metadata"],
  tasks: ["tasks"],
  blockedBy: ["blockedBy", "blocked_by", "addBlockedBy", "add_blocked_by"],
  addBlockedBy: ["addBlockedBy", "add_blocked_by"],
  addBlocks: ["addBlocks", "add_blocks"],
  removeBlockedBy: ["removeBlockedBy", "remove_blocked_by"],
  removeBlocks: ["removeBlocks", "remove_blocks"],
  ready: ["ready"],
  brief: ["brief"],
  exclusive: ["exclusive"],
  force: ["force"],
  reason: ["reason"],
} as const satisfies Record<string, readonly string[]>;
export type FieldName = keyof typeof names;

/** Thrown inside a reading, caught by {@link readFields}: a refusal ends it wherever it is. */
class Refused {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    this.refusal = refusal;
  }
}

interface Reading<T> {
  readonly value: T;
  readonly warnings: readonly string[];
}

/** Runs `read` over the arguments; fields that it did not ask for are warned about. */
export function readFields<T>(args: Arguments, read: (fields: Fields) => T): Reading<T> | Refusal {
  const fields = new Fields(args);
  try {
    const value = read(fields);
    return { value, warnings: fields.warnings() };
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    throw error;
  }
}

/** Whether any name of the field is there with a value. */
export function hasField(args: Arguments, field: FieldName): boolean {
  return names[field].some((name) => isGiven(args, name));
}

/** Whether the argument is there; null means "not given" (R10). */
export function isGiven(args: Arguments, name: string): boolean {
  return Object.hasOwn(args, name) && args[name] !== null && args[name] !== undefined;
}

export class Fields {
  readonly #args: Arguments;
  readonly #asked: FieldName[] = [];
  readonly #warnings: string[] = [];

  constructor(args: Arguments) {
    this.#args = args;
  }

  /** What was noted, then the unknown fields by name. */
  warnings(): readonly string[] {
    const unknown = Object.keys(this.#args).filter((name) =>
      !this.#isAsked(name) && isGiven(this.#args, name)
    );
    return [...this.#warnings, ...unknown.map((name) => `ignored unknown field ${shown(name)}`)];
  }

  #isAsked(name: string): boolean {
    return this.#asked.some((field) => names[field].some((other) => other === name));
  }

  warn(warning: string): void {
    this.#warnings.push(warning);
  }

  refuse(message: string, field: FieldName): never {
    throw new Refused(refuse("invalid_arguments", message, { field }));
  }

  /** Asks for a field that the call must not have, or that means nothing here; true where it is there. */
  has(field: FieldName): boolean {
    this.#asked.push(field);
    return hasField(this.#args, field);
  }

  /** The field's value as `read` sees it; null where it is not given. Two names must not say two things. */
  #read<T>(field: FieldName, read: (value: unknown) => T): T | null {
    let first: { name: string; value: T } | null = null;
    this.#asked.push(field);
    for (const name of names[field]) {
      if (!isGiven(this.#args, name)) continue;
      const given = this.#args[name];
      const value = read(given);
      if (first && JSON.stringify(first.value) !== JSON.stringify(value)) {
        this.refuse(
          `${first.name} and ${name} are the same field: got ${shown(this.#args[first.name])} and ${
            shown(given)
          }`,
          field,
        );
      }
      first ??= { name, value };
    }
    return first === null ? null : first.value;
  }

  text(field: FieldName): string | null {
    return this.#read(field, (value) => {
      if (typeof value !== "string") {
        return this.refuse(`${field} must be a string: got ${shown(value)}`, field);
      }
      return value.toWellFormed();
    });
  }

  /** Text whose empty form clears the field: undefined where not given, null where cleared. */
  clearable(field: FieldName): string | null | undefined {
    const text = this.text(field);
    if (text === null) return undefined;
    const trimmed = trimWhiteSpace(text);
    return isBlank(trimmed) ? null : trimmed;
  }

  /** One line; lines are joined with a warning. */
  subject(): string | null {
    const text = this.text("subject");
    if (text === null) return null;
    const trimmed = trimWhiteSpace(text);
    const line = joinLines(trimmed);
    if (line !== trimmed) this.warn("subject had line breaks: they were joined by spaces");
    return line;
  }

  status(field: FieldName): Status | null {
    return this.#read(field, (value) =>
      statusOf(value) ??
        this.refuse(`${field} must be one of ${statuses.join(", ")}: got ${shown(value)}`, field));
  }

  flag(field: FieldName): boolean {
    return this.#read(field, (value) => {
      if (typeof value === "boolean") return value;
      const word = typeof value === "string" ? value.trim().toLowerCase() : "";
      if (word === "true" || word === "false") return word === "true";
      return this.refuse(`${field} must be true or false: got ${shown(value)}`, field);
    }) ?? false;
  }

  task(): TaskRef | null {
    return this.#read("taskid", (value) =>
      refOf(value) ??
        this.refuse(`taskid must be an integer from 1: got ${shown(value)}`, "taskid"));
  }

  /** Tasks at the other ends of edges. */
  tasks(field: FieldName): readonly TaskRef[] {
    return this.#read(field, (value) =>
      listOf(value).map((item) =>
        refOf(item) ??
          this.refuse(`${field} must be a list of taskids like [1, 2]: got ${shown(value)}`, field)
      )) ?? [];
  }

  metadata(): JsonObject | null {
    return this.#read("metadata", (value) => {
      const object = typeof value === "string" ? parseJsonText(value) : value;
      if (!isJsonObject(object)) {
        return this.refuse(`metadata must be a JSON object: got ${shown(value)}`, "metadata");
      }
      if (isNestedDeeper(object, nestingMax - 1)) {
        return this.refuse(`metadata may be nested ${nestingMax - 1} levels deep: got more`, "metadata");
      }
      return this.#cleanObject(object);
    });
  }

  /** The metadata of a task that is new: without what `null` would remove; null where nothing is left. */
  newMetadata(): JsonObject | null {
    const kept = Object.entries(this.metadata() ?? {}).filter(([, value]) => value !== null);
    return kept.length === 0 ? null : Object.fromEntries(kept);
  }

  /** Well-formed text, without the keys that could reach a prototype. */
  #cleanObject(object: Arguments): JsonObject {
    const entries: [string, JsonValue][] = [];
    for (const [key, value] of Object.entries(object)) {
      if (key === "__proto__" || key === "constructor" || key === "prototype") {
        this.warn(`dropped the metadata key "${key}"`);
      } else entries.push([key.toWellFormed(), this.#clean(value)]);
    }
    return Object.fromEntries(entries);
  }

  #clean(value: unknown): JsonValue {
    if (typeof value === "string") return value.toWellFormed();
    if (typeof value === "number") return this.#cleanNumber(value);
    if (typeof value === "boolean" || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.#clean(item));
    return isJsonObject(value) ? this.#cleanObject(value) : null;
  }

  /** JSON has no -0 of its own, and text like 1e400 reads as a number that JSON cannot write. */
  #cleanNumber(value: number): number {
    if (Number.isFinite(value)) return value === 0 ? 0 : value;
    return this.refuse("metadata may hold numbers up to 1.7e308: got a greater one", "metadata");
  }

  /** The items of a batch, which may come as JSON text; null where the call is none. */
  batch(): readonly Arguments[] | null {
    return this.#read("tasks", (value) => {
      const list = typeof value === "string" ? parseJsonText(value) : value;
      if (!Array.isArray(list) || !list.every(isJsonObject)) {
        return this.refuse(
          `tasks must be a list of objects with a subject each: got ${shown(value)}`,
          "tasks",
        );
      }
      return list;
    });
  }
}

const statusWords: ReadonlyMap<string, Status> = new Map<string, Status>([
  ...statuses.map((status): [string, Status] => [status, status]),
  ...["todo", "open", "notstarted"].map((word): [string, Status] => [word, "pending"]),
  ...["doing", "started", "active"].map((word): [string, Status] => [word, "inprogress"]),
  ...["done", "complete", "finished"].map((word): [string, Status] => [word, "completed"]),
  ...["cancelled", "canceled", "removed"].map((word): [string, Status] => [word, "deleted"]),
]);

/** The status that a word means, in any case and with `_`, `-` or spaces; null where it means none. */
function statusOf(value: unknown): Status | null {
  if (typeof value !== "string" || value.length > 64) return null;
  return statusWords.get(value.toLowerCase().replace(/[_\s-]/g, "")) ?? null;
}

const idForm = /^(?:#|task[ _-]?#?)? ?(\d{1,15})$/i;
const siblingForm = /^\$(\d{1,4})$/;

/** The task that a value names; null where no form fits at all. */
export function refOf(value: unknown): TaskRef | null {
  if (typeof value === "number") return isTaskid(value) ? { taskid: value } : null;
  if (typeof value !== "string") return null;
  const text = value.trim();
  const taskid = Number(idForm.exec(text)?.[1] ?? NaN);
  if (isTaskid(taskid)) return { taskid };
  const sibling = Number(siblingForm.exec(text)?.[1] ?? NaN);
  if (sibling >= 1) return { sibling };
  return /^[\d.+-]*(?:e\d+)?$/i.test(text) ? null : { words: value.toWellFormed() };
}

/** `[1, "2"]`, `1`, `"1, 2"`, `"[1]"` and `"['1']"` as a list of items. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== "string") return [value];
  const text = value.trim();
  if (text === "") return [];
  if (text.startsWith("[")) {
    const list = parseJsonText(text) ?? parseJsonText(text.replaceAll("'", '"'));
    if (Array.isArray(list)) return list;
  }
  const parts = text.split(",").map((part) => part.trim()).filter((part) => part !== "");
  return parts.every((part) => {
      const ref = refOf(part);
      return ref !== null && !("words" in ref);
    })
    ? parts
    : [text];
}
