/** Two workers on one stream: whoever acts, the first recorded output counts (R2). */
import { assertEquals } from "@std/assert";
import { TransientError } from "../../src/errors.ts";
import { untilCovered } from "../helpers/checkpoint.ts";
import { Crowd } from "../helpers/crowd.ts";
import { Gate, hooked } from "../helpers/gate.ts";
import { Pod } from "../helpers/pod.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { startWorker, type TestWorker } from "../helpers/worker_in_process.ts";
import { spawnWorker } from "../helpers/worker_process.ts";

/** A second worker starts in the middle of a run and one of them is stopped in the end: the other has the lists. */
async function secondWorkerJoins(whoStays: "first" | "second"): Promise<void> {
  await using server = await startTestServer();
  await using crowd = await Crowd.join(server, 4);
  const first = await startWorker(server);
  const sending = crowd.send(150);
  await crowd.whenAcknowledged(200);
  const second = await startWorker(server);
  await sending;
  await crowd.assertAnswered();
  const [stays, leaves]: readonly TestWorker[] = whoStays === "first" ? [first, second] : [second, first];
  await leaves!.stop();
  try {
    await crowd.send(30);
    await crowd.assertAnswered();
  } finally {
    await stays!.stop();
  }
}

Deno.test("a second worker that joins doubles nothing, and the first goes on when it leaves", () =>
  secondWorkerJoins("first"));

Deno.test("a second worker that joins doubles nothing, and goes on when the first leaves", () =>
  secondWorkerJoins("second"));

Deno.test("two workers that start together on a log full of unanswered calls answer each once", async () => {
  await using server = await startTestServer();
  await using crowd = await Crowd.join(server, 4);
  await (await startWorker(server)).stop();
  await crowd.send(150);
  const workers = await Promise.all([startWorker(server), startWorker(server), startWorker(server)]);
  try {
    await crowd.assertAnswered();
    await crowd.send(50);
    await crowd.assertAnswered();
  } finally {
    for (const worker of workers) await worker.stop();
  }
});

Deno.test("a worker that was stopped while another took over doubles nothing when it goes on", async () => {
  await using server = await startTestServer();
  await using crowd = await Crowd.join(server, 4);
  await using old = await spawnWorker(server);
  const sending = crowd.send(100);
  await crowd.whenAcknowledged(100);
  await old.pause();
  await using _fresh = await startWorker(server);
  await sending;
  await crowd.assertAnswered();
  old.resume();
  await crowd.send(60);

  await crowd.assertAnswered();
});

Deno.test("a worker that takes over goes on from what the other has saved meanwhile, and leads for good", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server);
  const settings = { checkpointInputs: 1 };
  const create = async (subject: string): Promise<void> => {
    const { body } = await pod.call("TaskCreate", { subject });
    await untilCovered(server, body.input_seq);
  };
  const before = await startWorker(server, settings);
  await create("a");
  await before.stop();
  const leader = await startWorker(server, settings);
  await leader.log.logged("leading");
  await using follower = await startWorker(server, settings);
  // Both have loaded the pod from the checkpoint, and one of them writes it anew.
  await create("b");
  await create("c");
  await leader.stop();
  await follower.log.logged("leading");
  await create("d");
  await create("e");

  assertEquals((await pod.tasks()).map(({ subject }) => subject), ["a", "b", "c", "d", "e"]);
  assertEquals(follower.log.complaints, []);
});

Deno.test("a worker that follows says once whom, and says so again where another leads", async () => {
  await using server = await startTestServer();
  const first = await startWorker(server);
  const { worker } = (await first.log.logged("leading")).fields;
  await using second = await startWorker(server);
  await using third = await startWorker(server);
  for (const { log } of [second, third]) {
    assertEquals((await log.logged("following")).fields.leader, worker);
  }
  await first.stop();
  const [next, last] = await Promise.race([
    second.log.next("leading").then(() => [second, third] as const),
    third.log.next("leading").then(() => [third, second] as const),
  ]);
  const { leader } = (await last.log.logged("following", 1)).fields;
  assertEquals(leader, next.log.of("leading")[0]?.fields.worker);
  await last.stop();
  assertEquals(last.log.of("following").length, 2);
  assertEquals([first, last].map(({ log }) => log.of("stopped").map(({ fields }) => fields.role)), [
    ["leading"],
    ["following"],
  ]);
});

Deno.test("a worker that starts from a checkpoint says how many lists are saved", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server);
  await using other = await Pod.join(server);
  {
    await using _worker = await startWorker(server);
    for (const each of [pod, other]) await each.call("TaskCreate", { subject: "a" });
  }
  await using worker = await startWorker(server);
  const { pods_in_memory, pods_saved } = (await worker.log.logged("ready")).fields;
  assertEquals([pods_in_memory, pods_saved], [0, 2]);
});

Deno.test("a worker that cannot count the saved lists is ready and leads all the same, and says that later", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server);
  const before = await startWorker(server, { checkpointInputs: 1 });
  await untilCovered(server, (await pod.call("TaskCreate", { subject: "a" })).body.input_seq);
  await before.stop();
  using counting = new Gate();
  counting.close();
  const keys = async (): Promise<never> => {
    await counting.pass();
    throw new TransientError("the bucket is away");
  };
  await using worker = await startWorker(server, {}, hooked({ keys }));
  await worker.log.logged("leading");
  assertEquals(worker.log.of("ready"), []);
  counting.open();

  assertEquals((await worker.log.logged("ready")).fields.pods_saved, null);
  assertEquals(worker.log.complaints, []);
});
