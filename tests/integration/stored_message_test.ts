/** A message that the server is asked for, not one that it delivers. */
import { assertEquals, fail } from "@std/assert";
import { headers, type JetStreamPublishOptions, type StoredMsg } from "nats";
import { bytesOf } from "../../src/nats/nats_message.ts";
import { startFileServer } from "../helpers/file_server.ts";
import { withConnection } from "../helpers/session_log.ts";
import { freshName, makeStream } from "../helpers/streams.ts";

const server = await startFileServer();

/** Every byte, again and again. */
function bytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => index % 256);
}

const some = headers();
some.set("Nats-Msg-Id", "a");
some.set("Tasuki-Input", "1");
const headersBytes = "NATS/1.0\r\nNats-Msg-Id: a\r\nTasuki-Input: 1\r\n\r\n".length;
/** What a server takes of headers and data together. */
const messageBytes = 1024 * 1024;

/** The message as a server gives it to the client library. */
async function stored(data: Uint8Array, options: Partial<JetStreamPublishOptions> = {}): Promise<StoredMsg> {
  const stream = freshName();
  await makeStream(server, { name: stream, subjects: [`${stream}.>`] });
  return await withConnection(server, async (nc) => {
    const { seq } = await nc.jetstream().publish(`${stream}.x`, data, options);
    return await (await nc.jetstreamManager()).streams.getMessage(stream, { seq });
  });
}

for (
  const [about, data, options] of [
    ["one byte", bytes(1), {}],
    ["4 KiB", bytes(4_096), {}],
    ["1 MiB", bytes(messageBytes), {}],
    ["4 KiB under headers", bytes(4_096), { headers: some }],
    ["1 MiB less its headers", bytes(messageBytes - headersBytes), { headers: some }],
  ] as const
) {
  Deno.test(`bytesOf() gives the bytes of a stored message without asking the client library: ${about}`, async () => {
    const message = await stored(data, options);
    // As texts: telling how long lists differ takes minutes.
    const byClientLibrary = message.data.toHex();
    Object.defineProperty(message, "data", { get: () => fail("the client library was asked") });
    const given = bytesOf(message).toHex();
    assertEquals([given === data.toHex(), given === byClientLibrary], [true, true]);
  });
}

Deno.test("bytesOf() gives none of a stored message that has none", async () => {
  const messages = [await stored(bytes(0)), await stored(bytes(0), { headers: some })];
  assertEquals(messages.map(bytesOf), [bytes(0), bytes(0)]);
});
