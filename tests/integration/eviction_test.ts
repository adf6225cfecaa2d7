/** Idle pods leave memory as soon as the checkpoint has them, down to the bound, and come back when they are called. */
import { assertEquals } from "@std/assert";
import { Pod } from "../helpers/pod.ts";
import type { Server } from "../helpers/session_log.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { tierEnv } from "../helpers/tier.ts";
import { within } from "../helpers/within.ts";
import { WorkerHttp } from "../helpers/worker_http.ts";
import { startWorker } from "../helpers/worker_in_process.ts";
import { spawnWorker } from "../helpers/worker_process.ts";

/** Resolves when so many pods are in memory. */
async function untilInMemory(count: number, inMemory: () => Promise<number>): Promise<void> {
  let last = -1;
  const waiting = async (): Promise<void> => {
    while ((last = await inMemory()) !== count) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await within(waiting(), () => `${count} pods in memory: got ${last}`);
}

async function createTasks(server: Server, pods: number): Promise<void> {
  for (let n = 0; n < pods; n++) {
    await using pod = await Pod.join(server);
    await pod.call("TaskCreate", { subject: "a" });
  }
}

Deno.test("a worker keeps as many idle pods in memory as podsInMemoryMax says", async () => {
  await using server = await startTestServer();
  await using worker = await startWorker(server, { podsInMemoryMax: 2 });
  await createTasks(server, 5);

  await untilInMemory(2, () => Promise.resolve(worker.status().podsInMemory));
});

Deno.test("a pod that left memory comes back with its list and with what it remembers", async () => {
  await using server = await startTestServer();
  await using worker = await startWorker(server, { podsInMemoryMax: 0 });
  await using pod = await Pod.join(server);
  const left = () => untilInMemory(0, () => Promise.resolve(worker.status().podsInMemory));
  const { body: first } = await pod.call("TaskCreate", { subject: "a" }, { callId: "c" });
  await left();
  const { body: repeat } = await pod.call("TaskCreate", { subject: "a" }, { callId: "c" });
  await left();
  await pod.call("TaskUpdate", { taskid: 1, status: "completed" });
  await left();
  const { structuredContent } = await pod.read("TaskList");

  assertEquals(repeat, { ...first, input_seq: repeat.input_seq, duplicate: true, changes: [] });
  assertEquals(structuredContent.tasks, [{ taskid: 1, status: "completed", subject: "a", description: "" }]);
});

// By these the always-replay tier is what its name says: without its variable pods would stay.
const isAlwaysReplay = Object.keys(tierEnv()).length > 0;
const staying = isAlwaysReplay ? 0 : 3;
const tierName = isAlwaysReplay ? "where no idle pod stays" : "where idle pods stay";

Deno.test(`a worker of a tier ${tierName} has ${staying} of three pods in memory`, async () => {
  await using server = await startTestServer();
  await using worker = await startWorker(server);
  await createTasks(server, 3);

  await untilInMemory(staying, () => Promise.resolve(worker.status().podsInMemory));
});

Deno.test(`a worker process of a tier ${tierName} has ${staying} of three pods in memory`, async () => {
  await using server = await startTestServer();
  await using worker = await spawnWorker(server, { TASUKI_HTTP: "127.0.0.1:0" });
  const http = await WorkerHttp.of(worker);
  await createTasks(server, 3);

  await http.until("/readyz", ({ body }) => body.pods_in_memory === staying);
});
