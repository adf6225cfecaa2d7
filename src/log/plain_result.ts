/**
 * A recorded result in the form in which nearly all of them are, told without the schema of `recorded.ts`: a replay
 * has many to read, and the schema is slow. What is not told to be one may still be good: the schema decides, and says what is wrong.
 */
import type { Change } from "../tasks/store.ts";
import { statuses } from "../tasks/task.ts";
import { isJsonObject } from "../tools/arguments.ts";
import { wireVersion } from "./outputs.ts";

/** What a replay reads of a result. */
export interface PlainResult {
  readonly call_id?: string | undefined;
  readonly changes: readonly Change[];
  readonly taskids?: readonly number[] | undefined;
}

/** Whether the schema would take the value just as it is; some values that it would take are not told. */
export function isPlainResult(value: unknown): value is PlainResult {
  return hasOnly(resultFields, value) && value.v === wireVersion && value.changes !== undefined;
}

function isChange(value: unknown): boolean {
  return hasOnly(changeFields, value) && value.taskid !== undefined;
}

type Checks = ReadonlyMap<string, (value: unknown) => boolean>;

/** Whether it is an object whose fields are all known and good. */
function hasOnly(fields: Checks, value: unknown): value is { readonly [name: string]: unknown } {
  if (!isJsonObject(value)) return false;
  for (const name in value) {
    const isGood = fields.get(name);
    if (isGood === undefined || !isGood(value[name])) return false;
  }
  return true;
}

const isAnything = (): boolean => true;
const isText = (value: unknown): boolean => typeof value === "string";
const isTextOrUnset = (value: unknown): boolean => value === null || typeof value === "string";
const isStatus = (value: unknown): boolean => statuses.some((status) => status === value);
const isTaskid = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 1;
const areTaskids = (value: unknown): boolean => Array.isArray(value) && value.every(isTaskid);

const changeFields: Checks = new Map([
  ["taskid", isTaskid],
  ["status", isStatus],
  ["subject", isText],
  ["description", isText],
  ["activeForm", isTextOrUnset],
  ["owner", isTextOrUnset],
  ["blockedBy", (value) => value === null || areTaskids(value)],
]);

const resultFields: Checks = new Map([
  ["v", isAnything],
  ["rules", isAnything],
  ["call_id", isText],
  ["tool", isAnything],
  ["input_seq", isAnything],
  ["duplicate", (value) => typeof value === "boolean"],
  ["changes", (value) => Array.isArray(value) && value.every(isChange)],
  ["taskids", areTaskids],
]);
