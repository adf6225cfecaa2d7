import { assertEquals } from "@std/assert";
import { isAgentName, isId, isNote, isToken } from "../../../src/tools/tokens.ts";

for (
  const [text, is] of [
    ["a", true],
    ["A-z_09", true],
    ["__", true],
    ["x".repeat(64), true],
    ["x".repeat(65), false],
    ["", false],
    ["_", false],
    ["a.b", false],
    ["a*", false],
    ["a b", false],
    ["a\n", false],
    ["a\r\nPUB", false],
    ["é", false],
  ] as const
) {
  Deno.test(`isToken() is ${is} of ${JSON.stringify(text)}`, () => assertEquals(isToken(text), is));
}

for (
  const [text, is] of [
    ["w", true],
    ["team/agent-1.b:c@host_d", true],
    ["x".repeat(64), true],
    ["x".repeat(65), false],
    ["", false],
    ["a b", false],
    ["a\n", false],
    ["日本", false],
  ] as const
) {
  Deno.test(`isAgentName() is ${is} of ${JSON.stringify(text)}`, () => assertEquals(isAgentName(text), is));
}

for (
  const [value, is] of [
    ["toolu_01", true],
    ["TaskCreate:0", true],
    [" ~", true],
    ["x".repeat(128), true],
    ["x".repeat(129), false],
    ["", false],
    ["a\n", false],
    ["a\tb", false],
    ["é", false],
    [7, false],
    [null, false],
    [undefined, false],
    [["a"], false],
  ] as const
) {
  Deno.test(`isId() is ${is} of ${JSON.stringify(value)}`, () => assertEquals(isId(value), is));
}

Deno.test("isNote() takes 128 code points, and not one more", () => {
  assertEquals(["", "🧵".repeat(128), "🧵".repeat(129), "x".repeat(129)].map(isNote), [
    true,
    true,
    false,
    false,
  ]);
});
