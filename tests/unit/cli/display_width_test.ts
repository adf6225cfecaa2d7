import { assertEquals } from "@std/assert";
import { cutToWidth, displayWidth, padToWidth } from "../../../src/cli/display_width.ts";

Deno.test("displayWidth() counts columns, not characters", () => {
  const widths: readonly [text: string, columns: number][] = [
    ["", 0],
    ["abc", 3],
    ["naïve", 5],
    ["nai\u0308ve", 5],
    ["日本", 4],
    ["ﾊﾝｶｸ", 4],
    ["한국어", 6],
    ["👍", 2],
    ["👍🏽", 2],
    ["👩‍👩‍👧", 2],
    ["🇯🇵", 2],
    ["❤️", 2],
    ["✓✗▸◦", 4],
    ["a\u200db", 2],
  ];
  for (const [text, columns] of widths) assertEquals(displayWidth(text), columns, JSON.stringify(text));
});

Deno.test("cutToWidth() cuts between graphemes and shows where something is missing", () => {
  const cuts: readonly [text: string, columns: number, cut: string][] = [
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["日本語", 6, "日本語"],
    ["日本語", 5, "日本…"],
    ["日本語", 4, "日…"],
    ["a👩‍👩‍👧b", 3, "a…"],
    ["ab", 1, "…"],
    ["ab", 0, ""],
  ];
  for (const [text, columns, cut] of cuts) assertEquals(cutToWidth(text, columns), cut, text);
});

Deno.test("padToWidth() fills up with spaces on the other side", () => {
  assertEquals(padToWidth("日", 4, "left"), "日  ");
  assertEquals(padToWidth("日", 4, "right"), "  日");
  assertEquals(padToWidth("日本", 2, "right"), "日本");
});
