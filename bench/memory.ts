/** What a worker holds: many pods in memory, the first answer of one that was idle, and what a call leaves in the log. */
import { connect, type NatsConnection } from "nats";
import { startTestServer } from "../tests/helpers/test_server.ts";
import { newTask, newTasks, statusChange } from "./calls.ts";
import { drive } from "./load.ts";
import { PodsClient } from "./pods_client.ts";
import { startWorkerProcess } from "./process.ts";
import { numberText, report } from "./report.ts";
import { sized } from "./sizes.ts";
import { residentMbOf } from "./usage.ts";

const podsCount = sized(10_000, 300);
const tasksOfAPod = 20;
const asked = sized(1_000, 50);
const inFlight = 64;
const settleMs = 2_000;

await using server = await startTestServer();
const nc = await connect({ servers: server.url });
const pods = new PodsClient(nc);
const podOf = (index: number): string => `pod-${index % podsCount}`;
/** Pods that lie far from one another. */
const apart = (index: number): string => podOf(index * 7_919);

/** Once the work is done, and a collection of garbage may have come. */
async function residentMb(pid: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  return residentMbOf(pid);
}

/** Bytes that a call and its answer have in the stream, headers and subjects included. */
async function bytesPerCall(
  what: string,
  calls: number,
  call: (index: number) => Promise<void>,
): Promise<void> {
  const before = await logBytes(nc);
  for (let index = 0; index < calls; index++) await call(index);
  report(
    `bytes_${what.replaceAll(/\W+/g, "_")}`,
    `in the log, per call: ${what}`,
    (await logBytes(nc) - before) / calls,
    "B",
  );
}

async function logBytes(nc: NatsConnection): Promise<number> {
  return (await (await nc.jetstreamManager()).streams.info("TASKS")).state.bytes;
}

async function ofTheLog(): Promise<void> {
  const calls = 100;
  await bytesPerCall("TaskCreate", calls, (index) => pods.call("bytes", "TaskCreate", newTask(index)));
  const update = (index: number) => pods.call("bytes", "TaskUpdate", statusChange(1 + index % calls, 0));
  await bytesPerCall("TaskUpdate of a status", calls, update);
  await bytesPerCall("TaskGet", calls, () => pods.call("bytes", "TaskGet", { taskid: 50 }));
  await bytesPerCall("TaskList of 100 tasks", calls, () => pods.call("bytes", "TaskList", {}));
}

async function idlePods(what: string, id: string): Promise<void> {
  const { p50, p99 } = await drive(
    asked,
    1,
    (index) => pods.call(apart(index), "TaskGet", { taskid: 1 + index % tasksOfAPod }),
  );
  report(`${id}_ms`, `first answer of an idle pod, ${what}, p50`, p50, "ms");
  report(`${id}_p99_ms`, `first answer of an idle pod, ${what}, p99`, p99, "ms");
}

const sizes = `${numberText(podsCount)} pods × ${tasksOfAPod} tasks`;
const resident: number[] = [];
let emptyMb = NaN;
{
  await using worker = await startWorkerProcess(server.url);
  emptyMb = await residentMb(worker.pid);
  report("resident_empty", "resident memory of a worker without pods", emptyMb, "MB");
  await ofTheLog();
  await drive(podsCount, inFlight, (index) => pods.call(podOf(index), "TaskCreate", newTasks(tasksOfAPod)));
  resident.push(await residentMb(worker.pid));
  report("resident_made", `resident memory, ${sizes}, after making them`, resident.at(-1) ?? NaN, "MB");
  await idlePods("in memory", "idle_in_memory");
}
{
  await using worker = await startWorkerProcess(server.url);
  await idlePods("evicted", "idle_evicted");
  await drive(podsCount, inFlight, (index) => pods.call(podOf(index), "TaskGet", { taskid: 1 }));
  resident.push(await residentMb(worker.pid));
  report(
    "resident_loaded",
    `resident memory, ${sizes}, loaded from the checkpoint`,
    resident.at(-1) ?? NaN,
    "MB",
  );
}
{
  await using worker = await startWorkerProcess(server.url, { TASUKI_BUCKET: "EMPTY" });
  resident.push(await residentMb(worker.pid));
  report(
    "resident_replayed",
    `resident memory, ${sizes}, replayed from the log`,
    resident.at(-1) ?? NaN,
    "MB",
  );
}
const most = Math.max(...resident);
report("resident", `resident memory, ${sizes}, the most of these`, most, "MB");
report("bytes_per_task", "resident memory per task", (most - emptyMb) * 1e6 / (podsCount * tasksOfAPod), "B");
await nc.close();
