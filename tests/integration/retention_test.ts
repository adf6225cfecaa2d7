/** A log that is shortened by configuration: behind the checkpoint, and without anybody noticing (R16). */
import { assertEquals, assertMatch } from "@std/assert";
import { untilCovered } from "../helpers/checkpoint.ts";
import { type Json, Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput, readLog, withConnection } from "../helpers/session_log.ts";
import { startTestServer, type TestServer } from "../helpers/test_server.ts";
import { patiently, within } from "../helpers/within.ts";
import { startWorker } from "../helpers/worker_in_process.ts";
import { spawnWorker } from "../helpers/worker_process.ts";

const often = { checkpointEveryMs: 100 };
const oftenByEnv = { TASUKI_CHECKPOINT_EVERY_MS: "100" };

async function firstSeqOf(server: TestServer): Promise<number> {
  return await withConnection(server, async (nc) => {
    return (await (await nc.jetstreamManager(patiently)).streams.info("TASKS")).state.first_seq;
  });
}

/** Resolves when the log begins behind the seq. */
async function untilShortened(server: TestServer, seq: number): Promise<void> {
  const waiting = async (): Promise<void> => {
    while (await firstSeqOf(server) <= seq) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await within(waiting(), `a log that begins behind seq ${seq}`);
}

async function joinSome(server: TestServer, count: number): Promise<Pod[]> {
  return await Promise.all(Array.from({ length: count }, () => Pod.join(server)));
}

/** Calls of several pods, six of each at once: in waves, since only between them the log can be cut. */
async function callMuch(pods: readonly Pod[]): Promise<void> {
  for (let wave = 0; wave < 5; wave++) {
    const calls = pods.flatMap((pod) => [
      ...[1, 2, 3, 4].map((n) => pod.call("TaskCreate", { subject: `task ${n} of ${wave}` })),
      pod.call("TaskUpdate", { taskid: 4 * wave + 1, status: "completed" }),
      pod.call("TaskUpdate", { taskid: 4 * wave + 2, addBlockedBy: [4 * wave + 3] }),
    ]);
    await Promise.all(calls);
  }
}

async function listsOf(pods: readonly Pod[]): Promise<Json> {
  return await Promise.all(pods.map(async (pod) => (await pod.read("TaskList")).structuredContent));
}

Deno.test("keepMessages shortens the log behind the checkpoint, between inputs with their outputs; lists stay after kill -9", async () => {
  await using server = await startTestServer();
  const env = { ...oftenByEnv, TASUKI_KEEP_MESSAGES: "20" };
  const before = await spawnWorker(server, env);
  const pods = await joinSome(server, 3);
  await using _leaving = new AsyncDisposableStack();
  for (const pod of pods) _leaving.use(pod);
  await callMuch(pods);
  const lastSeq = Math.max(...pods.flatMap(({ heard }) => heard.map(({ body }) => body.input_seq)));
  await untilShortened(server, 100);
  await untilCovered(server, lastSeq);
  const lists = await listsOf(pods);
  const log = await readLog(server);
  await before.kill();
  await using _after = await spawnWorker(server, env);

  assertEquals(log.length >= 20, true);
  await everyInputHasOneOutput(server);
  assertEquals(await listsOf(pods), lists);
  const next = await Promise.all(pods.map((pod) => pod.call("TaskCreate", { subject: "next" })));
  assertEquals(next.map(({ body }) => body.changes[0].taskid), [21, 21, 21]);
});

Deno.test("keepAgeMs throws away what is older, and keeps what is younger", async () => {
  await using server = await startTestServer();
  await using _worker = await startWorker(server, { ...often, keepAgeMs: 8_000 });
  await using pod = await Pod.join(server);
  const { body: old } = await pod.call("TaskCreate", { subject: "old" });
  await new Promise((resolve) => setTimeout(resolve, 8_100));
  const { body: young } = await pod.call("TaskCreate", { subject: "young" });
  await untilShortened(server, old.input_seq);

  assertEquals((await readLog(server)).map(({ seq }) => seq), [young.input_seq, young.input_seq + 1]);
  assertEquals((await pod.tasks()).map(({ subject }) => subject), ["old", "young"]);
});

Deno.test("a repeat whose first answer is gone gets the task as it is now", async () => {
  await using server = await startTestServer();
  await using _worker = await startWorker(server, { ...often, keepMessages: 1 });
  await using pod = await Pod.join(server);
  const created = await pod.call("TaskCreate", { subject: "a" }, { callId: "c" });
  const exited = await pod.input("agent.exited", { event_id: "e", agent: "al" });
  await pod.call("TaskUpdate", { taskid: 1, status: "completed" });
  await untilShortened(server, exited.body.input_seq);
  const { body: call } = await pod.call("TaskCreate", { subject: "a" }, { callId: "c" });
  const { body: event } = await pod.input("agent.exited", { event_id: "e", agent: "al" });

  assertEquals(call.duplicate, true);
  assertEquals(call.changes, []);
  assertEquals(call.result.structuredContent.task, {
    ...created.body.result.structuredContent.task,
    status: "completed",
  });
  assertEquals([event.duplicate, event.changes], [true, []]);
});

Deno.test("nothing is thrown away unless it is configured", async () => {
  await using server = await startTestServer();
  await using worker = await startWorker(server, often);
  await using pod = await Pod.join(server);
  for (let n = 0; n < 20; n++) await pod.call("TaskCreate", { subject: `task ${n}` });
  const { body } = await pod.call("TaskList");
  await untilCovered(server, body.input_seq);
  // Two more turns of checkpoints.
  await new Promise((resolve) => setTimeout(resolve, 250));

  assertEquals(await firstSeqOf(server), 1);
  assertEquals(worker.log.of("the log was shortened"), []);
});

Deno.test("a pod whose saved state is broken on a shortened log is not served and says so; others go on", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server);
  await using other = await Pod.join(server);
  const before = await startWorker(server, { ...often, keepMessages: 2 });
  await pod.call("TaskCreate", { subject: "lost" });
  const { body } = await other.call("TaskCreate", { subject: "other" });
  await other.call("TaskList");
  await untilShortened(server, body.input_seq);
  await before.stop();
  await withConnection(server, async (nc) => {
    const bucket = await nc.jetstream(patiently).views.kv("TASKS_CHECKPOINT", { bindOnly: true });
    await bucket.put(`pod.${pod.id}`, "{");
  });
  await using _after = await startWorker(server, { ...often, keepMessages: 2 });
  await other.call("TaskCreate", { subject: "next" });
  const read = await pod.read("TaskList");
  const unanswered = await pod.sendCall("TaskCreate", { subject: "x" });

  assertEquals([read.isError, read.structuredContent.error.code], [true, "not_served"]);
  assertMatch(
    read.content[0].text,
    /its saved state is broken and the log does not reach back to its start$/,
  );
  assertEquals((await other.tasks()).map(({ subject }) => subject), ["other", "next"]);
  assertEquals(await pod.outputsOf(unanswered), []);
});

Deno.test("a follower that slept while the log was shortened has every list when it leads", async () => {
  await using server = await startTestServer();
  const env = { ...oftenByEnv, TASUKI_KEEP_MESSAGES: "1" };
  await using leader = await spawnWorker(server, env);
  await leader.log.logged("leading");
  await using follower = await spawnWorker(server, env);
  await using pod = await Pod.join(server);
  await pod.call("TaskCreate", { subject: "a" });
  await follower.pause();
  const { body } = await pod.call("TaskCreate", { subject: "b" });
  await pod.call("TaskList");
  await untilShortened(server, body.input_seq);
  follower.resume();
  await leader.kill();
  await follower.log.logged("leading");

  assertEquals((await pod.tasks()).map(({ taskid, subject }) => `${taskid} ${subject}`), ["1 a", "2 b"]);
});
