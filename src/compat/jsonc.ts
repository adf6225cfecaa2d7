/**
 * `@std/jsonc` over `npm:jsonc-parser`, for machines without JSR: the part of it that Tasuki uses. The value
 * is built from the parser's events and not by its own `parse`, which carries on after an error and overflows
 * the stack on deep input.
 */

import { type ParseErrorCode, printParseErrorCode, visit } from "jsonc-parser";

/** Anything that JSON can say. */
export type JsonValue = string | number | boolean | null | JsonValue[] | {
  [key: string]: JsonValue | undefined;
};

/** Arrays and objects inside one another, the outermost one included. */
const nestingLevelsMax = 1_000;

/**
 * Reads JSON with comments and trailing commas. As with `JSON.parse`, the last of two equal keys wins and
 * `__proto__` is a key like any other. The message of an error never quotes the text, which may hold secrets.
 *
 * @throws {SyntaxError} when the text is empty, is not JSONC, or nests deeper than 1,000 levels
 */
export function parse(text: string): JsonValue {
  let result: JsonValue = null;
  /** How to add a value to each array or object that is open, the innermost last. */
  const adders: ((value: JsonValue) => void)[] = [(value) => result = value];
  let key = "";

  const add = (value: JsonValue) => adders.at(-1)?.(value);
  const open = (add: (value: JsonValue) => void, offset: number, line: number, column: number) => {
    if (adders.length > nestingLevelsMax) throw syntaxError("nested too deep", offset, line, column);
    adders.push(add);
  };
  const close = () => void adders.pop();

  visit(text, {
    onArrayBegin(offset, _length, line, column) {
      const array: JsonValue[] = [];
      add(array);
      open((value) => array.push(value), offset, line, column);
    },
    onObjectBegin(offset, _length, line, column) {
      const object = {};
      add(object);
      open((value) => setOwn(object, key, value), offset, line, column);
    },
    onObjectProperty: (property) => void (key = property),
    onLiteralValue: add,
    onArrayEnd: close,
    onObjectEnd: close,
    onError(code, offset, _length, line, column) {
      throw syntaxError(wordsOf(code), offset, line, column);
    },
  }, { allowTrailingComma: true });
  return result;
}

/** Defines instead of assigning: an assigned `__proto__` may set the prototype. */
function setOwn(object: object, key: string, value: JsonValue): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** `line` and `column` count from 0, as in the parser's events. */
function syntaxError(rule: string, offset: number, line: number, column: number): SyntaxError {
  const position = `position ${offset} (line ${line + 1}, column ${column + 1})`;
  return new SyntaxError(`Cannot parse JSONC: ${rule}: at ${position}`);
}

/** `CloseBraceExpected` as `close brace expected`. */
function wordsOf(code: ParseErrorCode): string {
  return printParseErrorCode(code).replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
