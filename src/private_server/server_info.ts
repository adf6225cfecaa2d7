/** Reads what a nats-server says of itself to whoever connects, without becoming its client. */

import { z } from "zod";

const infoCharsMax = 64 * 1024;
const infoMsMax = 1_000;

const infoSchema = z.object({
  server_name: z.string(),
  version: z.string(),
  jetstream: z.boolean().default(false),
});

/** The parts of a server's INFO line that tell which server it is and whether it can serve us. */
interface ServerInfo {
  name: string;
  version: string;
  hasJetStream: boolean;
}

/**
 * The INFO of the server at this port of 127.0.0.1; null where nobody listens, where it is no nats-server, or
 * where it says nothing for a second (a stopped process still accepts connections).
 */
export async function readServerInfo(port: number): Promise<ServerInfo | null> {
  try {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    return parseInfo(await firstLine(connection.readable));
  } catch (error) {
    if (isNobody(error)) return null;
    throw error;
  }
}

/** What comes before the first line end, or before the limit on time or size; closes the stream. */
async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  const timer = setTimeout(() => reader.cancel(), infoMsMax);
  const decoder = new TextDecoder();
  let text = "";
  try {
    while (!text.includes("\r\n") && text.length < infoCharsMax) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    clearTimeout(timer);
    await reader.cancel();
  }
  return text;
}

function parseInfo(line: string): ServerInfo | null {
  const [, json] = /^INFO (\{.*\}) *\r\n/.exec(line) ?? [];
  if (json === undefined) return null;
  const info = infoSchema.safeParse(JSON.parse(json));
  if (!info.success) return null;
  return { name: info.data.server_name, version: info.data.version, hasJetStream: info.data.jetstream };
}

/** A SyntaxError: it is no nats-server's JSON. */
function isNobody(error: unknown): boolean {
  return error instanceof Deno.errors.ConnectionRefused || error instanceof Deno.errors.ConnectionReset ||
    error instanceof Deno.errors.ConnectionAborted || error instanceof SyntaxError;
}
