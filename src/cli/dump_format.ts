/** A message of the log as one line of JSON, and back. */
import { z } from "zod";
import { headerNames, type LogMessage } from "../log/log_message.ts";
import { jsonBytes, textOf } from "../log/utf8.ts";
import { isJsonObject } from "../tools/arguments.ts";
import { isNestedDeeper } from "../tools/nesting.ts";
import { jsonForTerminal } from "./terminal_text.ts";

/** The headers that mean something to Tasuki or to the server. */
const dumpedHeaders = [...Object.values(headerNames), "Nats-Msg-Id"];

/** More would overflow the stack of whoever writes or reads it. */
const shownLevelsMax = 1_000;

/** Content that is JSON stands as its value; any other, and what would look like this form, as its bytes. */
const inBase64 = z.strictObject({ base64: z.base64() });

const dumpedMessage = z.object({
  seq: z.int().min(1),
  time: z.iso.datetime(),
  subject: z.string(),
  headers: z.record(z.string(), z.string()),
  data: z.unknown(),
});

/** Without a line end. */
export function dumpLine(message: LogMessage): string {
  const { seq, timeMs, subject, data } = message;
  const headers = dumpedHeaders.flatMap((name) => {
    const value = message.header(name);
    return value === null ? [] : [[name, value] as const];
  });
  const value = jsonOf(data);
  return jsonForTerminal({
    seq,
    time: new Date(timeMs).toISOString(),
    subject,
    headers: Object.fromEntries(headers),
    data: value === undefined ? { base64: data.toBase64() } : value,
  });
}

/** Undefined where the bytes are not the JSON of a value that a dump can show as it is. */
function jsonOf(data: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(textOf(data));
    const isShown = !isNestedDeeper(value, shownLevelsMax) && !inBase64.safeParse(value).success;
    return isShown ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) {
      return undefined;
    }
    throw error;
  }
}

/** The message that a line of a dump shows; null where the value is none. */
export function readDumpedMessage(value: unknown): LogMessage | null {
  const dumped = isJsonObject(value) && Object.hasOwn(value, "data")
    ? dumpedMessage.safeParse(value).data
    : undefined;
  if (!dumped) return null;
  const { seq, time, subject, headers, data } = dumped;
  return {
    seq,
    timeMs: Date.parse(time),
    subject,
    data: bytesOf(data),
    header: (name) => headers[name] ?? null,
  };
}

function bytesOf(data: unknown): Uint8Array {
  const bytes = inBase64.safeParse(data).data;
  return bytes ? Uint8Array.fromBase64(bytes.base64) : jsonBytes(data);
}
