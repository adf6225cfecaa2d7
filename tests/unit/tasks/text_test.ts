import { assertEquals } from "@std/assert";
import {
  cutText,
  detached,
  hasMoreCodePoints,
  inlineText,
  isBlank,
  joinLines,
  jsonText,
  trimWhiteSpace,
  utf8Bytes,
} from "../../../src/tasks/text.ts";

/** First and last of each range that SPEC §4 has written as an escape. */
const escapedRanges: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x26, 0x26],
  [0x3c, 0x3c],
  [0x3e, 0x3e],
  [0x60, 0x60],
  [0x7f, 0x9f],
  [0x061c, 0x061c],
  [0x200e, 0x200f],
  [0x2028, 0x2029],
  [0x202a, 0x202e],
  [0x2066, 0x2069],
  [0xe0000, 0xe007f],
];

function isEscaped(codePoint: number): boolean {
  return escapedRanges.some(([first, last]) => codePoint >= first && codePoint <= last);
}

/** How the list text writes a code point, by the words of SPEC §4. */
function wanted(codePoint: number): string {
  const text = String.fromCodePoint(codePoint);
  if (text === '"' || text === "\\") return `\\${text}`;
  if (!isEscaped(codePoint)) return text;
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

Deno.test("jsonText() escapes exactly what SPEC §4 names, over all of Unicode", () => {
  const wrong: string[] = [];
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    if (codePoint === 0xd800) codePoint = 0xe000;
    const written = jsonText(String.fromCodePoint(codePoint));
    if (written !== `"${wanted(codePoint)}"`) wrong.push(`${codePoint.toString(16)}: ${written}`);
  }
  assertEquals(wrong, []);
});

Deno.test("jsonText() writes a line feed and its like by number", () => {
  assertEquals(
    jsonText("\b\t\n\f\r\0\u{e0041}"),
    '"\\u0008\\u0009\\u000a\\u000c\\u000d\\u0000\\udb40\\udc41"',
  );
});

Deno.test("jsonText() leaves a backslash in front of an n two characters", () => {
  assertEquals(jsonText("\\n\\u0041\\\n"), '"\\\\n\\\\u0041\\\\\\u000a"');
});

Deno.test("jsonText() is JSON of the same value, keys too", () => {
  const value = { "<\n`>": ["\u2028", { "&": "\u{e0020}" }], plain: 1 };
  assertEquals(JSON.parse(jsonText(value)), value);
});

Deno.test("inlineText() is the escaped text without quotation marks", () => {
  assertEquals(inlineText('say "<b>"\n'), 'say \\"\\u003cb\\u003e\\"\\u000a');
});

Deno.test("detached() is the same text, whatever is in it", () => {
  const texts = [
    "",
    "a",
    "é🧵",
    "\ud800",
    "a\udc00b",
    "\udc00\ud800",
    '"\\\n\0',
    "\ufeff\u2028",
    "a".repeat(10_000),
  ];
  assertEquals(texts.map(detached), texts);
  assertEquals(detached(`${"a".repeat(100)}\ud83e${"b".repeat(100)}`.slice(99, 102)), "a\ud83eb");
});

Deno.test("utf8Bytes() counts what an encoder writes", () => {
  for (const text of ["", "a\x7f", "\x80é", "\u07ff\u0800\uffff", "𝄞a🧵", "日本"]) {
    assertEquals(utf8Bytes(text), new TextEncoder().encode(text).length);
  }
});

for (
  const [text, max, more] of [
    ["", 0, false],
    ["ab", 2, false],
    ["abc", 2, true],
    ["🧵🧵", 2, false],
    ["🧵🧵a", 2, true],
    ["🧵🧵🧵", 2, true],
    ["abcde", 2, true],
  ] as const
) {
  Deno.test(`hasMoreCodePoints() of "${text}" and ${max} is ${more}`, () => {
    assertEquals(hasMoreCodePoints(text, max), more);
  });
}

for (
  const [about, text, trimmed] of [
    [
      "every white space of Unicode",
      "\t\n\v\f\r \x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000a \n",
      "a",
    ],
    ["no selector of an emoji", "fix ❤️ ", "fix ❤️"],
    ["no joiner and no byte order mark", "\u200da\ufeff", "\u200da\ufeff"],
    ["nothing in the middle", " a\u3000 b ", "a\u3000 b"],
    ["all of a text that is nothing else", " \n\u3000", ""],
  ] as const
) {
  Deno.test(`trimWhiteSpace() takes away ${about}`, () => assertEquals(trimWhiteSpace(text), trimmed));
}

for (
  const [about, text, blank] of [
    ["nothing", "", true],
    ["white space", " \t\n\u3000", true],
    ["a zero-width space and a byte order mark", "\u200b\ufeff", true],
    ["variation selectors, joiners and tags", "\ufe0f\u200d\u{e0041}\u{e0100}", true],
    ["Hangul and Khmer fillers", "\u115f\u3164\uffa0\u17b4", true],
    ["a letter between them", "\u200ba\u200b", false],
    ["a heart with its selector", "❤️", false],
    ["a control that has no width", "\0", false],
  ] as const
) {
  Deno.test(`isBlank() says ${blank} of ${about}`, () => assertEquals(isBlank(text), blank));
}

Deno.test("joinLines() puts one space for each run of line breaks", () => {
  assertEquals(joinLines("a\nb\r\nc\n\n\nd\u2028e\u2029f\x85g\vh\fi\rj"), "a b c d e f g h i j");
});

for (
  const [about, text, max, cut] of [
    ["keeps what fits", "abc", 3, "abc"],
    ["cuts what does not", "abcd", 3, "abc…"],
    ["never cuts a surrogate pair", "ab🧵", 3, "ab…"],
    ["keeps a pair that just fits", "a🧵b", 3, "a🧵…"],
    ["never cuts a letter from its accent", "abe\u0301x", 3, "ab…"],
    ["never cuts a family", "a👩‍👧b", 4, "a…"],
    ["never cuts an emoji from its skin tone", "a👍🏽b", 3, "a…"],
    ["never cuts a flag in two", "a🇯🇵b", 3, "a…"],
    ["cuts between two flags", "🇯🇵🇫🇷b", 4, "🇯🇵…"],
    ["keeps nothing of a grapheme that is too long", "e\u0301\u0301\u0301x", 2, "…"],
  ] as const
) {
  Deno.test(`cutText() ${about}`, () => assertEquals(cutText(text, max), cut));
}
