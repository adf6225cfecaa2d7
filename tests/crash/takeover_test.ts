/** One leads, the others are hot (SPEC §12): who leads when the leader dies, leaves, sleeps, or loses its server. */
import { assertEquals } from "@std/assert";
import { pause } from "../helpers/crash_clients.ts";
import { Crowd } from "../helpers/crowd.ts";
import { Pod } from "../helpers/pod.ts";
import { Gate, hooked } from "../helpers/gate.ts";
import { startTestServer, type TestServer } from "../helpers/test_server.ts";
import { awaitedLater, within } from "../helpers/within.ts";
import type { LogReader } from "../../src/worker/ports.ts";
import { beginWorker, startWorker, type TestWorker } from "../helpers/worker_in_process.ts";
import { spawnWorker, type WorkerProcess } from "../helpers/worker_process.ts";

const pollMs = 20;

type Both = readonly [one: WorkerProcess, other: WorkerProcess];

/** Two workers of which one leads. */
async function twoWorkers(server: TestServer): Promise<Both> {
  const both: Both = [await spawnWorker(server), await spawnWorker(server)];
  await untilOneLeads(both);
  return both;
}

const roles: readonly string[] = ["leading", "no longer leading", "following"];

/** The worker's last word on whether it leads. */
function roleOf({ log }: WorkerProcess): string | undefined {
  return log.all.findLast(({ msg }) => roles.includes(msg))?.msg;
}

/**
 * The one that leads, and the other, which follows it: as soon as it is so. Where a leader stands still for a moment the
 * other takes over, also where no test wants it to.
 */
async function untilOneLeads(both: Both): Promise<readonly [leader: WorkerProcess, hot: WorkerProcess]> {
  const settling = async () => {
    for (;;) {
      const leader = both.find((worker) => roleOf(worker) === "leading");
      const hot = both.find((worker) => roleOf(worker) === "following");
      if (leader && hot) return [leader, hot] as const;
      await pause(pollMs);
    }
  };
  return await within(settling(), () => `one leads and one follows: ${both.map(roleOf)}`);
}

/**
 * Does to the other what makes this worker lead, and resolves when it leads and that is done; prints the time that took:
 * about 2 s where the lease has to run out.
 */
async function takeover<T>({ log }: WorkerProcess, after: string, makeWay: () => Promise<T>): Promise<T> {
  const ledBefore = log.of("leading").length;
  const startedMs = performance.now();
  const making = awaitedLater(makeWay());
  await within(log.next("leading", ledBefore), () => `takeover: ${JSON.stringify(log.all)}`);
  console.log(`takeover after ${after}: ${Math.round(performance.now() - startedMs)} ms`);
  return await making;
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

Deno.test("the hot worker takes over from a leader that is killed, with every list", async () => {
  await using server = await startTestServer();
  const both = await twoWorkers(server);
  await using _one = both[0];
  await using _other = both[1];
  await using crowd = await Crowd.join(server, 4);
  const sending = crowd.send(100);
  await crowd.whenAcknowledged(150);
  const [leader, hot] = await untilOneLeads(both);
  const complaintsBefore = hot.log.complaints;
  await takeover(hot, "kill -9", () => leader.kill());
  await sending;

  await crowd.assertAnswered();
  assertEquals(hot.log.complaints, complaintsBefore);
});

Deno.test("the hot worker takes over at once from a leader that is stopped", async () => {
  await using server = await startTestServer();
  const both = await twoWorkers(server);
  await using _one = both[0];
  await using _other = both[1];
  await using crowd = await Crowd.join(server, 4);
  const sending = crowd.send(100);
  const holders = await holdersOf(crowd);
  await crowd.whenAcknowledged(150);
  const [leader, hot] = await untilOneLeads(both);
  const complaints = () => [...leader.log.complaints, ...hot.log.complaints];
  const complaintsBefore = complaints();
  const { code } = await takeover(hot, "SIGTERM", () => leader.stop());
  await sending;

  await crowd.assertAnswered();
  assertEquals(code, 0);
  // It has not waited for the lease to run out: the leader gave it up.
  assertEquals(holders.slice(-2).map((holder) => holder === null), [true, false]);
  assertEquals(complaints(), complaintsBefore);
});

Deno.test("a leader that slept while another took over publishes nothing that counts, and follows", async () => {
  await using server = await startTestServer();
  const both = await twoWorkers(server);
  await using _one = both[0];
  await using _other = both[1];
  await using crowd = await Crowd.join(server, 4);
  const sending = crowd.send(120);
  await crowd.whenAcknowledged(200);
  const [leader, hot] = await untilOneLeads(both);
  await takeover(hot, "SIGSTOP", () => leader.pause());
  leader.resume();
  await untilOneLeads(both);
  await sending;

  await crowd.assertAnswered();
  // What it follows is all there when it has to lead again.
  const [next, last] = await untilOneLeads(both);
  await takeover(last, "kill -9", () => next.kill());
  await crowd.send(5);
  await crowd.assertAnswered();
});

Deno.test("a leader that slept does not answer a read that another has answered", async () => {
  await using server = await startTestServer();
  const both = await twoWorkers(server);
  await using _one = both[0];
  await using _other = both[1];
  await using pod = await Pod.join(server);
  await pod.call("TaskCreate", { subject: "a" });
  /** How many tasks each answer has, by the read's own inbox. */
  const answers = new Map<string, number[]>();
  pod.nc.subscribe("_INBOX.reads.*", {
    callback: (_error, message) => {
      const { structuredContent } = message.json<{ structuredContent: { tasks: [] } }>();
      const earlier = answers.get(message.subject) ?? [];
      answers.set(message.subject, [...earlier, structuredContent.tasks.length]);
    },
  });
  const [leader, hot] = await untilOneLeads(both);
  await takeover(hot, "SIGSTOP", () => leader.pause());
  await pod.call("TaskCreate", { subject: "b" });
  // A worker whose lease has lapsed for a moment drops a read.
  const reading = async (): Promise<void> => {
    for (let n = 1; answers.size === 0; n++) {
      pod.nc.publish(`tasks.${pod.id}.read.TaskList`, "{}", { reply: `_INBOX.reads.${n}` });
      await pod.nc.flush();
      await pause(100);
    }
  };
  await within(reading(), "answer to a read");
  leader.resume();
  await untilOneLeads(both);
  await pod.read("TaskList");
  await pause(300);

  assertEquals([...answers.values()], [...answers.keys()].map(() => [2]));
});

Deno.test("of two workers whose server was killed one leads when it is back", async () => {
  await using server = await startTestServer();
  const both = await twoWorkers(server);
  await using _one = both[0];
  await using _other = both[1];
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
  // The old leader notices a little later that another leads.
  await untilOneLeads(both);
});

async function untilLeading({ status }: TestWorker): Promise<void> {
  const waiting = async (): Promise<void> => {
    while (!status().isLeading) await pause(pollMs);
  };
  await within(waiting(), "a worker that leads");
}

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
  // Its lease may have lapsed for a moment.
  await untilLeading(ready);
  assertEquals(late.status().isLeading, false);
});
