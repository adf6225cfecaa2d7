/** A bucket whose limit was lowered under a worker: what does not fit is not saved, everything else is (R16). */
import { assertEquals } from "@std/assert";
import { untilCovered } from "../helpers/checkpoint.ts";
import { Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput, type Server, withConnection } from "../helpers/session_log.ts";
import { bucketStream, withManager } from "../helpers/streams.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { patiently, within } from "../helpers/within.ts";
import { startWorker } from "../helpers/worker_in_process.ts";

const unsaved = "a pod cannot be saved: no checkpoint goes past it";

async function limitValues(server: Server, bytes: number): Promise<void> {
  await withManager(server, async ({ streams }) => {
    await streams.update(bucketStream, { max_msg_size: bytes });
  });
}

/** A list that was saved gets too large for the bucket; another pod has one that fits. */
async function outgrow(server: Server, large: Pod, other: Pod): Promise<void> {
  const { body: first } = await large.call("TaskCreate", { subject: "large" });
  await untilCovered(server, first.input_seq);
  await limitValues(server, 2_000);
  await large.call("TaskUpdate", { taskid: 1, description: "d".repeat(3_000) });
  await other.call("TaskCreate", { subject: "other" });
}

const subjectsOf = async (pod: Pod) => (await pod.tasks()).map(({ subject }) => subject);

Deno.test("a pod that is too large for the bucket is said once and holds the checkpoint, until it fits; no list is lost", async () => {
  await using server = await startTestServer();
  const often = { checkpointEveryMs: 50 };
  const worker = await startWorker(server, often);
  await using large = await Pod.join(server);
  await using other = await Pod.join(server);
  await outgrow(server, large, other);
  await worker.log.logged(unsaved);
  let revision = await savedAfter(server, other, 0);
  // The second of two more saves begins when the first has also tried the large pod.
  for (let saves = 0; saves < 2; saves++) {
    await other.call("TaskList");
    revision = await savedAfter(server, other, revision);
  }

  const { pod, bytes } = worker.log.of(unsaved)[0]?.fields ?? {};
  assertEquals([pod, Number(bytes) > 3_000, worker.log.of(unsaved).length], [large.id, true, 1]);
  assertEquals(await savedKeys(server), [`pod.${large.id}`, `pod.${other.id}`].toSorted());
  assertEquals([await subjectsOf(large), await subjectsOf(other)], [["large"], ["other"]]);
  await limitValues(server, -1);
  const { body: last } = await other.call("TaskList");
  await untilCovered(server, last.input_seq);
  await worker.stop();
  await using again = await startWorker(server, often);
  assertEquals([await subjectsOf(large), await subjectsOf(other)], [["large"], ["other"]]);
  assertEquals([worker.log.complaints, again.log.complaints], [[unsaved], []]);
  await everyInputHasOneOutput(server);
});

Deno.test("a start from a checkpoint that a large pod has held answers nothing again and has every list", async () => {
  await using server = await startTestServer();
  const worker = await startWorker(server, { checkpointEveryMs: 50 });
  await using large = await Pod.join(server);
  await using other = await Pod.join(server);
  await outgrow(server, large, other);
  await worker.log.logged(unsaved);
  await worker.stop();
  await limitValues(server, -1);
  await using again = await startWorker(server);

  const [task] = await large.tasks();
  assertEquals([task?.description.length, await subjectsOf(other)], [3_000, ["other"]]);
  assertEquals(again.log.complaints, []);
  await everyInputHasOneOutput(server);
});

/** The revision of the saved pod, as soon as it is a later one than this. */
async function savedAfter(server: Server, { id }: Pod, earlier: number): Promise<number> {
  return await withConnection(server, async (nc) => {
    const bucket = await nc.jetstream(patiently).views.kv("TASKS_CHECKPOINT", { bindOnly: true });
    const saved = async (): Promise<number> => {
      for await (const { revision } of await bucket.watch({ key: `pod.${id}` })) {
        if (revision > earlier) return revision;
      }
      throw new Error("the connection closed before the pod was saved");
    };
    return await within(saved(), `pod ${id} saved after revision ${earlier}`);
  });
}

async function savedKeys(server: Server): Promise<string[]> {
  return await withManager(server, async ({ streams }) => {
    const { state } = await streams.info(bucketStream, { subjects_filter: "$KV.*.pod.>" });
    return Object.keys(state.subjects ?? {}).map((subject) => subject.split(".").slice(2).join("."))
      .toSorted();
  });
}
