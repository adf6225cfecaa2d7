/** What a worker holds: many pods in memory, the first answer of one that was idle, and what a call leaves in the log. */
import { connect, type NatsConnection } from "nats";
import { startTestServer } from "../tests/helpers/test_server.ts";
import { newTask, newTasks, statusChange } from "./calls.ts";
import { drive } from "./load.ts";
import { PodsClient } from "./pods_client.ts";
import { type StartedProcess, startWorkerProcess } from "./process.ts";
import { numberText, report } from "./report.ts";
import { sized } from "./sizes.ts";
import { residentMbOf } from "./usage.ts";

const podsCount = sized(10_000, 300);
const tasksOfAPod = 20;
const asked = sized(1_000, 50);
const inFlight = 64;
/** V8 collects by itself what a worker at rest has left, half a minute after the work or somewhat later. */
const restMs = sized(60_000, 1_000);
const lookEveryMs = 500;
/** By so much less than the most that was seen a collection is known. */
const collectedShare = 0.9;
/** Pods that remember as many calls as they may. */
const busyPods = sized(40, 4);
const callsOfABusyPod = sized(1_024, 20);

await using server = await startTestServer();
const nc = await connect({ servers: server.url });
const pods = new PodsClient(nc);
const podOf = (index: number): string => `pod-${index % podsCount}`;
/** Pods that lie far from one another. */
const apart = (index: number): string => podOf(index * 7_919);

const sizes = `${numberText(podsCount)} pods × ${tasksOfAPod} tasks`;

interface Resident {
  /** The most that was seen after the work. */
  readonly mostMb: number;
  /** After the collection; where none came, after all of the rest. */
  readonly atRestMb: number;
}

async function resident(pid: number): Promise<Resident> {
  const endMs = performance.now() + restMs;
  let mostMb = 0;
  let nowMb = residentMbOf(pid);
  while (performance.now() < endMs && nowMb >= mostMb * collectedShare) {
    mostMb = Math.max(mostMb, nowMb);
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    nowMb = residentMbOf(pid);
  }
  return { mostMb, atRestMb: nowMb };
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

async function idlePods(
  what: string,
  id: string,
  calls: number,
  pod: (index: number) => string,
): Promise<void> {
  const { p50, p99 } = await drive(calls, 1, (index) => pods.call(pod(index), "TaskGet", { taskid: 1 }));
  report(`${id}_ms`, `first answer of an idle pod, ${what}, p50`, p50, "ms");
  report(`${id}_p99_ms`, `first answer of an idle pod, ${what}, p99`, p99, "ms");
}

async function residentOf(worker: StartedProcess, how: string): Promise<Resident> {
  const seen = await resident(worker.pid);
  report(`resident_${how}`, `resident memory, ${sizes}, just ${how}`, seen.mostMb, "MB");
  report(`resident_${how}_at_rest`, `resident memory, ${sizes}, ${how}, at rest`, seen.atRestMb, "MB");
  return seen;
}

/** Makes the pods. */
async function made(): Promise<{ readonly emptyMb: number; readonly full: Resident }> {
  await using worker = await startWorkerProcess(server.url);
  const emptyMb = residentMbOf(worker.pid);
  report("resident_empty", "resident memory of a worker without pods", emptyMb, "MB");
  await ofTheLog();
  await drive(podsCount, inFlight, (index) => pods.call(podOf(index), "TaskCreate", newTasks(tasksOfAPod)));
  const full = await residentOf(worker, "made");
  await idlePods("in memory", "idle_in_memory", asked, apart);
  return { emptyMb, full };
}

/** Has nothing in memory at first: every pod is read from the checkpoint when it is called. */
async function loaded(): Promise<number> {
  await using worker = await startWorkerProcess(server.url);
  await idlePods("evicted", "idle_evicted", asked, apart);
  await drive(podsCount, inFlight, (index) => pods.call(podOf(index), "TaskGet", { taskid: 1 }));
  const megabytes = residentMbOf(worker.pid);
  report("resident_loaded", `resident memory, ${sizes}, just loaded`, megabytes, "MB");
  return megabytes;
}

async function replayed(): Promise<Resident> {
  await using worker = await startWorkerProcess(server.url, { TASUKI_BUCKET: "EMPTY" });
  return await residentOf(worker, "replayed");
}

/** A busy pod's checkpoint is larger than its tasks. */
async function busy(): Promise<void> {
  const busyOf = (index: number): string => `busy-${index % busyPods}`;
  const change = (index: number) => statusChange(1, Math.floor(index / busyPods));
  {
    await using _worker = await startWorkerProcess(server.url);
    await drive(busyPods, inFlight, (index) => pods.call(busyOf(index), "TaskCreate", newTask(1)));
    const calls = busyPods * callsOfABusyPod;
    await drive(calls, inFlight, (index) => pods.call(busyOf(index), "TaskUpdate", change(index)));
  }
  await using _worker = await startWorkerProcess(server.url);
  await idlePods("evicted, 1,024 calls remembered", "idle_busy", busyPods, busyOf);
}

const { emptyMb, full } = await made();
const loadedMb = await loaded();
const again = await replayed();
const mostMb = Math.max(full.mostMb, loadedMb, again.mostMb);
const atRestMb = Math.max(full.atRestMb, again.atRestMb);
report("resident_most", "resident memory, the most of these", mostMb, "MB");
report("resident_at_rest", "resident memory, the most of these at rest", atRestMb, "MB");
report(
  "bytes_per_task",
  "resident memory per task, at rest",
  (atRestMb - emptyMb) * 1e6 / (podsCount * tasksOfAPod),
  "B",
);
await busy();
await nc.close();
