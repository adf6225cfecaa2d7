/** What happens while a pod is being saved: it is built again from the log, or the lease lapses. */
import { assertEquals } from "@std/assert";
import { recordByHand, taskMade } from "../helpers/by_hand.ts";
import { untilCovered } from "../helpers/checkpoint.ts";
import { Gate, hooked } from "../helpers/gate.ts";
import { Pod } from "../helpers/pod.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { within } from "../helpers/within.ts";
import { startWorker } from "../helpers/worker_in_process.ts";

Deno.test("a worker does not lose its lease over a pod that it read, saved, and only then had back", async () => {
  await using server = await startTestServer();
  using recording = new Gate();
  using writing = new Gate();
  using reading = new Gate();
  let isSaving = false;
  const written = Promise.withResolvers<void>();
  const passed = async <T>(gate: Gate, go: () => Promise<T>): Promise<T> => {
    await gate.pass();
    return await go();
  };
  await using pod = await Pod.join(server);
  const hooks = hooked({
    record: (_message, publish) => passed(recording, publish),
    put: async (key, put) => {
      if (key !== `pod.${pod.id}` || !isSaving) return await put();
      const revision = await passed(writing, put);
      written.resolve();
      return revision;
    },
    get: async (key, get) => {
      const saved = await get();
      if (key === `pod.${pod.id}`) await reading.pass();
      return saved;
    },
  });
  await using worker = await startWorker(server, { checkpointInputs: 1 }, hooks);
  await untilCovered(server, (await pod.call("TaskCreate", { subject: "a" })).body.input_seq);
  isSaving = true;
  writing.close();
  await pod.call("TaskCreate", { subject: "b" });
  await writing.whenHeld();
  recording.close();
  const inputSeq = await pod.sendCall("TaskCreate", { subject: "c" });
  await recording.whenHeld();
  await recordByHand(pod, inputSeq, { body: taskMade(3, "another's") });
  reading.close();
  recording.open();
  await reading.whenHeld();
  writing.open();
  await within(written.promise, "the pod is saved");
  await new Promise((resolve) => setTimeout(resolve));
  reading.open();
  await untilCovered(server, (await pod.call("TaskCreate", { subject: "d" })).body.input_seq);

  assertEquals(worker.log.complaints, ["pod is built again from the log"]);
  assertEquals((await pod.tasks()).map(({ subject }) => subject), ["a", "b", "another's", "d"]);
});

Deno.test("a lease that lapses during a save is no complaint: nothing more is written, and the next save has it all", async () => {
  await using server = await startTestServer();
  using renewing = new Gate();
  using writing = new Gate();
  await using pod = await Pod.join(server);
  const hooks = hooked({
    put: async (key, put) => {
      if (key === "lease") await renewing.pass();
      const revision = await put();
      if (key === `pod.${pod.id}`) await writing.pass();
      return revision;
    },
  });
  await using worker = await startWorker(server, { checkpointInputs: 1 }, hooks);
  await worker.log.logged("leading");
  writing.close();
  const { body } = await pod.call("TaskCreate", { subject: "a" });
  await writing.whenHeld();
  renewing.close();
  const lapsing = async (): Promise<void> => {
    while (worker.status().isLeading) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await within(lapsing(), "the lease lapses");
  writing.open();
  await worker.log.logged("no checkpoint now");
  renewing.open();
  await untilCovered(server, body.input_seq);

  assertEquals(worker.log.reasonsOf("no checkpoint now"), [
    "debug: LeaseLapsed: The lease ran out during a save",
  ]);
  assertEquals(worker.log.complaints, []);
});
