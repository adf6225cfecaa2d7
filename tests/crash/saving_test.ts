/** Checkpoints that are cut short, repeated, late or doubted (R16): a start from what is there gives the same lists. */
import { assertEquals } from "@std/assert";
import { TransientError } from "../../src/errors.ts";
import type { Board } from "../../src/worker/status.ts";
import { recordByHand, taskMade } from "../helpers/by_hand.ts";
import { checkLog } from "../helpers/crash_checks.ts";
import { pause } from "../helpers/crash_clients.ts";
import { JoinedPods } from "../helpers/crash_pods.ts";
import { Gate, hooked } from "../helpers/gate.ts";
import { type Json, Pod } from "../helpers/pod.ts";
import { readLog, type Server, withConnection } from "../helpers/session_log.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { patiently } from "../helpers/within.ts";
import { beginWorker, startWorker, type TestWorker } from "../helpers/worker_in_process.ts";

const soon = { checkpointEveryMs: 100 };
const patienceMs = 60_000;
const never = { checkpointEveryMs: 3_600_000, checkpointInputs: 1_000_000 };

/** A value of the bucket; null where there is none. */
async function saved(server: Server, key: string): Promise<Json> {
  let value: Json = null;
  await withConnection(server, async (nc) => {
    value = (await (await nc.jetstream(patiently).views.kv("TASKS_CHECKPOINT")).get(key))?.json() ??
      null;
  });
  return value;
}

async function untilCovered(server: Server, seq: number): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (let position = 0; position < seq; position = (await saved(server, "covering"))?.position ?? 0) {
    if (performance.now() > deadline) {
      throw new Error(`no checkpoint covers ${seq}: the last one ends at ${position}`);
    }
    await pause(20);
  }
}

async function untilSaved(server: Server, { id }: Pod, inputSeq: number): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (let savedSeq = 0; savedSeq < inputSeq; savedSeq = (await saved(server, `pod.${id}`))?.input_seq ?? 0) {
    if (performance.now() > deadline) {
      throw new Error(`input ${inputSeq} of ${id} is not saved: the last one that is saved is ${savedSeq}`);
    }
    await pause(20);
  }
}

async function boardsOf(worker: TestWorker, pods: readonly Pod[]): Promise<readonly (Board | null)[]> {
  return await Promise.all(pods.map(({ id }) => worker.boards.find(id)));
}

/** What the log alone says. */
async function replayed(server: Server, pods: readonly Pod[]): Promise<readonly (Board | null)[]> {
  await using worker = await startWorker(server, { ...never, bucket: `REPLAY_${crypto.randomUUID()}` });
  return await boardsOf(worker, pods);
}

class Killed extends Error {
  override readonly name = "Killed";
}

/** Ends a worker in the middle of the checkpoint of its stop: after so many writes, or in the answer of the last one. */
async function startKilledAfter(server: Server, writes: number, isWritten: boolean): Promise<TestWorker> {
  let count = 0;
  return await startWorker(
    server,
    never,
    hooked({
      put: async (key, put) => {
        if (key === "lease") return await put();
        if (count++ < writes) return await put();
        if (isWritten && count === writes + 1) await put();
        throw new Killed("killed in the middle of a checkpoint");
      },
    }),
  );
}

for (const isWritten of [false, true]) {
  const when = isWritten ? "right after" : "right before";
  Deno.test(`a worker that is killed ${when} any write of a checkpoint leaves one that a start can use`, async () => {
    await using server = await startTestServer();
    await using joined = await JoinedPods.join(server, 4);
    const pods = joined.all;
    // Its covering record of the start, four pods, the covering record; one more for a checkpoint that is whole.
    for (let writes = 0; writes <= 6; writes++) {
      const worker = await startKilledAfter(server, writes, isWritten);
      assertEquals(await boardsOf(worker, pods), await replayed(server, pods), `before ${writes} writes`);
      for (const pod of pods) {
        await pod.call("TaskCreate", { subject: `task ${writes}` }, { callId: `${writes}` });
        assertEquals(
          (await pod.call("TaskCreate", { subject: "task 0" }, { callId: "0" })).body.duplicate,
          true,
        );
      }
      await worker.stop().catch((error) => assertEquals(error instanceof Killed, true));
    }
    await using last = await startWorker(server);

    assertEquals(await boardsOf(last, pods), await replayed(server, pods));
    assertEquals(checkLog(await readLog(server)).problems, []);
  });
}

Deno.test("a leader of whose writes every other answer is lost goes on leading and saving", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server);
  await using other = await Pod.join(server);
  const writes = new Map<string, number>();
  await using worker = await startWorker(
    server,
    soon,
    hooked({
      put: async (key, put) => {
        const revision = await put();
        const count = (writes.get(key) ?? 0) + 1;
        writes.set(key, count);
        if (count % 2 === 0) return revision;
        throw new TransientError("the answer was lost");
      },
    }),
  );
  for (let count = 0; count < 6; count++) {
    await untilCovered(
      server,
      await (count % 2 === 0 ? pod : other).sendCall("TaskCreate", { subject: `${count}` }),
    );
  }

  assertEquals([...writes.keys()].sort(), ["covering", "lease", `pod.${other.id}`, `pod.${pod.id}`].sort());
  assertEquals(worker.log.of("no longer leading"), []);
  assertEquals((await pod.tasks()).map(({ subject }) => subject), ["0", "2", "4"]);
});

Deno.test("a pod that has run ahead of its record is saved as the record has it, with what it remembered then", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server);
  const recording = new Gate();
  const saving = new Gate();
  await using first = await startWorker(
    server,
    soon,
    hooked({
      record: async (_message, publish) => {
        await recording.pass();
        return await publish();
      },
      get: async (key, get) => {
        if (key.startsWith("pod.")) await saving.pass();
        return await get();
      },
    }),
  );
  using _recording = recording;
  using _saving = saving;
  saving.close();
  await pod.call("TaskCreate", { subject: "a" }, { callId: "a" });
  await saving.whenHeld();
  recording.close();
  // Decided and not recorded: the repeat, the close that makes the pod forget, a create.
  const seqs = [
    await pod.sendCall("TaskCreate", { subject: "a" }, { callId: "a" }),
    await pod.send("session.closed", JSON.stringify({ event_id: "e" })),
    await pod.sendCall("TaskCreate", { subject: "b" }, { callId: "b" }),
  ];
  await recording.whenHeld(seqs.length);
  saving.open();
  await untilCovered(server, 1);
  await first.stop();
  await using _second = await startWorker(server);
  for (const seq of seqs) await pod.recorded(seq);

  assertEquals(first.log.of("left with answers on the way: the next leader gives them").length, 1);
  assertEquals((await pod.tasks()).map(({ taskid, subject }) => [taskid, subject]), [[1, "b"]]);
  assertEquals(checkLog(await readLog(server)).problems, []);
});

Deno.test("a pod under constant load is saved, and a start from there gives the same lists as the log alone", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server);
  const held: (() => void)[] = [];
  // So many outputs are always on their way.
  const inFlight = 20;
  await using first = await startWorker(
    server,
    { checkpointEveryMs: 100, checkpointInputs: 50 },
    hooked({
      record: async (_message, publish) => {
        const going = new Promise<void>((resolve) => held.push(resolve));
        if (held.length > inFlight) held.shift()?.();
        await going;
        return await publish();
      },
    }),
  );
  // More than a store remembers.
  const calls = 1_100;
  const seqs: number[] = [];
  for (let count = 0; count < calls; count++) {
    seqs.push(await pod.sendCall("TaskCreate", { subject: `${count}` }, { callId: `${count}` }));
    if (count % 100 === 50) {
      seqs.push(await pod.send("agent.exited", JSON.stringify({ event_id: `${count}`, agent: "a" })));
    }
  }
  // What is on its way is never recorded: the last one that is recorded, and what lies before it.
  await untilCovered(server, seqs.at(-inFlight - 1) ?? Infinity);
  await first.stop();
  const { position } = await saved(server, "covering");
  await using second = await startWorker(server);
  // From the oldest that the store must remember on, and some that it must not.
  for (const count of [calls - 1_025, calls - 1_024, calls - 1_023, 500, calls - 1]) {
    await pod.call("TaskCreate", { subject: `${count}` }, { callId: `${count}` });
  }

  assertEquals((await second.log.logged("ready")).fields.from_seq, position);
  assertEquals(await boardsOf(second, [pod]), await replayed(server, [pod]));
  assertEquals(checkLog(await readLog(server)).problems, []);
});

Deno.test("what a pod was built from again is saved before a checkpoint covers it", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server);
  const recording = new Gate();
  await using first = await startWorker(
    server,
    soon,
    hooked({
      record: async (_message, publish) => {
        await recording.pass();
        return await publish();
      },
    }),
  );
  using _recording = recording;
  await untilCovered(server, await pod.sendCall("TaskCreate", { subject: "saved" }));
  recording.close();
  const contested = await pod.sendCall("TaskCreate", { subject: "mine" });
  await recording.whenHeld();
  await recordByHand(pod, contested, { body: taskMade(2, "another's") });
  recording.open();
  await first.log.logged("pod is built again from the log");
  await untilCovered(server, contested);
  await first.stop();
  await using second = await startWorker(server);

  assertEquals((await second.log.logged("ready")).fields.from_seq as number >= contested, true);
  assertEquals((await pod.tasks()).map(({ subject }) => subject), ["saved", "another's"]);
});

Deno.test("a checkpoint does not cover what a pod that is being built again had not saved", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server);
  await using other = await Pod.join(server);
  const [recording, loading] = [new Gate(), new Gate()];
  loading.close();
  const isBuiltAgain = (): boolean => first.log.of("pod is built again from the log").length > 0;
  let isSaved = true;
  await using first = await startWorker(
    server,
    soon,
    hooked({
      record: async (message, publish) => {
        if (message.subject.includes(pod.id)) await recording.pass();
        return await publish();
      },
      put: async (key, put) => {
        if (key === `pod.${pod.id}` && !isSaved) throw new TransientError("not now");
        return await put();
      },
      get: async (key, get) => {
        // Only the building is held, and not a save, which looks the key up after a refusal.
        if (key === `pod.${pod.id}` && isBuiltAgain()) await loading.pass();
        return await get();
      },
    }),
  );
  using _recording = recording;
  using _loading = loading;
  await untilCovered(server, await pod.sendCall("TaskCreate", { subject: "saved" }));
  isSaved = false;
  await pod.call("TaskCreate", { subject: "recorded" });
  await first.log.logged("no checkpoint now");
  recording.close();
  const contested = await pod.sendCall("TaskCreate", { subject: "mine" });
  await recording.whenHeld();
  await recordByHand(pod, contested, { body: taskMade(3, "another's") });
  recording.open();
  await first.log.logged("pod is built again from the log");
  await loading.whenHeld();
  // While it is being built, other pods go on and are saved.
  for (let count = 0; count < 5; count++) {
    const { body } = await other.call("TaskCreate", { subject: `${count}` });
    await untilSaved(server, other, body.input_seq);
  }
  const { position } = await saved(server, "covering");
  const { input_seq: savedSeq } = await saved(server, `pod.${pod.id}`);
  const missed = (await readLog(server)).filter(({ pod: id, direction, seq }) =>
    id === pod.id && direction === "in" && seq > savedSeq && seq <= position
  );
  loading.open();
  const subjects = (await pod.tasks()).map(({ subject }) => subject);
  await first.stop();

  assertEquals(missed.map(({ seq }) => seq), []);
  assertEquals(subjects, ["saved", "recorded", "another's"]);
  await using _second = await startWorker(server);
  assertEquals((await pod.tasks()).map(({ subject }) => subject), subjects);
});

Deno.test("a leader that slept in the middle of a checkpoint does not put a pod back", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server);
  const [sleeping, saving] = [new Gate(), new Gate()];
  await using slow = await startWorker(
    server,
    soon,
    hooked({
      get: async (key, get) => {
        if (key === "lease") await sleeping.pass();
        if (key.startsWith("pod.")) await saving.pass();
        return await get();
      },
      put: async (key, put) => {
        if (key === "lease") await sleeping.pass();
        return await put();
      },
    }),
  );
  using _sleeping = sleeping;
  using _saving = saving;
  saving.close();
  await pod.call("TaskCreate", { subject: "a" });
  await saving.whenHeld();
  sleeping.close();
  await using next = await beginWorker(server, soon);
  await next.log.logged("leading");
  await untilCovered(server, await pod.sendCall("TaskCreate", { subject: "b" }));
  const before = await saved(server, `pod.${pod.id}`);
  saving.open();
  await pause(300);

  assertEquals(await saved(server, `pod.${pod.id}`), before);
  sleeping.open();
  await slow.log.logged("following");
});
