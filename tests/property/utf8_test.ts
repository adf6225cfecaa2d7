/** JSON as bytes is what the standard's own encoder makes of it. */
import fc from "fast-check";
import { assertEquals } from "@std/assert";
import { jsonBytes } from "../../src/log/utf8.ts";

const loneSurrogate = fc.constantFrom("\ud800", "a\udc00", "\udc00\ud800");
/** Longer than what shares a buffer with others. */
const longText = fc.string({ unit: "binary", minLength: 5_000, maxLength: 10_000, size: "max" });

Deno.test("jsonBytes() is the value's JSON in UTF-8", () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue({ stringUnit: "binary" }), loneSurrogate, longText), (value) => {
      assertEquals(jsonBytes(value), new TextEncoder().encode(JSON.stringify(value)));
    }),
    { numRuns: 500 },
  );
});
