/**
 * Three servers, of which one is killed, cut off or stands still under load: each time every input has exactly one
 * output, and the lists are what the calls make them (R2, SPEC §12).
 */
import { Crowd } from "../helpers/crowd.ts";
import { currentBinary } from "../helpers/test_binary.ts";
import { TestCluster } from "../helpers/test_cluster.ts";
import type { TestServer } from "../helpers/test_server.ts";
import { startWorker, type TestWorker } from "../helpers/worker_in_process.ts";

const log = "TASKS";
const bucket = "KV_TASKS_CHECKPOINT";

/**
 * What no client can mend in older servers: after a cut, one of 2.9 may hold other messages than its peers at the same
 * seqs; after the death of a leader, one of 2.10 may know a message id for two minutes without having the message.
 */
const { binary, isCurrent } = await currentBinary();

function startReplicated(server: TestServer): Promise<TestWorker> {
  return startWorker(server, { replicas: 3 });
}

/** A cluster that has stream and bucket, so that it is known who leads them. */
async function startWithStream(): Promise<TestCluster> {
  await using opening = new AsyncDisposableStack();
  const cluster = opening.use(await TestCluster.start(binary));
  await using _worker = await startReplicated(cluster.serverBesides());
  opening.move();
  return cluster;
}

Deno.test({
  name: "the leading worker's server is cut off: one on the other side takes over, nothing is answered twice",
  ignore: !isCurrent,
  fn: async () => {
    await using cluster = await startWithStream();
    const cutOff = await cluster.leaderOf(log);
    await using first = await startReplicated(cutOff);
    await first.log.logged("leading");
    const other = cluster.serverBesides(cutOff);
    await using second = await startReplicated(other);
    await using near = await Crowd.join(cutOff, 2);
    await using far = await Crowd.join(cluster.serverBesides(cutOff, other), 2);
    const sendingNear = near.send(75);
    const sendingFar = far.send(75);
    await far.whenAcknowledged(50);
    cluster.isolate(cutOff);
    await second.log.logged("leading");
    await sendingFar;
    cluster.rejoin(cutOff);
    await cluster.whenAgreed(log, bucket);
    await sendingNear;

    await far.assertAnswered();
    await near.assertAnswered();
    await first.log.logged("no longer leading");
    await cluster.whenReplicated(log);
  },
});

Deno.test({
  name: "the stream's leader is killed in mid-load: the worker on it goes on at another server",
  ignore: !isCurrent,
  fn: async () => {
    await using cluster = await startWithStream();
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
  },
});

Deno.test("a server that leads nothing stands still: work goes on without it, then it gets the whole log", async () => {
  await using cluster = await startWithStream();
  const leader = await cluster.leaderOf(log);
  const slow = cluster.serverBesides(leader, await cluster.leaderOf(bucket));
  await using _worker = await startReplicated(cluster.serverBesides(leader, slow));
  await using crowd = await Crowd.join(leader, 4);
  await slow.pause();
  await crowd.send(75);
  await crowd.assertAnswered();
  slow.resume();

  await cluster.whenReplicated(log);
});
