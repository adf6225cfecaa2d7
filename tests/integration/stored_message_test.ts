/** A message that the server is asked for, not one that it delivers. */
import { assertEquals } from "@std/assert";
import { connect } from "nats";
import { bytesOf } from "../../src/nats/nats_message.ts";
import { startFileServer } from "../helpers/file_server.ts";
import { freshName, makeStream } from "../helpers/streams.ts";

const server = await startFileServer();

Deno.test("bytesOf() gives the bytes of a stored message, whatever they are, as the client library does", async () => {
  const stream = freshName();
  await makeStream(server, { name: stream, subjects: [`${stream}.>`] });
  const nc = await connect({ servers: server.url });
  const every = Uint8Array.from({ length: 4_096 }, (_, index) => index % 256);
  for (const data of [new Uint8Array(), every]) await nc.jetstream().publish(`${stream}.x`, data);

  const manager = await nc.jetstreamManager();
  const messages = await Promise.all([1, 2].map((seq) => manager.streams.getMessage(stream, { seq })));
  assertEquals(messages.map(bytesOf), [new Uint8Array(), every]);
  assertEquals(messages.map(bytesOf), messages.map(({ data }) => data));
  await nc.close();
});
