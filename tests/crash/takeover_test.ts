/** One leads, the others are hot (SPEC §12): who leads when the leader dies, leaves, sleeps, or loses its server. */
import { assertEquals } from "@std/assert";
import { pause } from "../helpers/crash_clients.ts";
import { Crowd } from "../helpers/crowd.ts";
import { Pod } from "../helpers/pod.ts";
import { Gate, hooked } from "../helpers/gate.ts";
import { startTestServer, type TestServer } from "../helpers/test_server.ts";
import { awaitedLater, within } from "../helpers/within.ts";
import type { LogReader } from "../../src/worker/ports.ts";
import { beginWorker, startWorker } from "../helpers/worker_in_process.ts";
import { spawnWorker, type WorkerProcess } from "../helpers/worker_process.ts";

/** Two workers that are ready, the leader first. */
async function twoWorkers(server: TestServer): Promise<readonly [leader: WorkerProcess, hot: WorkerProcess]> {
  const leader = await spawnWorker(server);
  await leader.log.logged("leading");
  return [leader, await spawnWorker(server)];
}

/** Resolves when the worker leads for the first time; prints the time that took: about 2 s where the lease has to run out. */
async function takeover(worker: WorkerProcess, after: string): Promise<void> {
  const startedMs = performance.now();
  await within(worker.log.next("leading"), () => `takeover: ${JSON.stringify(worker.log.all)}`);
  console.log(`takeover after ${after}: ${Math.round(performance.now() - startedMs)} ms`);
}

/** Whom each write of the lease names from now on, null where it was given up; one after another only once. */
async function holdersOf({ pods: [pod] }: Crowd): Promise<readonly (string | null)[]> {
  const holders: (string | null)[] = [];
  pod?.nc.subscribe("$KV.TASKS_CHECKPOINT.lease", {
    callback: (_error, message) => {
      const { holder } = message.json<{ readonly holder: string | null }>();
      if (holders.at(-1) !== holder) holders.push(holder);
    },
  });
  await pod?.nc.flush();
  return holders;
}

/** Whether the last word of the worker is that it leads. */
function leads({ log }: WorkerProcess): boolean {
  return log.all.findLast(({ msg }) => msg === "leading" || msg === "following")?.msg === "leading";
}

Deno.test("the hot worker takes over from a leader that is killed, with every list", async () => {
  await using server = await startTestServer();
  const [leader, hot] = await twoWorkers(server);
  await using _leader = leader;
  await using _hot = hot;
  await using crowd = await Crowd.join(server, 4);
  const sending = crowd.send(100);
  await crowd.whenAcknowledged(150);
  await leader.kill();
  await takeover(hot, "kill -9");
  await sending;

  await crowd.assertAnswered();
  assertEquals(hot.log.complaints, []);
});

Deno.test("the hot worker takes over at once from a leader that is stopped", async () => {
  await using server = await startTestServer();
  const [leader, hot] = await twoWorkers(server);
  await using _leader = leader;
  await using _hot = hot;
  await using crowd = await Crowd.join(server, 4);
  const sending = crowd.send(100);
  const holders = await holdersOf(crowd);
  await crowd.whenAcknowledged(150);
  const stopping = awaitedLater(leader.stop());
  await takeover(hot, "SIGTERM");
  await sending;

  await crowd.assertAnswered();
  assertEquals((await stopping).code, 0);
  // It has not waited for the lease to run out: the leader gave it up.
  assertEquals(holders.slice(-2).map((holder) => holder === null), [true, false]);
  assertEquals([...leader.log.complaints, ...hot.log.complaints], []);
});

Deno.test("a leader that slept while another took over publishes nothing that counts, and follows", async () => {
  await using server = await startTestServer();
  const [leader, hot] = await twoWorkers(server);
  await using _leader = leader;
  await using _hot = hot;
  await using crowd = await Crowd.join(server, 4);
  const sending = crowd.send(120);
  await crowd.whenAcknowledged(200);
  await leader.pause();
  await takeover(hot, "SIGSTOP");
  leader.resume();
  await leader.log.logged("following");
  await sending;

  await crowd.assertAnswered();
  assertEquals([leads(leader), leads(hot)], [false, true]);
  // What it follows is all there when it has to lead again.
  await hot.kill();
  await leader.log.logged("leading", 1);
  await crowd.send(5);
  await crowd.assertAnswered();
});

Deno.test("a leader that slept does not answer a read that another has answered", async () => {
  await using server = await startTestServer();
  const [leader, hot] = await twoWorkers(server);
  await using _leader = leader;
  await using _hot = hot;
  await using pod = await Pod.join(server);
  await pod.call("TaskCreate", { subject: "a" });
  const answers: number[] = [];
  pod.nc.subscribe("_INBOX.reads", {
    callback: (_error, message) =>
      answers.push(message.json<{ structuredContent: { tasks: [] } }>().structuredContent.tasks.length),
  });
  await leader.pause();
  await takeover(hot, "SIGSTOP");
  await pod.call("TaskCreate", { subject: "b" });
  pod.nc.publish(`tasks.${pod.id}.read.TaskList`, "{}", { reply: "_INBOX.reads" });
  await pod.nc.flush();
  leader.resume();
  await leader.log.logged("following");
  await pod.read("TaskList");
  await pause(300);

  assertEquals(answers, [2]);
});

Deno.test("of two workers whose server was killed one leads when it is back", async () => {
  await using server = await startTestServer();
  const workers = await twoWorkers(server);
  await using _one = workers[0];
  await using _two = workers[1];
  await using crowd = await Crowd.join(server, 4);
  const sending = crowd.send(100);
  await crowd.whenAcknowledged(150);
  await server.kill();
  // Longer than the lease.
  await pause(2_500);
  await server.start();
  await sending;
  await crowd.assertAnswered();
  await crowd.send(5);

  await crowd.assertAnswered();
  assertEquals(workers.filter(leads).length, 1);
});

Deno.test("a worker that still replays leaves the lease to one that is ready", async () => {
  await using server = await startTestServer();
  await using crowd = await Crowd.join(server, 2);
  await using first = await startWorker(server);
  await crowd.send(20);
  await first.stop();
  const gate = new Gate();
  gate.close();
  const read = async (open: () => Promise<LogReader>): Promise<LogReader> => {
    await gate.pass();
    return await open();
  };
  await using late = await beginWorker(server, {}, hooked({ read }));
  using _gate = gate;
  await gate.whenHeld();
  await using ready = await startWorker(server);
  await ready.log.logged("leading");
  gate.open();
  await within(late.ready, "the late worker ready");
  await crowd.send(20);

  await crowd.assertAnswered();
  assertEquals([ready.status().isLeading, late.status().isLeading], [true, false]);
});
