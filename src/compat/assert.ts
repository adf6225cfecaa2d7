/**
 * `@std/assert` over Node's assertions, for machines without JSR: the functions that the tests of Tasuki use.
 * Equality is Node's deep and strict one: as with std, a key that is undefined differs from a key that is
 * missing; stricter than std, 0 differs from -0, an object without a prototype from one with, and errors
 * compare by their message too. So what passes here passes with std, unless a test asks for a difference.
 */

import { AssertionError as NodeAssertionError } from "node:assert/strict";
import { inspect, isDeepStrictEqual } from "node:util";

/** What every function here throws where an expectation is not met. */
export class AssertionError extends Error {
  override readonly name = "AssertionError";
}

type ErrorClass<E extends Error> = abstract new (...args: never[]) => E;

/** @throws {AssertionError} when `condition` is falsy */
export function assert(condition: unknown, msg = ""): asserts condition {
  if (!condition) throw new AssertionError(msg);
}

/** @throws {AssertionError} always */
export function fail(msg?: string): never {
  throw new AssertionError(explain("Failed assertion", msg));
}

/** @throws {AssertionError} with the difference, when the values are not deeply and strictly equal */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new AssertionError(`${explain("Values are not equal", msg)}\n${difference(actual, expected)}`);
}

/** @throws {AssertionError} when the values are deeply and strictly equal */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  if (!isDeepStrictEqual(actual, expected)) return;
  throw new AssertionError(explain(`Expected a value other than ${inspect(expected)}`, msg));
}

/** @throws {AssertionError} when the values are not one and the same (`Object.is`) */
export function assertStrictEquals<T>(actual: unknown, expected: T, msg?: string): asserts actual is T {
  if (Object.is(actual, expected)) return;
  const summary = isDeepStrictEqual(actual, expected)
    ? `Values are equal but not the same: ${inspect(actual)}`
    : `Values are not strictly equal\n${difference(actual, expected)}`;
  throw new AssertionError(explain(summary, msg));
}

/** @throws {AssertionError} when `actual` is null or undefined */
export function assertExists<T>(actual: T, msg?: string): asserts actual is NonNullable<T> {
  if (actual !== undefined && actual !== null) return;
  throw new AssertionError(explain(`Expected a value: got ${actual}`, msg));
}

/** @throws {AssertionError} when `expected` does not match `actual` */
export function assertMatch(actual: string, expected: RegExp, msg?: string): void {
  if (expected.test(actual)) return;
  throw new AssertionError(explain(`Expected ${inspect(actual)} to match ${expected}`, msg));
}

/** @throws {AssertionError} when `expected` is no part of `actual` */
export function assertStringIncludes(actual: string, expected: string, msg?: string): void {
  if (actual.includes(expected)) return;
  throw new AssertionError(explain(`Expected ${inspect(actual)} to include ${inspect(expected)}`, msg));
}

/** @throws {AssertionError} when a member of `expected` equals (deeply, strictly) no member of `actual` */
export function assertArrayIncludes<T>(actual: ArrayLike<T>, expected: ArrayLike<T>, msg?: string): void {
  const members = Array.from(actual);
  const missing = Array.from(expected).filter((item) => !members.some((is) => isDeepStrictEqual(is, item)));
  if (missing.length === 0) return;
  throw new AssertionError(explain(`Expected ${inspect(actual)} to include ${inspect(missing)}`, msg));
}

/** Returns what `fn` threw. @throws {AssertionError} when it threw nothing */
export function assertThrows(fn: () => unknown): unknown;
/**
 * Returns the error that `fn` threw.
 *
 * @throws {AssertionError} when it threw nothing, no instance of `ErrorClass`, or without `msgIncludes`
 */
export function assertThrows<E extends Error>(
  fn: () => unknown,
  ErrorClass: ErrorClass<E>,
  msgIncludes?: string,
): E;
export function assertThrows(
  fn: () => unknown,
  ErrorClass?: ErrorClass<Error>,
  msgIncludes?: string,
): unknown {
  try {
    fn();
  } catch (error) {
    return checkError(error, ErrorClass, msgIncludes);
  }
  throw new AssertionError("Expected function to throw");
}

/**
 * Returns what the promise of `fn` was rejected with.
 *
 * @throws {AssertionError} when it was not rejected, or `fn` threw before there was a promise
 */
export function assertRejects(fn: () => PromiseLike<unknown>): Promise<unknown>;
/**
 * Returns the error that the promise of `fn` was rejected with.
 *
 * @throws {AssertionError} as above, and when it is no instance of `ErrorClass`, or without `msgIncludes`
 */
export function assertRejects<E extends Error>(
  fn: () => PromiseLike<unknown>,
  ErrorClass: ErrorClass<E>,
  msgIncludes?: string,
): Promise<E>;
export async function assertRejects(
  fn: () => PromiseLike<unknown>,
  ErrorClass?: ErrorClass<Error>,
  msgIncludes?: string,
): Promise<unknown> {
  const promise = start(fn);
  try {
    await promise;
  } catch (error) {
    return checkError(error, ErrorClass, msgIncludes);
  }
  throw new AssertionError("Expected function to reject");
}

function start(fn: () => PromiseLike<unknown>): PromiseLike<unknown> {
  try {
    return fn();
  } catch (cause) {
    throw new AssertionError("Expected function to reject: it threw", { cause });
  }
}

function checkError(error: unknown, ErrorClass?: ErrorClass<Error>, msgIncludes = ""): unknown {
  if (ErrorClass === undefined) return error;
  if (!(error instanceof ErrorClass)) {
    throw new AssertionError(`Expected an instance of ${ErrorClass.name}: got ${inspect(error)}`);
  }
  assertStringIncludes(error.message, msgIncludes);
  return error;
}

function explain(failure: string, msg: string | undefined): string {
  return msg === undefined ? failure : `${failure}: ${msg}`;
}

/** The two values as Node shows their difference, line by line. */
function difference(actual: unknown, expected: unknown): string {
  return new NodeAssertionError({ actual, expected, operator: "deepStrictEqual" }).message;
}
