import { assertEquals, assertThrows } from "@std/assert";
import { jsonBytes, textBefore, textOf } from "../../../src/log/utf8.ts";

/** Texts as UTF-8, and numbers as the bytes that they are, one after the other. */
function bytesOf(...parts: readonly (string | number)[]): Uint8Array {
  const encoder = new TextEncoder();
  return Uint8Array.from(
    parts.flatMap((part) => typeof part === "string" ? [...encoder.encode(part)] : [part]),
  );
}

for (
  const [about, text] of [
    ["nothing at all", ""],
    ["ASCII", 'a "b"\n\0'],
    ["letters of two, three and four bytes", "é日🧵"],
    ["a byte order mark, which stays", "\ufeffa"],
    ["a byte order mark that is all", "\ufeff"],
    ["a replacement character that is really there", "a\ufffdb"],
    ["a byte order mark before a replacement character", "\ufeff\ufffd"],
  ] as const
) {
  Deno.test(`textOf() reads ${about}`, () => assertEquals(textOf(bytesOf(text)), text));
}

for (
  const [about, data] of [
    ["a lone 0xff", bytesOf(0xff)],
    ["a letter that is cut at the end", bytesOf("a", 0xe6, 0x97)],
    ["a surrogate", bytesOf(0xed, 0xa0, 0x80)],
    ["what is wrong behind a replacement character", bytesOf("\ufffd", 0x80)],
  ] as const
) {
  Deno.test(`textOf() throws for ${about}`, () => {
    assertThrows(() => textOf(data), TypeError);
  });
}

for (
  const [about, data, bytesMax, before] of [
    ["what stands before the words", bytesOf("é日,END.,END"), 20, "é日"],
    ["nothing where they stand first", bytesOf(",END"), 20, ""],
    ["a byte order mark, too", bytesOf("\ufeffa,END"), 20, "\ufeffa"],
    ["the same where the words end with the limit", bytesOf("ab,END."), 6, "ab"],
    ["null where they end behind it", bytesOf("ab,END."), 5, null],
    ["null where they are not there", bytesOf("ab,EN"), 20, null],
    ["null of nothing", bytesOf(), 20, null],
    ["the same where the limit cuts a letter behind the words", bytesOf("ab,END日"), 7, "ab"],
    ["null where the limit cuts a letter before the words", bytesOf("ab日,END"), 4, null],
    ["null where a replacement character stands before the words", bytesOf("a\ufffd,END"), 20, null],
    ["null where what stands before the words is no UTF-8", bytesOf("a", 0xff, ",END"), 20, null],
    ["the same where what stands behind the words is no UTF-8", bytesOf("a,END", 0xff), 20, "a"],
  ] as const
) {
  Deno.test(`textBefore() is ${about}`, () => assertEquals(textBefore(",END", data, bytesMax), before));
}

Deno.test("jsonBytes() gives bytes that no later call writes over", () => {
  const first = jsonBytes("first").fill(1);
  const others = Array.from({ length: 2_000 }, (_, index) => jsonBytes(`other ${index}`));
  assertEquals(first, new Uint8Array(7).fill(1));
  first.fill(2);
  assertEquals(others.map((other) => JSON.parse(textOf(other))), others.map((_, index) => `other ${index}`));
});
