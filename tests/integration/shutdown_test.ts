/** How a worker leaves: nothing new is taken, what is on the way is recorded, the rest waits for the next (SPEC §12). */
import { assertEquals, assertMatch } from "@std/assert";
import { isHangupIgnored } from "../../src/cli/stop_signals.ts";
import { findPrivateServer } from "../../src/private_server/private_server.ts";
import { Crowd } from "../helpers/crowd.ts";
import { makeDataFolder } from "../helpers/data_folder.ts";
import { Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput, type Server, withConnection } from "../helpers/session_log.ts";
import { messageCount } from "../helpers/streams.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { within } from "../helpers/within.ts";
import { startWorker } from "../helpers/worker_in_process.ts";
import { launchWorker, spawnWorker, type WorkerProcess } from "../helpers/worker_process.ts";

/** Container runtimes kill what has not ended after this long. */
const graceMs = 10_000;

/** Without its server a worker waits for everything as long as it ever does: longer still on a busy machine. */
const withoutServerMs = 30_000;

/** After which a second signal is another wish than the first, and long before the worker has left by itself. */
const sameWishMs = 3_500;

/** How it ended, and whether in time. */
async function endOf(worker: WorkerProcess, signals: readonly Deno.Signal[], limitMs = graceMs) {
  const startedMs = performance.now();
  const { code, stderr } = await worker.signal(...signals);
  return { code, stderr, isInTime: performance.now() - startedMs < limitMs };
}

const well = { code: 0, stderr: [], isInTime: true };

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  const name =
    `${signal} while calls are in flight: every call is answered once, the late ones by the next worker`;
  Deno.test({ name, ignore: signal === "SIGHUP" && isHangupIgnored() }, async () => {
    await using server = await startTestServer();
    await using worker = await spawnWorker(server);
    await using crowd = await Crowd.join(server, 4);
    const sending = crowd.send(150);
    await crowd.whenAcknowledged(200);

    assertEquals(await endOf(worker, [signal]), well);
    await sending;
    assertEquals(worker.log.complaints, []);
    await using _next = await startWorker(server);
    await crowd.assertAnswered();
  });
}

/** More calls than a worker can answer before a test goes on, also where that stands still for a while. */
const calls = 12_000;
/** So few at a time that it takes long, and that as good as always one is on the way. */
const oneAtATime = { TASUKI_IN_FLIGHT_MAX: "1" };

/** Publishes that many calls, in turn to each of the pods: in the end task 1 is pending. */
async function flood(server: Server, ids: readonly string[]): Promise<void> {
  await withConnection(server, async (nc) => {
    for (let n = 1; n <= calls; n++) {
      const status = Math.floor(n / ids.length) % 2 === 1 ? "inprogress" : "pending";
      const body = { call_id: `c${n}`, arguments: { taskid: 1, status } };
      nc.publish(`tasks.${ids[n % ids.length]}.in.call.TaskUpdate`, JSON.stringify(body));
    }
    await nc.flush();
  });
}

Deno.test("SIGTERM with thousands of calls unanswered: the worker leaves at once, and the next answers the rest", async () => {
  await using server = await startTestServer();
  await (await startWorker(server)).stop();
  await using pod = await Pod.join(server);
  const first = await pod.sendCall("TaskCreate", { subject: "a" });
  await flood(server, [pod.id]);
  await using worker = await spawnWorker(server, oneAtATime);
  await pod.answer(first);

  assertEquals(await endOf(worker, ["SIGTERM"]), well);
  const answered = await messageCount(server, "tasks.*.out.>");
  assertEquals([answered > 0, answered < calls], [true, true], `${answered} of ${calls} are answered`);
  await using _next = await startWorker(server);
  assertEquals((await pod.tasks()).map(({ taskid, status }) => [taskid, status]), [[1, "pending"]]);
  await everyInputHasOneOutput(server);
});

Deno.test("SIGTERM while the server is away, with calls in flight: the worker ends well, by itself", async () => {
  await using server = await startTestServer();
  await using worker = await spawnWorker(server);
  await using crowd = await Crowd.join(server, 2);
  const sending = crowd.send(100);
  await crowd.whenAcknowledged(100);
  await server.kill();

  assertEquals(await endOf(worker, ["SIGTERM"], withoutServerMs), well);
  await server.start();
  await sending;
  await using _next = await startWorker(server);
  await crowd.assertAnswered();
});

Deno.test("SIGTERM while the worker waits for a server: it ends at once", async () => {
  await using server = await startTestServer();
  await server.kill();
  await using worker = launchWorker(server);
  await worker.log.logged("waiting for NATS");

  assertEquals(await endOf(worker, ["SIGTERM"]), well);
});

Deno.test("SIGINT twice at once, as Ctrl-C at `deno task`: the worker ends well, and its private server with it", async () => {
  await using folder = await makeDataFolder();
  await using worker = await spawnWorker({ url: "" }, { TASUKI_DATA: folder.path });

  assertEquals(await endOf(worker, ["SIGINT", "SIGINT"]), well);
  assertEquals(await findPrivateServer(folder.path), null);
  assertMatch(worker.log.all.at(-2)?.msg ?? "", /^stopped$/);
  assertMatch(worker.log.all.at(-1)?.msg ?? "", /^Stopped nats-server at /);
});

/** Resolves when an input of the pod is answered. */
async function untilBegun(server: Server, id: string): Promise<void> {
  while (await messageCount(server, `tasks.${id}.out.>`) === 0) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

Deno.test("a second signal ends the worker at once, whatever is on the way", async () => {
  await using server = await startTestServer();
  await (await startWorker(server)).stop();
  await using pod = await Pod.join(server);
  await pod.sendCall("TaskCreate", { subject: "a" });
  // Few calls of each, which the worker has all in memory: it never waits for more with nothing on the way.
  const ids = [pod.id, ...Array.from({ length: 29 }, (_, n) => `${pod.id}-${n}`)];
  await flood(server, ids);
  await using worker = await spawnWorker(server, oneAtATime);
  for (const id of ids) await within(untilBegun(server, id), `answer of ${id}`);
  await server.pause();

  const end = endOf(worker, ["SIGTERM"]);
  await new Promise((resolve) => setTimeout(resolve, sameWishMs));
  assertEquals(await endOf(worker, ["SIGINT"]), { code: 1, stderr: [], isInTime: true });
  assertEquals((await end).code, 1);
  server.resume();
  await using _next = await startWorker(server);
  assertEquals((await pod.tasks()).map(({ taskid, status }) => [taskid, status]), [[1, "pending"]]);
  await everyInputHasOneOutput(server);
});
