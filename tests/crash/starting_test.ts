/** Starts on what a crash, an operator or a newer version has left (R16, R18): ignored loudly, or not at all. */
import { assertEquals, assertRejects } from "@std/assert";
import { OperatorError } from "../../src/errors.ts";
import { removeMessage } from "../helpers/by_hand.ts";
import { pause } from "../helpers/crash_clients.ts";
import { CutWire } from "../helpers/cut_wire.ts";
import { Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput, readLog, type Server, withConnection } from "../helpers/session_log.ts";
import { startTestServer, type TestServer } from "../helpers/test_server.ts";
import { patiently, within } from "../helpers/within.ts";
import { startWorker, type TestWorker } from "../helpers/worker_in_process.ts";
import { spawnWorker } from "../helpers/worker_process.ts";

const ignored = "the checkpoint is ignored: the log alone counts";

/** Why the worker has ignored the checkpoint, once for each time; what is seq or time made short. */
function reasons({ log }: TestWorker): readonly unknown[] {
  return log.of(ignored).map(({ fields }) => String(fields.reason).replace(/\d[\d:.TZ-]*/g, "…"));
}

/** Clients come and go with the server, and none has heard what the log had before at the same places. */
const id = "p";

/** A worker that ran and left a checkpoint; gives what the pod's tasks were. */
async function runOnce(server: Server, subjects: readonly string[]): Promise<readonly string[]> {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server, { id });
  for (const subject of subjects) await pod.call("TaskCreate", { subject }, { callId: subject });
  return await subjectsOf(pod);
}

async function subjectsOf(pod: Pod): Promise<readonly string[]> {
  return (await pod.tasks()).map(({ taskid, subject }) => `${taskid} ${subject}`);
}

Deno.test("a checkpoint of another stream is ignored, loudly, and its pods too", async () => {
  await using server = await startTestServer();
  await runOnce(server, ["a", "b"]);
  await withConnection(
    server,
    async (nc) => void await (await nc.jetstreamManager(patiently)).streams.delete("TASKS"),
  );
  await using worker = await startWorker(server);
  await using pod = await Pod.join(server, { id });
  await pod.call("TaskCreate", { subject: "b" }, { callId: "b" });

  assertEquals(reasons(worker), ["it reaches seq …, the stream only …"]);
  assertEquals(await subjectsOf(pod), ["1 b"]);
  await worker.stop();
  await using again = await startWorker(server);
  assertEquals([reasons(again), await subjectsOf(pod)], [[], ["1 b"]]);
});

Deno.test("a checkpoint of a newer format is ignored, loudly", async () => {
  await using server = await startTestServer();
  const before = await runOnce(server, ["a", "b"]);
  await withConnection(server, async (nc) => {
    const bucket = await nc.jetstream(patiently).views.kv("TASKS_CHECKPOINT");
    await bucket.put("covering", JSON.stringify({ v: 99, everything: "else" }));
    await bucket.put(`pod.${id}`, JSON.stringify({ v: 99 }));
  });
  await using worker = await startWorker(server);
  await using pod = await Pod.join(server, { id });

  assertEquals((await worker.log.logged("ready")).fields.from_seq, 0);
  assertEquals(reasons(worker), ["it is not of format …"]);
  assertEquals(await subjectsOf(pod), before);
  assertEquals((await pod.call("TaskCreate", { subject: "b" }, { callId: "b" })).body.duplicate, true);
});

/** Puts the stream of the log back to a copy; the bucket stays as it is. */
async function copyStream(server: TestServer, from: string, to: string): Promise<void> {
  const { success } = await new Deno.Command("cp", { args: ["-a", `${from}/.`, to] }).output();
  if (!success) throw new Error(`Cannot copy the stream of ${server.url} from ${from} to ${to}`);
}

for (const isGrown of [false, true]) {
  const how = isGrown ? "and has grown again" : "and is shorter";
  Deno.test(`a checkpoint of a log that was put back to an older copy ${how} is ignored, loudly`, async () => {
    await using server = await startTestServer();
    const old = await runOnce(server, ["a", "b"]);
    const folder = `${server.storeDir}/jetstream/$G/streams/TASKS`;
    const copy = await Deno.makeTempDir({ prefix: "tasuki-test-copy-" });
    await server.stop();
    await copyStream(server, folder, copy);
    await server.start();
    await runOnce(server, ["c", "d"]);
    await server.stop();
    await Deno.remove(folder, { recursive: true });
    await Deno.mkdir(folder);
    await copyStream(server, copy, folder);
    await Deno.remove(copy, { recursive: true });
    await server.start();
    const later = isGrown ? ["e", "f", "g", "h", "i", "j", "k", "l"] : [];
    await using pod = await Pod.join(server, { id });
    for (const subject of later) await pod.sendCall("TaskCreate", { subject });
    await using worker = await startWorker(server);

    assertEquals(await subjectsOf(pod), [...old, ...later.map((subject, at) => `${at + 3} ${subject}`)]);
    assertEquals(reasons(worker), [
      isGrown ? "another message is at seq …" : "it reaches seq …, the stream only …",
    ]);
    await everyInputHasOneOutput(server);
  });
}

/**
 * A checkpoint, and behind it calls that it does not cover; gives the seqs of the latter's messages. The checkpoint ends
 * at an input, whose output lies between.
 */
async function withTail(server: Server, pod: Pod): Promise<readonly number[]> {
  await runOnce(server, ["a"]);
  const covered = (await readLog(server)).at(-1)?.seq ?? 0;
  await using worker = await spawnWorker(server, { TASUKI_CHECKPOINT_EVERY_MS: "3600000" });
  for (const subject of ["b", "c", "d"]) await pod.call("TaskCreate", { subject });
  await worker.kill();
  return (await readLog(server)).map(({ seq }) => seq).filter((seq) => seq > covered);
}

const lost = (first: number, last = first): RegExp =>
  new RegExp(
    `^Cannot rebuild the stores: the log has lost messages ${first}–${last}: restore stream and bucket`,
  );

Deno.test("a log that was shortened past the checkpoint is not served, unless the loss is accepted", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server, { id });
  const tail = await withTail(server, pod);
  const [first = 0, , third = 0] = tail;
  await withConnection(server, async (nc) => {
    await (await nc.jetstreamManager(patiently)).streams.purge("TASKS", { seq: third });
  });

  await assertRejects(() => startWorker(server), OperatorError, "the log has lost messages");
  const refused = await startWorker(server).catch((error) => error.message);
  assertEquals(lost(first - 1, third - 1).test(refused), true, refused);
  await using worker = await startWorker(server, { acceptLoss: true });
  assertEquals(await subjectsOf(pod), ["1 a", "3 c", "4 d"]);
  assertEquals(worker.log.complaints, ["the log has lost messages; going on as told"]);
});

Deno.test("a log that lacks a message behind the checkpoint is not served, unless the loss is accepted", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server, { id });
  const [, , input = 0, output = 0] = await withTail(server, pod);
  await removeMessage(server, input);
  await removeMessage(server, output);

  const refused = await startWorker(server).catch((error) => error.message);
  assertEquals(lost(input, output).test(refused), true, refused);
  await using worker = await startWorker(server, { acceptLoss: true });
  assertEquals(await subjectsOf(pod), ["1 a", "2 b", "4 d"]);
  assertEquals(worker.log.complaints, ["the log has lost messages; going on as told"]);
});

Deno.test("a message that is gone before the checkpoint's position is nobody's loss", async () => {
  await using server = await startTestServer();
  const before = await runOnce(server, ["a", "b"]);
  await removeMessage(server, 2);
  await using worker = await startWorker(server);
  await using pod = await Pod.join(server, { id });

  assertEquals(await subjectsOf(pod), before);
  assertEquals(worker.log.complaints, []);
});

/** Waits until the log has lost the message with this seq. */
async function untilShortened(server: Server, seq: number): Promise<void> {
  await withConnection(server, async (nc) => {
    const { streams } = await nc.jetstreamManager(patiently);
    const shortening = async (): Promise<void> => {
      while ((await streams.info("TASKS")).state.first_seq <= seq) await pause(20);
    };
    await within(shortening(), `the log shortened beyond ${seq}`);
  });
}

Deno.test("a follower that was cut off while the log was shortened goes on from the checkpoint, and can lead", async () => {
  await using server = await startTestServer();
  await using wire = new CutWire(server.port);
  await using pod = await Pod.join(server);
  const settings = { keepMessages: 1, checkpointEveryMs: 100 };
  await using leader = await startWorker(server, settings);
  await leader.log.logged("leading");
  await using follower = await startWorker(wire, settings);
  const made: string[] = [];
  const create = async (subject: string): Promise<void> => {
    const { body } = await pod.call("TaskCreate", { subject });
    made.push(`${body.result.structuredContent.task.taskid} ${subject}`);
  };
  await create("before");
  wire.die();
  for (let count = 0; count < 5; count++) await create(`${count}`);
  await untilShortened(server, follower.status().cursorSeq + 1);
  await wire.cut();
  wire.revive();
  await follower.log.logged("the log was shortened: going on from the checkpoint");
  await create("after");
  await leader.stop();

  assertEquals(await subjectsOf(pod), made);
  await follower.log.logged("leading");
});
