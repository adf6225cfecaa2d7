/** What is bounded: pods in memory, outputs in flight, and how long a flood may keep others waiting (R4). */
import { assertEquals } from "@std/assert";
import { podInFlightMax } from "../../src/worker/limits.ts";
import type { Board } from "../../src/worker/status.ts";
import { readAnsweredLog } from "../helpers/calm_log.ts";
import { checkLog } from "../helpers/crash_checks.ts";
import { pause } from "../helpers/crash_clients.ts";
import { JoinedPods } from "../helpers/crash_pods.ts";
import { Gate, hooked } from "../helpers/gate.ts";
import { type Json, Pod } from "../helpers/pod.ts";
import type { Recorded, Server } from "../helpers/session_log.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { awaitedLater, within } from "../helpers/within.ts";
import { startWorker, type TestWorker } from "../helpers/worker_in_process.ts";

async function untilEmpty(worker: TestWorker): Promise<void> {
  const waiting = async (): Promise<void> => {
    while (worker.status().podsInMemory > 0) await pause(20);
  };
  await within(waiting(), () => `no pod in memory: got ${worker.status().podsInMemory}`);
}

async function boardsOf(worker: TestWorker, pods: readonly Pod[]): Promise<readonly (Board | null)[]> {
  return await Promise.all(pods.map(({ id }) => worker.boards.find(id)));
}

/** An input per pod, from one connection, without waiting for what they lead to; gives their seqs. */
async function publishAll(server: Server, inputs: readonly Published[]): Promise<readonly number[]> {
  await using sender = await Pod.join(server);
  const seqs: number[] = [];
  const ahead = 500;
  for (let first = 0; first < inputs.length; first += ahead) {
    const sent = inputs.slice(first, first + ahead).map(({ pod, tool, body }) =>
      sender.publish(`tasks.${pod}.in.call.${tool}`, JSON.stringify(body))
    );
    seqs.push(...await Promise.all(sent));
  }
  return seqs;
}

Deno.test("pods that leave memory as soon as they can come back with ids, repeats and times", async () => {
  await using server = await startTestServer();
  await using joined = await JoinedPods.join(server, 20);
  const pods = joined.all;
  await using worker = await startWorker(server, { podsInMemoryMax: 0 });
  for (const pod of pods) {
    await pod.call("TaskCreate", { subject: "a", owner: "x" }, { callId: "a" });
    await pod.call("TaskCreate", { subject: "b", blockedBy: [1] }, { callId: "b" });
    await pod.compact("c1");
  }
  const before = await boardsOf(worker, pods);
  await untilEmpty(worker);
  const after = await boardsOf(worker, pods);
  const answers = await Promise.all(pods.map(async (pod) => {
    const repeat = await pod.call("TaskCreate", { subject: "b", blockedBy: [1] }, { callId: "b" });
    const finished = await pod.input("compact.finished", { compact_id: "c1" });
    const created = await pod.call("TaskCreate", { subject: "c" }, { callId: "c" });
    const { structuredContent } = created.body.result;
    return [repeat.body.duplicate, finished.body.duplicate, structuredContent.task.taskid];
  }));
  await untilEmpty(worker);
  const read = await pods[0]?.read("TaskList");

  assertEquals(after, before);
  assertEquals(answers, pods.map(() => [true, true, 3]));
  assertEquals(read.structuredContent.tasks.length, 3);
  assertEquals(checkLog(await readAnsweredLog(server)).problems, []);
});

Deno.test("a follower drops what the leader has saved, too, and has it when it leads", async () => {
  await using server = await startTestServer();
  await using joined = await JoinedPods.join(server, 5);
  const pods = joined.all;
  await using leader = await startWorker(server, { checkpointEveryMs: 100 });
  await leader.log.logged("leading");
  await using follower = await startWorker(server, { podsInMemoryMax: 0 });
  for (const pod of pods) await pod.call("TaskCreate", { subject: "a" }, { callId: "a" });
  await untilEmpty(follower);
  await leader.stop();
  const answers = await Promise.all(pods.map(async (pod) => {
    const repeat = await pod.call("TaskCreate", { subject: "a" }, { callId: "a" });
    return [repeat.body.duplicate, (await pod.tasks()).length];
  }));

  assertEquals(answers, pods.map(() => [true, 1]));
  assertEquals([...leader.log.complaints, ...follower.log.complaints], []);
});

Deno.test("a leader that comes to many waiting calls has no more outputs in flight than it may", async () => {
  await using server = await startTestServer();
  await (await startWorker(server)).stop();
  const inputs = Array.from({ length: 1_200 }, (_, count) => ({
    pod: `p${count % 300}`,
    tool: "TaskCreate",
    body: { call_id: `${count}`, arguments: { subject: `${count}` } },
  }));
  await publishAll(server, inputs);
  const inFlightMax = 16;
  let inFlight = 0;
  let most = 0;
  await using _worker = await startWorker(
    server,
    { inFlightMax },
    hooked({
      record: async (_message, publish) => {
        most = Math.max(most, ++inFlight);
        try {
          return await publish();
        } finally {
          inFlight--;
        }
      },
    }),
  );
  const log = await readAnsweredLog(server);

  assertEquals(most, inFlightMax);
  assertEquals(checkLog(log).problems, []);
  // Nobody waits until another has had all of its turns: the n-th answers of the pods come before the (n + 2)-th.
  const outputs = log.filter(({ direction }) => direction === "out").map(({ pod }) => pod);
  const counts = new Map<string, number>();
  const spread = outputs.map((pod) => {
    counts.set(pod, (counts.get(pod) ?? 0) + 1);
    return Math.max(...counts.values()) - (counts.size < 300 ? 0 : Math.min(...counts.values()));
  });
  assertEquals(Math.max(...spread) <= 4, true, `${Math.max(...spread)}`);
});

interface Published {
  readonly pod: string;
  readonly tool: string;
  readonly body: Json;
}

function create(pod: string): Published {
  return { pod, tool: "TaskCreate", body: { call_id: "first", arguments: { subject: "a" } } };
}

function flood(length: number): readonly Published[] {
  const update = (count: number): Published => ({
    pod: "flooding",
    tool: "TaskUpdate",
    body: { call_id: `${count}`, arguments: { taskid: 1, subject: `${count}` } },
  });
  return [create("flooding"), ...Array.from({ length }, (_, count) => update(count))];
}

/** How many answers of the flood were recorded between that input and its answer. */
function delay(log: readonly Recorded[], inputSeq: number): number {
  const answer = log.find(({ headers }) => headers["Tasuki-Input"] === String(inputSeq))?.seq ?? Infinity;
  return log.filter(({ pod, direction, seq }) =>
    pod === "flooding" && direction === "out" && seq > inputSeq && seq < answer
  ).length;
}

Deno.test("a flood that waits for a leader delays another pod by no more than may be in flight", async () => {
  await using server = await startTestServer();
  await (await startWorker(server)).stop();
  await publishAll(server, flood(10_000));
  const [other = 0] = await publishAll(server, [create("other")]);
  await using _worker = await startWorker(server);
  const log = await readAnsweredLog(server);

  const delayed = delay(log, other);
  console.log(`a waiting flood of 10,000 inputs delayed another pod by ${delayed} of them`);
  assertEquals(delayed <= podInFlightMax, true, `${delayed}`);
});

Deno.test("a flood whose answers are stuck keeps no other pod waiting", async () => {
  await using server = await startTestServer();
  const recording = new Gate();
  await using _worker = await startWorker(
    server,
    {},
    hooked({
      record: async ({ subject }, publish) => {
        if (subject.includes(".flooding.")) await recording.pass();
        return await publish();
      },
    }),
  );
  using _recording = recording;
  await using other = await Pod.join(server);
  recording.close();
  await publishAll(server, flood(6_000));
  await recording.whenHeld(podInFlightMax);
  for (let count = 0; count < 10; count++) await other.call("TaskCreate", { subject: `${count}` });

  assertEquals(recording.heldCount, podInFlightMax);
  recording.open();
  assertEquals(checkLog(await readAnsweredLog(server)).problems, []);
});

Deno.test("a flood in full flow delays another pod by no more than twice what may be in flight", async () => {
  await using server = await startTestServer();
  await using other = await Pod.join(server);
  /** Inputs of the flood whose answers were sent, and how many of them when an input of the other pod was read. */
  const flooded = new Set<string>();
  const floodedAtRead = new Map<string, number>();
  const delays = new Map<string, number>();
  await using _worker = await startWorker(
    server,
    {},
    hooked({
      // Where the server is slow to hand it on, no worker can do anything about it: so the delay counts from here.
      message: (message) => {
        if (message.subject.startsWith(`tasks.${other.id}.`)) {
          floodedAtRead.set(String(message.seq), flooded.size);
        }
        return message;
      },
      record: async ({ subject, headers }, publish) => {
        const inputSeq = new Map(headers).get("Tasuki-Input") ?? "";
        const readAt = floodedAtRead.get(inputSeq);
        if (subject.includes(".flooding.")) flooded.add(inputSeq);
        else if (readAt !== undefined && !delays.has(inputSeq)) delays.set(inputSeq, flooded.size - readAt);
        return await publish();
      },
    }),
  );
  const flooding = awaitedLater(publishAll(server, flood(6_000)));
  for (let count = 0; count < 10; count++) {
    await pause(20);
    await other.sendCall("TaskCreate", { subject: `${count}` });
  }
  await flooding;
  await readAnsweredLog(server);

  const all = [...delays.values()];
  console.log(`a flood in full flow delayed another pod by ${all.join(", ")} of its inputs`);
  assertEquals(all.length, 10);
  assertEquals(Math.max(...all) <= 2 * podInFlightMax, true, `${all}`);
});

Deno.test("a worker whose hands are full leaves when it is told to", async () => {
  await using server = await startTestServer();
  const recording = new Gate();
  await using worker = await startWorker(
    server,
    { inFlightMax: 4 },
    hooked({
      record: async (_message, publish) => {
        await recording.pass();
        return await publish();
      },
    }),
  );
  using _recording = recording;
  recording.close();
  const inputs = Array.from({ length: 400 }, (_, count) => ({
    pod: `p${count}`,
    tool: "TaskCreate",
    body: { call_id: "c", arguments: { subject: "a" } },
  }));
  await publishAll(server, inputs);
  await recording.whenHeld(4);
  await pause(300);
  await within(worker.stop(), "the stop of a worker with full hands");
  recording.open();
  await using _next = await startWorker(server);

  assertEquals(checkLog(await readAnsweredLog(server)).problems, []);
});

Deno.test("a leader whose hands are full follows when another takes the lease", async () => {
  await using server = await startTestServer();
  const [recording, renewing] = [new Gate(), new Gate()];
  await using slow = await startWorker(
    server,
    { inFlightMax: 4 },
    hooked({
      record: async (_message, publish) => {
        await recording.pass();
        return await publish();
      },
      put: async (_key, put) => {
        await renewing.pass();
        return await put();
      },
    }),
  );
  using _recording = recording;
  using _renewing = renewing;
  recording.close();
  const inputs = Array.from({ length: 400 }, (_, count) => ({
    pod: `p${count % 200}`,
    tool: "TaskCreate",
    body: { call_id: `${count}`, arguments: { subject: "a" } },
  }));
  await publishAll(server, inputs);
  await recording.whenHeld(4);
  renewing.close();
  await using next = await startWorker(server);
  await next.log.logged("leading");
  renewing.open();
  await slow.log.logged("following");
  recording.open();

  assertEquals(checkLog(await readAnsweredLog(server)).problems, []);
  await next.stop();
  await slow.log.logged("leading", 1);
  const [seq] = await publishAll(server, inputs.slice(0, 1));
  assertEquals(checkLog(await readAnsweredLog(server)).problems, []);
  assertEquals(typeof seq, "number");
});
