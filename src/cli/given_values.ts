/** Values of a command line that several commands take. */
import { UsageError } from "../errors.ts";
import { isToken } from "../tools/tokens.ts";
import type { Given } from "./command.ts";

/** How long an answer is waited for where the command line does not say. */
const timeoutMsDefault = 10_000;
const timeoutMsMax = 86_400_000;

/** The argument at a place where the command's form says that there must be one. */
export function requiredArgument(given: Given, place: number): string {
  const text = given.argument(place);
  if (text === null) throw new Error(`Cannot read argument ${place}: the command's form does not require it`);
  return text;
}

/** @throws {UsageError} when it is no legal pod */
export function podToken(text: string): string {
  if (isToken(text)) return text;
  throw new UsageError(
    `Cannot name a pod: it is 1 to 64 of A-Z a-z 0-9 _ -, and not _ alone: got ${JSON.stringify(text)}`,
  );
}

/** @throws {UsageError} when `--timeout-ms` is no number of milliseconds */
export function timeoutOf(given: Given, msDefault = timeoutMsDefault): number {
  const text = given.text("timeout-ms");
  if (text === null) return msDefault;
  const timeoutMs = /^\d{1,8}$/.test(text) ? Number(text) : NaN;
  if (timeoutMs <= timeoutMsMax) return timeoutMs;
  throw new UsageError(
    `Cannot wait: --timeout-ms is a whole number from 0 to ${timeoutMsMax}: got ${JSON.stringify(text)}`,
  );
}
