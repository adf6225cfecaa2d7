/** JSON as bytes is what the standard's own encoder makes of it. */
import fc from "fast-check";
import { jsonBytes } from "../../src/log/utf8.ts";

const loneSurrogate = fc.constantFrom("\ud800", "a\udc00", "\udc00\ud800");
/** Longer than what shares a buffer with others. */
const longText = fc.string({ unit: "binary", minLength: 1 }).map((text) => text.repeat(5_000));

Deno.test("jsonBytes() is the value's JSON in UTF-8", () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue({ stringUnit: "binary" }), loneSurrogate, longText), (value) => {
      // As texts: telling how long lists differ takes minutes.
      return jsonBytes(value).toHex() === new TextEncoder().encode(JSON.stringify(value)).toHex();
    }),
    { numRuns: 500 },
  );
});
