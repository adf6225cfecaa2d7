/**
 * Three servers: one that leads the stream dies, one is cut off, one is slow; and two workers on different ones. Each
 * time every input has exactly one output, and the lists are what the calls make them (R2, SPEC §12).
 */
import { assertEquals } from "@std/assert";
import { Crowd } from "../helpers/crowd.ts";
import { withConnection } from "../helpers/session_log.ts";
import { TestCluster } from "../helpers/test_cluster.ts";
import type { TestServer } from "../helpers/test_server.ts";
import { beginWorker, startWorker, type TestWorker } from "../helpers/worker_in_process.ts";

const log = "TASKS";
const bucket = "KV_TASKS_CHECKPOINT";

function startReplicated(server: TestServer): Promise<TestWorker> {
  return startWorker(server, { replicas: 3 });
}

async function answersReplicated(cluster: TestCluster): Promise<void> {
  const server = cluster.serverBesides();
  await using _worker = await startReplicated(server);
  await using crowd = await Crowd.join(cluster.serverBesides(server), 2);
  await crowd.send(20);
  await crowd.assertAnswered();

  const replicas = await withConnection(server, async (nc) => {
    const { streams } = await nc.jetstreamManager();
    return [(await streams.info(log)).config.num_replicas, (await streams.info(bucket)).config.num_replicas];
  });
  assertEquals(replicas, [3, 3]);
}

async function leaderIsKilled(cluster: TestCluster): Promise<void> {
  const leader = await cluster.leaderOf(log);
  await using worker = await startReplicated(leader);
  await using crowd = await Crowd.join(cluster.serverBesides(leader), 4);
  const sending = crowd.send(100);
  await crowd.whenAcknowledged(100);
  await leader.kill();
  await worker.log.logged("connected to NATS again");
  await sending;
  await crowd.assertAnswered();
  await leader.start();
  await cluster.whenReplicated(log);
  await crowd.send(20);

  await crowd.assertAnswered();
}

async function minorityIsCutOff(cluster: TestCluster): Promise<void> {
  const cutOff = await cluster.leaderOf(log);
  await using first = await startReplicated(cutOff);
  await first.log.logged("leading");
  const other = cluster.serverBesides(cutOff);
  await using second = await startReplicated(other);
  await using near = await Crowd.join(cutOff, 2);
  await using far = await Crowd.join(cluster.serverBesides(cutOff, other), 2);
  const sending = Promise.all([near.send(75), far.send(75)]);
  await far.whenAcknowledged(50);
  cluster.isolate(cutOff);
  await second.log.logged("leading");
  cluster.rejoin(cutOff);
  await sending;
  await far.assertAnswered();
  await near.assertAnswered();

  await first.log.logged("following");
  await cluster.whenReplicated(log);
}

/** One of three servers is up when the worker starts, the others come later. */
async function noQuorumAtFirst(cluster: TestCluster): Promise<void> {
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
}

async function followerIsSlow(cluster: TestCluster): Promise<void> {
  const leader = await cluster.leaderOf(log);
  const slow = cluster.serverBesides(leader);
  await using _worker = await startReplicated(cluster.serverBesides(leader, slow));
  await using crowd = await Crowd.join(leader, 4);
  slow.pause();
  await crowd.send(75);
  await crowd.assertAnswered();
  slow.resume();
  await cluster.whenReplicated(log);
  const sending = crowd.send(30);
  await cluster.handOver(log, slow);
  await sending;

  await crowd.assertAnswered();
}

Deno.test("a cluster of three servers loses and doubles nothing, whichever of them is away", async (t) => {
  await using cluster = await TestCluster.start();
  const stories = [
    ["stream and bucket get the configured replicas, and calls are answered", answersReplicated],
    ["the stream's leader is killed: the worker on it goes on at another server", leaderIsKilled],
    ["the leading worker's server is cut off: another worker takes over", minorityIsCutOff],
    ["a worker that starts while no server can lead waits for them", noQuorumAtFirst],
    ["a server that was slow has the whole log when it has to lead", followerIsSlow],
  ] as const;
  for (const [name, story] of stories) {
    // After such a cut, servers before 2.10 may hold different messages at the same seqs: no client can mend that.
    const ignore = story === minorityIsCutOff && await cluster.isBefore(2, 10);
    // The cluster's connections outlive a step; the whole test ends them.
    const fn = () => story(cluster);
    await t.step({ name, fn, ignore, sanitizeOps: false, sanitizeResources: false });
  }
});
