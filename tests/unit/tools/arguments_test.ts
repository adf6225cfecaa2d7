import { assertEquals } from "@std/assert";
import { type Arguments, readArguments } from "../../../src/tools/arguments.ts";
import { isNestedDeeper } from "../../../src/tools/nesting.ts";
import { isRefusal } from "../../../src/tasks/refusal.ts";
import { shown } from "../../../src/tools/shown.ts";

function read(given: unknown): Arguments | string {
  const args = readArguments(given);
  return isRefusal(args) ? args.message : args;
}

/** An object whose brackets are nested so deep, itself counted. */
function nested(levels: number): string {
  return `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
}

for (
  const [about, given, args] of [
    ["an object", { a: 1 }, { a: 1 }],
    ["JSON text", '{"a":1}', { a: 1 }],
    ["JSON text that is encoded once more", JSON.stringify('{"a":1}'), { a: 1 }],
    ["comments and trailing commas", '// why\n{"a":[1,],/* b */}', { a: [1] }],
    ["both in a text that is encoded once more", JSON.stringify('{"a":1,} // so'), { a: 1 }],
    ["nothing", undefined, {}],
    ["null", null, {}],
    ["an empty text", "", {}],
    ["a blank text", " \n", {}],
    ["null as text", "null", {}],
    ["an empty text as text", '""', {}],
    ["the last of two equal keys", '{"a":1,"a":2}', { a: 2 }],
  ] as const
) {
  Deno.test(`readArguments() takes ${about}`, () => assertEquals(read(given), args));
}

for (
  const [about, given, got] of [
    ["a list", [1], "[1]"],
    ["a number", 7, "7"],
    ["a boolean", false, "false"],
    ["text that is no JSON", "taskid: 1", '"taskid: 1"'],
    ["half an object", '{"a":', '"{\\"a\\":"'],
    ["a list as text", "[1]", '"[1]"'],
    ["an object and more", "{} {}", '"{} {}"'],
    [
      "an object that is encoded three times",
      JSON.stringify(JSON.stringify("{}")),
      '"\\"\\\\\\"{}\\\\\\"\\""',
    ],
  ] as const
) {
  Deno.test(`readArguments() refuses ${about}`, () => {
    assertEquals(read(given), `arguments must be a JSON object: got ${got}`);
  });
}

Deno.test("readArguments() takes 64 levels of brackets, and not one more", () => {
  for (const given of [nested(64), JSON.parse(nested(64))]) assertEquals(read(given), JSON.parse(nested(64)));
  for (const given of [nested(65), JSON.parse(nested(65)), JSON.parse(nested(20_000))]) {
    assertEquals(read(given), "arguments may be nested 64 levels deep: got more");
  }
});

Deno.test("readArguments() refuses a text nested deeper than a parser follows", () => {
  const text = nested(20_000);
  assertEquals(read(text), `arguments must be a JSON object: got ${shown(text)}`);
});

for (
  const [value, levels, deeper] of [
    [1, 0, false],
    [[], 0, true],
    [[], 1, false],
    [{ a: [1, {}] }, 2, true],
    [{ a: [1, {}] }, 3, false],
    [null, 0, false],
  ] as const
) {
  Deno.test(`isNestedDeeper() is ${deeper} for ${JSON.stringify(value)} and ${levels} levels`, () => {
    assertEquals(isNestedDeeper(value, levels), deeper);
  });
}

for (
  const [about, value, text] of [
    ["nothing", undefined, "nothing"],
    ["a text in quotation marks, escaped", 'a "b"\n<c>', '"a \\"b\\"\\u000a\\u003cc\\u003e"'],
    ["JSON on one line, escaped", { "a\n": ["`"] }, '{"a\\u000a":["\\u0060"]}'],
    ["200 characters of a text whole", "x".repeat(200), `"${"x".repeat(200)}"`],
    ["201 characters cut at 200", "x".repeat(201), `"${"x".repeat(200)}…"`],
    ["long JSON cut at 200 characters", ["x".repeat(300)], `["${"x".repeat(198)}…`],
    ["a cut between graphemes", "x".repeat(199) + "🇯🇵", `"${"x".repeat(199)}…"`],
    ["a lone surrogate as a replacement", "\ud800", '"\ufffd"'],
    ["a lone surrogate in JSON as its escape", ["\ud800"], '["\\ud800"]'],
    ["deep nesting in words", JSON.parse(nested(20_000)), "brackets nested deeper than 64 levels"],
  ] as const
) {
  Deno.test(`shown() gives ${about}`, () => assertEquals(shown(value), text));
}
