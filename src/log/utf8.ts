/** Texts as the bytes of messages: UTF-8, read strictly at the price of reading leniently. */
import { Buffer } from "node:buffer";

const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
const replacementCharacter = "\ufffd";

/** @throws {TypeError} where the bytes are not UTF-8 */
export function textOf(data: Uint8Array): string {
  const text = lenient.decode(data);
  return text.includes(replacementCharacter) ? strict.decode(data) : text;
}

/**
 * What stands before a text that is ASCII; null where that is not within the first bytes, or what stands there may not
 * be UTF-8.
 */
export function textBefore(end: string, data: Uint8Array, bytesMax: number): string | null {
  const text = lenient.decode(data.subarray(0, bytesMax));
  const at = text.indexOf(end);
  const before = at < 0 ? replacementCharacter : text.slice(0, at);
  return before.includes(replacementCharacter) ? null : before;
}

/** The value as JSON. `Buffer` writes texts much faster than `TextEncoder` does. */
export function jsonBytes(value: unknown): Uint8Array {
  const { buffer, byteOffset, length } = Buffer.from(JSON.stringify(value));
  return new Uint8Array(buffer, byteOffset, length);
}
