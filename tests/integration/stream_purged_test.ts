/** The stream is emptied under a worker: its memory goes on, and a start needs the checkpoint (R16). */
import { assertEquals } from "@std/assert";
import { removeMessage } from "../helpers/by_hand.ts";
import { untilCovered } from "../helpers/checkpoint.ts";
import { Pod } from "../helpers/pod.ts";
import { purgeStream } from "../helpers/streams.ts";
import { startTestServer, type TestServer } from "../helpers/test_server.ts";
import { startWorker } from "../helpers/worker_in_process.ts";
import { launchWorker, spawnWorker } from "../helpers/worker_process.ts";

const subjectsOf = async (pod: Pod) => (await pod.tasks()).map(({ subject }) => subject);

Deno.test("a worker goes on from memory when its stream is purged, and a start goes on from the checkpoint", async () => {
  await using server = await startTestServer();
  const worker = await startWorker(server, { checkpointInputs: 1 });
  await using pod = await Pod.join(server);
  await using idle = await Pod.join(server);
  await idle.call("TaskCreate", { subject: "idle" });
  await pod.call("TaskCreate", { subject: "a" }, { callId: "1" });
  await purgeStream(server);
  const repeat = await pod.call("TaskCreate", { subject: "a" }, { callId: "1" });
  const next = await pod.call("TaskCreate", { subject: "b" });

  assertEquals([repeat.body.duplicate, repeat.body.changes], [true, []]);
  assertEquals(next.body.changes, [{ taskid: 2, status: "pending", subject: "b", description: "" }]);
  await untilCovered(server, next.body.input_seq);
  await worker.stop();
  await using again = await startWorker(server);
  assertEquals([await subjectsOf(pod), await subjectsOf(idle)], [["a", "b"], ["idle"]]);
  assertEquals([...worker.log.complaints, ...again.log.complaints], []);
});

for (
  const { what, erase } of [
    { what: "the stream was purged", erase: (server: TestServer) => purgeStream(server) },
    { what: "its last input is gone", erase: (server: TestServer) => removeMessage(server, 3) },
  ]
) {
  Deno.test(`a worker that is stopped when ${what}, without another call, leaves a checkpoint that a start goes on from`, async () => {
    await using server = await startTestServer();
    const worker = await startWorker(server, { podsInMemoryMax: 10 });
    await using pod = await Pod.join(server);
    await pod.call("TaskCreate", { subject: "a" });
    await pod.call("TaskCreate", { subject: "b" });
    await erase(server);
    await worker.stop();
    await using again = await startWorker(server);

    assertEquals(await subjectsOf(pod), ["a", "b"]);
    assertEquals([...worker.log.complaints, ...again.log.complaints], []);
  });
}

Deno.test("a start on a purged stream without a checkpoint says what is missing and ends, unless the loss is accepted", async () => {
  await using server = await startTestServer();
  // No pod leaves memory, in no tier: so there is no checkpoint yet.
  const noCheckpoint = { TASUKI_PODS_IN_MEMORY_MAX: "10" };
  await using worker = await spawnWorker(server, noCheckpoint);
  await using pod = await Pod.join(server);
  await pod.call("TaskCreate", { subject: "a" });
  await purgeStream(server);
  await pod.call("TaskCreate", { subject: "b" });
  assertEquals(await subjectsOf(pod), ["a", "b"]);
  await worker.kill();
  await using refusing = launchWorker(server, noCheckpoint);

  assertEquals(await refusing.ended, {
    code: 1,
    stderr: [
      "Cannot rebuild the stores: the log has lost messages 1–2: restore stream and bucket from one backup, " +
      "or start with --accept-loss to go on without them",
    ],
  });
  await using _accepting = await spawnWorker(server, { ...noCheckpoint, TASUKI_ACCEPT_LOSS: "true" });
  // The record of "b" says which task it made.
  assertEquals((await pod.tasks()).map(({ taskid, subject }) => `${taskid} ${subject}`), ["2 b"]);
  assertEquals((await pod.call("TaskCreate", { subject: "c" })).body.changes[0].taskid, 3);
});
