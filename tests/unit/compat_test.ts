import {
  assert,
  assertArrayIncludes,
  assertEquals,
  assertExists,
  AssertionError,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertStrictEquals,
  assertStringIncludes,
  assertThrows,
  fail,
} from "@std/assert";
import { parse } from "@std/jsonc";

Deno.test("parse() reads JSON with comments and trailing commas", () => {
  const text = `// the settings
    { "a": [1, -2.5e3, "x\\u00e9//y", /* none */ true, null,], "b": {}, }`;
  assertEquals(parse(text), { a: [1, -2500, "xé//y", true, null], b: {} });
});

Deno.test("parse() reads a lone value", () => {
  assertEquals(["1", '"a"', "null", " [] ", "false // no"].map(parse), [1, "a", null, [], false]);
});

Deno.test("parse() keeps the last of two equal keys", () => {
  assertEquals(parse('{"a": 1, "b": 2, "a": {"c": 3}}'), { a: { c: 3 }, b: 2 });
});

Deno.test("parse() gives a nested object its own key back", () => {
  assertEquals(parse('{"a": {"b": [{"c": 1}], "d": 2}, "e": 3}'), { a: { b: [{ c: 1 }], d: 2 }, e: 3 });
});

Deno.test("parse() takes __proto__ for a key like any other", () => {
  const value = parse('{"__proto__": {"isAdmin": true}}');
  assertEquals(value, JSON.parse('{"__proto__": {"isAdmin": true}}'));
  assertEquals(Object.getPrototypeOf(value), Object.prototype);
});

for (
  const [text, message] of [
    ["", "value expected: at position 0 (line 1, column 1)"],
    ["// nothing", "value expected: at position 10 (line 1, column 11)"],
    ["1 2", "end of file expected: at position 2 (line 1, column 3)"],
    ["[1,,2]", "value expected: at position 3 (line 1, column 4)"],
    ['{"a": 1,,}', "property name expected: at position 8 (line 1, column 9)"],
    ['{\n  "a" 1}', "colon expected: at position 8 (line 2, column 7)"],
    ["{'a': 1}", "invalid symbol: at position 1 (line 1, column 2)"],
    ["[1", "close bracket expected: at position 2 (line 1, column 3)"],
    ['"secret', "unexpected end of string: at position 0 (line 1, column 1)"],
    ['"\\x"', "invalid escape character: at position 0 (line 1, column 1)"],
    ["01", "end of file expected: at position 1 (line 1, column 2)"],
    ["NaN", "invalid symbol: at position 0 (line 1, column 1)"],
    ["1 /* no end", "unexpected end of comment: at position 2 (line 1, column 3)"],
  ] as const
) {
  Deno.test(`parse() refuses ${JSON.stringify(text)}`, () => {
    assertEquals(assertThrows(() => parse(text), SyntaxError).message, `Cannot parse JSONC: ${message}`);
  });
}

Deno.test("parse() takes 1,000 levels of nesting and refuses one more", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  assertEquals(JSON.stringify(parse(nested(1_000))), nested(1_000));
  const { message } = assertThrows(() => parse(nested(1_001)), SyntaxError);
  assertEquals(message, "Cannot parse JSONC: nested too deep: at position 1000 (line 1, column 1001)");
});

Deno.test("parse() refuses nesting that would overflow the stack", () => {
  assertThrows(() => parse('{"a":['.repeat(100_000)), SyntaxError, "nested too deep");
});

Deno.test("parse() counts no bracket in a string or a comment as nesting", () => {
  const brackets = "[".repeat(2_000);
  assertEquals(parse(`/* ${brackets} */ "${brackets}" // ${brackets}`), brackets);
});

const passing: Record<string, () => void> = {
  "assert() of something truthy": () => assert(1),
  "assertEquals() of equal structures": () =>
    assertEquals({ a: [new Map([[1, { b: NaN }]])] }, { a: [new Map([[1, { b: NaN }]])] }),
  "assertNotEquals() of a missing and an undefined key": () => assertNotEquals<unknown>({ a: undefined }, {}),
  "assertStrictEquals() of one number": () => assertStrictEquals(1, 1),
  "assertExists() of something falsy": () => assertExists(0),
  "assertMatch() of a match": () => assertMatch("tasuki", /^ta/),
  "assertStringIncludes() of a part": () => assertStringIncludes("tasuki", "suk"),
  "assertArrayIncludes() of an equal member": () => assertArrayIncludes([1, { a: 2 }], [{ a: 2 }]),
};

for (const [name, check] of Object.entries(passing)) Deno.test(`${name} passes`, check);

const failing: Record<string, [check: () => void, msgIncludes: string]> = {
  "assert() of something falsy": [() => assert(0, "no zero"), "no zero"],
  "assertEquals() of an extra undefined key": [
    () => assertEquals<unknown>({ a: undefined }, {}),
    "not equal",
  ],
  "assertEquals() of 1 and its text": [
    () => assertEquals<unknown>(1, "1", "the count"),
    "not equal: the count\n",
  ],
  "assertNotEquals() of equal structures": [() => assertNotEquals([1], [1]), "other than [ 1 ]"],
  "assertStrictEquals() of equal structures": [() => assertStrictEquals([1], [1]), "equal but not the same"],
  "assertExists() of null": [() => assertExists(null), "got null"],
  "assertMatch() of no match": [() => assertMatch("tasuki", /^a/), "'tasuki' to match /^a/"],
  "assertStringIncludes() of no part": [() => assertStringIncludes("tasuki", "b"), "'tasuki' to include 'b'"],
  "assertArrayIncludes() of a missing member": [() => assertArrayIncludes([1], [1, 2]), "to include [ 2 ]"],
  "assertThrows() of a function that returns": [() => assertThrows(() => 1), "to throw"],
  "assertThrows() of another class": [
    () => assertThrows(() => parse(""), RangeError),
    "instance of RangeError: got SyntaxError",
  ],
  "assertThrows() of another message": [
    () => assertThrows(() => parse(""), SyntaxError, "colon"),
    "to include 'colon'",
  ],
  "fail()": [() => fail("not here"), "Failed assertion: not here"],
};

for (const [name, [check, msgIncludes]] of Object.entries(failing)) {
  Deno.test(`${name} fails`, () => void assertThrows(check, AssertionError, msgIncludes));
}

Deno.test("assertThrows() returns what was thrown", () => {
  const thrown = new RangeError("too far");
  assertStrictEquals(assertThrows(() => fail(), AssertionError).name, "AssertionError");
  assertStrictEquals(
    assertThrows(() => {
      throw thrown;
    }),
    thrown,
  );
});

Deno.test("assertRejects() returns what the promise was rejected with", async () => {
  const reason = new RangeError("too far");
  assertStrictEquals(await assertRejects(() => Promise.reject(reason), RangeError, "too"), reason);
});

Deno.test("assertRejects() fails where nothing is rejected", async () => {
  const { message } = await assertRejects(() => assertRejects(() => Promise.resolve(1)), AssertionError);
  assertEquals(message, "Expected function to reject");
});

Deno.test("assertRejects() fails where the function throws before there is a promise", async () => {
  const { message } = await assertRejects(() => assertRejects(() => fail()), AssertionError);
  assertEquals(message, "Expected function to reject: it threw");
});
