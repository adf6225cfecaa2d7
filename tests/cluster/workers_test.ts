/** Workers at three servers: what they make there, how they begin, and how one takes over from another (SPEC §12). */
import { assertEquals } from "@std/assert";
import { Crowd } from "../helpers/crowd.ts";
import { withConnection } from "../helpers/session_log.ts";
import { currentBinary } from "../helpers/test_binary.ts";
import { TestCluster } from "../helpers/test_cluster.ts";
import { within } from "../helpers/within.ts";
import { beginWorker, startWorker } from "../helpers/worker_in_process.ts";
import { launchWorker, type WorkerProcess } from "../helpers/worker_process.ts";

const { binary } = await currentBinary();

Deno.test("stream and bucket get the configured replicas, and calls are answered", async () => {
  await using cluster = await TestCluster.start(binary);
  const server = cluster.serverBesides();
  await using _worker = await startWorker(server, { replicas: 3 });
  await using crowd = await Crowd.join(cluster.serverBesides(server), 2);
  await crowd.send(20);
  await crowd.assertAnswered();

  const replicas = await withConnection(server, async (nc) => {
    const { streams } = await nc.jetstreamManager();
    const names = ["TASKS", "KV_TASKS_CHECKPOINT"];
    return await Promise.all(names.map(async (name) => (await streams.info(name)).config.num_replicas));
  });
  assertEquals(replicas, [3, 3]);
});

Deno.test("a worker that starts while no server can lead waits for them", async () => {
  await using cluster = await TestCluster.start(binary);
  const first = cluster.serverBesides();
  await Promise.all(cluster.servers.map((server) => server.kill()));
  await first.start();
  const starting = beginWorker(first, { replicas: 3 });
  await new Promise((resolve) => setTimeout(resolve, 500));
  await Promise.all(cluster.servers.map((server) => server.start()));
  await using worker = await starting;
  await worker.log.logged("leading");
  await using crowd = await Crowd.join(first, 2);
  await crowd.send(20);

  await crowd.assertAnswered();
  assertEquals(worker.log.complaints.includes("waiting for JetStream"), true);
});

Deno.test("of three workers on three servers the leading one is killed: another takes over", async () => {
  await using cluster = await TestCluster.start(binary);
  await using opened = new AsyncDisposableStack();
  const workers = cluster.servers.map((server) => opened.use(launchWorker(server, { TASUKI_REPLICAS: "3" })));
  await within(Promise.all(workers.map(({ ready }) => ready)), "three workers are ready");
  const leading = await whichLeads(workers);
  await using crowd = await Crowd.join(cluster.serverBesides(), 4);
  const sending = crowd.send(50);
  await crowd.whenAcknowledged(50);
  await leading.kill();
  await whichLeads(workers.filter((worker) => worker !== leading));
  await sending;

  await crowd.assertAnswered();
});

/** The first of them that says that it leads. */
async function whichLeads(workers: readonly WorkerProcess[]): Promise<WorkerProcess> {
  const saying = workers.map((worker) => worker.log.next("leading").then(() => worker));
  return await within(Promise.race(saying), "one of the workers leads");
}
