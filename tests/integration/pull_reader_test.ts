/** A reader to which nothing comes for longer than one pull lives. */
import { assertEquals, assertRejects } from "@std/assert";
import { TransientError } from "../../src/errors.ts";
import { Connection } from "../../src/nats/connection.ts";
import { PullReader } from "../../src/nats/pull_reader.ts";
import { startFileServer } from "../helpers/file_server.ts";
import { LogLines } from "../helpers/log_lines.ts";
import { Pod } from "../helpers/pod.ts";
import { freshName, makeStream } from "../helpers/streams.ts";
import { within } from "../helpers/within.ts";
import { testConfig } from "../helpers/worker_in_process.ts";

const server = await startFileServer();
/** Of a server that others keep from the processors for a while. */
const patientMs = 30_000;

/** A reader of a new stream, and the pod that publishes to it. */
async function startReading(silenceMaxMs = patientMs) {
  await using opening = new AsyncDisposableStack();
  const stream = freshName();
  await makeStream(server, { name: stream, subjects: [`${stream}.*.in.>`] });
  const connection = opening.use(
    await Connection.open({
      nats: testConfig([server.url]).nats,
      name: "reader",
      logger: new LogLines(),
      waitForServer: false,
      readFile: Deno.readFile,
    }),
  );
  const pod = opening.use(await Pod.join(server, { prefix: stream }));
  let pulls = 0;
  let wake = (): void => {};
  const pulled = (): void => {
    pulls++;
    wake();
  };
  pod.nc.subscribe(`$JS.API.CONSUMER.MSG.NEXT.${stream}.*`, { callback: pulled });
  await pod.nc.flush();
  const manager = await connection.nc.jetstreamManager({ checkAPI: false });
  const timing = { expiresMs: 1_000, heartbeatMs: 450, silenceMaxMs };
  const options = { connection, manager, stream, afterSeq: 0, filter: null, messagesMax: 8, timing };
  const reader = await PullReader.open(options);
  opening.defer(() => reader.close());
  /** Resolves when so many pulls were made from now on. */
  const pullsMore = async (more: number): Promise<void> => {
    const wanted = pulls + more;
    while (pulls < wanted) await within(new Promise<void>((resolve) => wake = resolve), "pull");
  };
  const opened = opening.move();
  return { reader, pod, pullsMore, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

Deno.test("PullReader pulls again when a pull has run out, and gives what comes then at once", async () => {
  await using reading = await startReading();
  const { reader, pod, pullsMore } = reading;
  // At least two have run out.
  await pullsMore(3);
  const next = reader.next();
  const seq = await pod.sendCall("TaskList");

  assertEquals((await within(next, "message")).map((message) => message.seq), [seq]);
  assertEquals([reader.isOpen, reader.pending], [true, 0]);
});

Deno.test("PullReader gives everything in order, whatever runs out between", async () => {
  await using reading = await startReading();
  const { reader, pod, pullsMore } = reading;
  const got: number[] = [];
  const sent: number[] = [];
  for (let round = 0; round < 3; round++) {
    await pullsMore(2);
    for (let n = 0; n < 20; n++) sent.push(await pod.sendCall("TaskList"));
    while (got.length < sent.length) {
      got.push(...(await within(reader.next(), "message")).map(({ seq }) => seq));
    }
  }

  assertEquals(got, sent);
});

Deno.test("PullReader ends where the server owes its heartbeats", async () => {
  await using reading = await startReading(1_350);
  const { reader } = reading;
  await server.pause();
  try {
    await assertRejects(
      () => within(reader.next(), "end"),
      TransientError,
      "the server was silent for 1350 ms",
    );
    assertEquals(reader.isOpen, false);
  } finally {
    server.resume();
  }
});
