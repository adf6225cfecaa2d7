import { assertEquals } from "@std/assert";
import { cutToEm, textEm, visibleText, wrapText } from "../../../src/graph/visible_text.ts";

Deno.test("visibleText shows what has no look, or turns text around, and keeps emoji and joiners", () => {
  assertEquals(
    visibleText("\0\x1b[1m\u202eab\u2028\ufeff\ufffe\ud800"),
    String.raw`\u0000\u001b[1m\u202eab\u2028\ufeff\ufffe\ud800`,
  );
  const england = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
  const kept = `${england} 👩‍👩‍👧 ❤️ می‌خواهم é 日本`;
  assertEquals(visibleText(kept), kept);
  assertEquals(visibleText("\u{e0067}"), String.raw`\udb40\udc67`);
});

Deno.test("textEm counts wide characters, narrow ones and those that have no width", () => {
  assertEquals(textEm("日") > textEm("W") && textEm("W") > textEm("a") && textEm("a") > textEm("i"), true);
  assertEquals(textEm("e\u0301\u0302"), textEm("e"));
  assertEquals(textEm("👩‍👩‍👧") < 2, true);
});

Deno.test("cutToEm cuts between graphemes, and shows that it did", () => {
  const family = "👩‍👩‍👧";
  assertEquals(cutToEm(family.repeat(3), textEm(family) * 3), family.repeat(3));
  assertEquals(cutToEm(family.repeat(4), textEm(family) * 3), `${family.repeat(2)}…`);
  assertEquals(cutToEm("e" + "\u0301".repeat(400), 4), "e" + "\u0301".repeat(400));
});

for (
  const [about, text, lines] of [
    ["what fits as it is", "write tests", ["write tests"]],
    ["between words", "create the endpoints of the API", ["create the", "endpoints of", "the API"]],
    ["the last line by cutting", "one two three four five six seven eight nine", [
      "one two three",
      "four five six",
      "seven eight n…",
    ]],
    ["a long word anywhere", "x".repeat(40), ["x".repeat(12), "x".repeat(12), `${"x".repeat(11)}…`]],
    ["text without spaces between its words", "日本語のとても長い件名です", [
      "日本語のとても",
      "長い件名です",
    ]],
  ] as const
) {
  Deno.test(`wrapText breaks ${about}`, () => {
    assertEquals(wrapText(text, 8, 3), lines);
  });
}
