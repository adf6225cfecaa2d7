/**
 * How fast a log is read back: a full replay against a bare ordered read of the same stream, and a start behind a
 * checkpoint however long the log is.
 */
import { connect, type NatsConnection } from "nats";
import { Subjects } from "../src/log/subjects.ts";
import { openLog } from "../src/nats/open_log.ts";
import { readToEnd } from "../src/worker/read_to_end.ts";
import { LogLines } from "../tests/helpers/log_lines.ts";
import { startTestServer } from "../tests/helpers/test_server.ts";
import { beginWorker, testConfig } from "../tests/helpers/worker_in_process.ts";
import { PreparedLog } from "./prepared_log.ts";
import { startProcess } from "./process.ts";
import { numberText, report, reportCurve } from "./report.ts";
import { sized } from "./sizes.ts";
import { median, medianRatio } from "./statistics.ts";

const rounds = sized(5, 1);
/** The full replays are of the first; the start behind the last is the target's. */
const lengths = [sized(200_000, 2_000), sized(600_000, 4_000), sized(1_000_000, 6_000)];
const tailMessages = sized(10_000, 1_000);
const starts = 3;

await using server = await startTestServer();
const config = testConfig([server.url]);
const subjects = new Subjects(config.prefix);
const nc = await connect({ servers: server.url });
const created = await createdOfStream();
const prepared = new PreparedLog();

/** Makes stream and bucket as a worker does. */
async function createdOfStream(): Promise<string> {
  await using opened = await openLog({
    config,
    subjects,
    logger: new LogLines(),
    name: "bench",
    waitForServer: true,
  });
  return (await opened.log.state()).created;
}

/** Messages per second of the client library's ordered consumer, that does nothing with them. */
async function bareRead(nc: NatsConnection): Promise<number> {
  const consumer = await nc.jetstream().consumers.get(config.stream);
  const startedMs = performance.now();
  let messages = 0;
  await new Promise<void>((resolve, reject) => {
    const consume = consumer.consume({
      max_messages: 5_000,
      callback: () => {
        if (++messages === prepared.messages) consume.then((reading) => reading.stop()).then(resolve, reject);
      },
    });
    consume.catch(reject);
  });
  const tookMs = performance.now() - startedMs;
  await consumer.delete();
  return messages * 1000 / tookMs;
}

/** The same with the reader that the worker has. */
async function ownRead(): Promise<number> {
  await using opened = await openLog({
    config,
    subjects,
    logger: new LogLines(),
    name: "bench",
    waitForServer: true,
  });
  const startedMs = performance.now();
  await readToEnd(opened.log, subjects, { afterSeq: 0, only: "everything" }, () => {});
  return prepared.messages * 1000 / (performance.now() - startedMs);
}

/** A worker without a checkpoint reads and applies all of it. */
async function replay(round: number): Promise<number> {
  await using worker = await beginWorker(server, { bucket: `EMPTY${round}` });
  await worker.ready;
  const [line] = worker.log.of("ready");
  return prepared.messages * 1000 / Number(line?.fields.replay_ms);
}

async function fullReplays(): Promise<void> {
  const bare: number[] = [];
  const own: number[] = [];
  const replayed: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const bareConnection = await connect({ servers: server.url });
    bare.push(await bareRead(bareConnection));
    await bareConnection.close();
    own.push(await ownRead());
    replayed.push(await replay(round));
  }
  const what = `of ${numberText(prepared.messages)} messages, inputs and outputs`;
  report("bare_read", `bare ordered read by the client library, ${what}`, median(bare), "/s");
  report("own_read", `bare ordered read by the worker's reader, ${what}`, median(own), "/s");
  report("replay", `replay ${what}`, median(replayed), "/s");
  report("replay_ratio", "replay against the client library's bare read", medianRatio(replayed, bare), "×");
  report("replay_own_ratio", "replay against the worker's own bare read", medianRatio(replayed, own), "×");
}

/** Reads what is new and leaves a checkpoint that covers all of it. */
async function saveCheckpoint(): Promise<void> {
  await using worker = await beginWorker(server);
  await worker.log.next("leading");
}

/**
 * Until a process that was started now is ready, in milliseconds: Deno's own start included. It is killed then, before
 * it can save what it read.
 *
 * @throws {Error} when it did not begin at the checkpoint
 */
async function startMs(position: number): Promise<number> {
  await using worker = await startProcess("main.ts", ["serve"], { url: server.url, saying: '"msg":"ready"' });
  await worker.kill();
  if (!worker.said().includes(`"from_seq":${position},`)) {
    throw new Error(`Cannot measure a start: it must begin at ${position}: got ${worker.said()}`);
  }
  return worker.startMs;
}

async function startsBehindCheckpoint(): Promise<[number, number]> {
  await saveCheckpoint();
  position = prepared.messages;
  await prepared.extendTo(prepared.messages + tailMessages, nc, created);
  const took: number[] = [];
  for (let start = 0; start < starts; start++) took.push(await startMs(position));
  return [prepared.messages, median(took)];
}

const points: [number, number][] = [];
/** The last checkpoint's. */
let position = 0;
for (const length of lengths) {
  const startedMs = performance.now();
  await prepared.extendTo(length, nc, created);
  console.log(
    `  (${numberText(length)} messages prepared in ${numberText(performance.now() - startedMs)} ms)`,
  );
  if (length === lengths[0]) await fullReplays();
  points.push(await startsBehindCheckpoint());
}
const [behind = NaN, lastMs = NaN] = points.at(-1) ?? [];
report(
  "start_ms",
  `start of the process until ready, checkpoint behind ${numberText(behind - tailMessages)} messages, ` +
    `${numberText(tailMessages)} to read`,
  lastMs,
  "ms",
);
// What comes between two checkpoints, at most: every input has its output.
const mostMessages = 2 * config.checkpointInputs;
await prepared.extendTo(position + mostMessages, nc, created);
const mostMs: number[] = [];
for (let start = 0; start < starts; start++) mostMs.push(await startMs(position));
const most = `${numberText(mostMessages)} to read, the most by default`;
report("start_most_ms", `start of the process until ready, ${most}`, median(mostMs), "ms");
reportCurve({
  file: "growth_start",
  title: "Start of the process until ready, with a checkpoint and 10,000 messages to read",
  x: "messages in the log",
  y: "ms",
  logarithmic: "none",
  series: [{ name: "start", points }],
});
await nc.close();
