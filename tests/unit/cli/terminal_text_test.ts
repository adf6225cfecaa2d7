import { assertEquals } from "@std/assert";
import { jsonForTerminal, lineForTerminal, linesForTerminal } from "../../../src/cli/terminal_text.ts";

/** Each of these could steer a terminal, turn a line around, or hide. */
const hostile = [
  "\x1b[2J",
  "\x07",
  "\x9b31m",
  "\x7f",
  "\r",
  "\u2028",
  "\u2029",
  "\u202e",
  "\u2066",
  "\u200f",
  "\u061c",
  "\u200b",
  "\ufeff",
  "\u{e0041}",
  "\ud800",
];

Deno.test("lineForTerminal() and linesForTerminal() let nothing through that is no text", () => {
  const isHarmless = /^[\x20-\x7e]*$/;
  for (const text of hostile) {
    assertEquals(isHarmless.test(lineForTerminal(text)), true, lineForTerminal(text));
    assertEquals(linesForTerminal(text), lineForTerminal(text));
  }
  assertEquals(lineForTerminal("\x1b[31mred"), "\\u001b[31mred");
  assertEquals(lineForTerminal("\u{e0041}"), "\\udb40\\udc41");
});

Deno.test("lineForTerminal() escapes line ends, linesForTerminal() keeps them", () => {
  assertEquals(lineForTerminal("a\nb"), "a\\u000ab");
  assertEquals(linesForTerminal("a\nb"), "a\nb");
});

Deno.test("lineForTerminal() leaves text of all languages as it is", () => {
  for (const text of ["<a> & `b`", "日本語", "می‌خواهم", "👩‍👩‍👧 ❤️"]) assertEquals(lineForTerminal(text), text);
});

Deno.test("jsonForTerminal() is harmless and parses to the same value", () => {
  const value = { [hostile.join("")]: hostile, deep: [{ ok: "日本", "\n": 1 }] };
  for (const indent of [0, 2]) {
    const json = jsonForTerminal(value, indent);
    assertEquals(JSON.parse(json), value);
    assertEquals(/[^\x20-\x7e\n日本]/.test(json), false);
  }
});
