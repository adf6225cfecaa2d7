/** The checkpoint bucket is deleted, emptied or put back under a worker: the log alone counts (R16). */
import { assertEquals } from "@std/assert";
import { untilCovered } from "../helpers/checkpoint.ts";
import { Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput } from "../helpers/session_log.ts";
import { copyStore } from "../helpers/store_copy.ts";
import { bucketStream, deleteStream, purgeStream } from "../helpers/streams.ts";
import { startTestServer, type TestServer } from "../helpers/test_server.ts";
import { startWorker } from "../helpers/worker_in_process.ts";

const lost = "the checkpoint is gone: all stores are dropped and replayed";

const subjectsOf = async (pod: Pod) => (await pod.tasks()).map(({ subject }) => subject);

interface Loss {
  readonly name: string;
  readonly lose: (server: TestServer) => Promise<void>;
}

const losses: readonly Loss[] = [
  { name: "deleted", lose: (server) => deleteStream(server, bucketStream) },
  { name: "emptied", lose: (server) => purgeStream(server, bucketStream) },
];

for (const { name, lose } of losses) {
  // With none that stay in memory, what a pod was can be had from the log only.
  for (const podsInMemoryMax of [1_000, 0]) {
    Deno.test(`a bucket that is ${name} (${podsInMemoryMax} pods in memory) costs no task, now or at the next start`, async () => {
      await using server = await startTestServer();
      const worker = await startWorker(server, { checkpointInputs: 1, podsInMemoryMax });
      await using idle = await Pod.join(server);
      await using pod = await Pod.join(server);
      await idle.call("TaskCreate", { subject: "idle" });
      const { body } = await pod.call("TaskCreate", { subject: "a" });
      await untilCovered(server, body.input_seq);
      await lose(server);
      await worker.log.logged(lost);
      await worker.log.logged("leading", 1);
      const next = await pod.call("TaskCreate", { subject: "b" });

      assertEquals(next.body.changes, [{ taskid: 2, status: "pending", subject: "b", description: "" }]);
      await untilCovered(server, next.body.input_seq);
      assertEquals([await subjectsOf(pod), await subjectsOf(idle)], [["a", "b"], ["idle"]]);
      await worker.stop();
      await using again = await startWorker(server);
      assertEquals([await subjectsOf(pod), await subjectsOf(idle)], [["a", "b"], ["idle"]]);
      assertEquals(again.log.complaints, []);
      await everyInputHasOneOutput(server);
    });
  }
}

Deno.test("calls that come while the bucket is lost are answered as if nothing had been", async () => {
  await using server = await startTestServer();
  await using worker = await startWorker(server, { checkpointInputs: 1, podsInMemoryMax: 0 });
  await using idle = await Pod.join(server);
  await using pod = await Pod.join(server);
  await idle.call("TaskCreate", { subject: "idle" });
  const { body } = await pod.call("TaskCreate", { subject: "a" });
  await untilCovered(server, body.input_seq);
  await deleteStream(server, bucketStream);
  const next = await idle.call("TaskCreate", { subject: "next" });

  assertEquals(next.body.changes[0].taskid, 2);
  assertEquals([await subjectsOf(pod), await subjectsOf(idle)], [["a"], ["idle", "next"]]);
  await worker.log.logged(lost);
  await worker.log.logged("leading", 1);
  await everyInputHasOneOutput(server);
});

Deno.test("a bucket that is put back to an older copy costs no task, now or at the next start", async () => {
  await using server = await startTestServer();
  const worker = await startWorker(server, { checkpointInputs: 1, podsInMemoryMax: 0 });
  await using pod = await Pod.join(server);
  const first = await pod.call("TaskCreate", { subject: "a" });
  await untilCovered(server, first.body.input_seq);
  await using copy = await copyStore(server);
  const second = await pod.call("TaskCreate", { subject: "b" });
  await untilCovered(server, second.body.input_seq);
  await copy.putBack("bucket");
  await worker.log.logged(lost);

  assertEquals((await pod.call("TaskCreate", { subject: "c" })).body.changes[0].taskid, 3);
  assertEquals(await subjectsOf(pod), ["a", "b", "c"]);
  await worker.stop();
  await using again = await startWorker(server);
  assertEquals(await subjectsOf(pod), ["a", "b", "c"]);
  assertEquals(again.log.complaints, []);
  await everyInputHasOneOutput(server);
});
