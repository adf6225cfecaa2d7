/** Whether a call stays as cheap as pods get more, as the log gets longer, and as one pod gets old. */
import { connect } from "nats";
import { startTestServer } from "../tests/helpers/test_server.ts";
import { newTask, newTasks, statusChange } from "./calls.ts";
import { drive } from "./load.ts";
import { PodsClient } from "./pods_client.ts";
import { startWorkerProcess } from "./process.ts";
import { report, reportCurve } from "./report.ts";
import { sized } from "./sizes.ts";
import { median } from "./statistics.ts";
import { cpuMsOf } from "./usage.ts";

const inFlight = 64;

await using server = await startTestServer();
/** More often than by default, so that each window of calls has its checkpoint. */
const checkpointInputs = "10000";
await using worker = await startWorkerProcess(server.url, { TASUKI_CHECKPOINT_INPUTS: checkpointInputs });
const nc = await connect({ servers: server.url });
const pods = new PodsClient(nc);

/** CPU of the worker per call in microseconds, what it does beside the calls included: checkpoints and the lease. */
async function workerUs(calls: number, call: (index: number) => Promise<void>): Promise<number> {
  const beforeMs = cpuMsOf(worker.pid);
  await drive(calls, inFlight, call);
  return (cpuMsOf(worker.pid) - beforeMs) * 1000 / calls;
}

/** The log is as long as the calls before made it; the worker's checkpoints are in what it costs. */
async function lengthOfTheLog(): Promise<void> {
  const calls = sized(20_000, 1_000);
  const podOf = (index: number): string => `long-${index % 64}`;
  await drive(64, inFlight, (index) => pods.call(podOf(index), "TaskCreate", newTask(index)));
  const manager = await nc.jetstreamManager();
  const ofWorker: [number, number][] = [];
  const ofServer: [number, number][] = [];
  for (let window = 0; window < 8; window++) {
    const call = (index: number) =>
      pods.call(podOf(index), "TaskUpdate", statusChange(1, Math.floor(index / 64) + window));
    const { state } = await manager.streams.info("TASKS");
    const beforeMs = cpuMsOf(server.pid);
    ofWorker.push([state.last_seq, await workerUs(calls, call)]);
    ofServer.push([state.last_seq, (cpuMsOf(server.pid) - beforeMs) * 1000 / calls]);
  }
  reportCurve({
    file: "growth_log",
    title: "What a call costs as the log grows",
    x: "messages in the log",
    y: "µs of CPU per call",
    logarithmic: "none",
    series: [{ name: "worker", points: ofWorker }, { name: "nats-server", points: ofServer }],
  });
}

/** Twenty calls at a pod's beginning and twenty at its call number 10,000, one at a time, of several pods in turn. */
async function ageOfAPod(): Promise<void> {
  const early: number[] = [];
  const late: number[] = [];
  const window = 20;
  const age = sized(10_000, 200);
  for (let round = 0; round < sized(5, 2); round++) {
    const pod = `old-${round}`;
    await pods.call(pod, "TaskCreate", newTasks(20));
    const call = (index: number) =>
      pods.call(pod, "TaskUpdate", statusChange(1 + index % 20, Math.floor(index / 20)));
    early.push((await drive(window, 1, call)).p50);
    await drive(age - 2 * window, inFlight, (index) => call(index + window));
    late.push((await drive(window, 1, (index) => call(index + age - window))).p50);
  }
  report("call_10_ms", "a pod's call number 10, one at a time, p50", median(early), "ms");
  report("call_10000_ms", "a pod's call number 10,000, one at a time, p50", median(late), "ms");
  report("age_ratio", "a pod's call number 10,000 against number 10, p50", median(late) / median(early), "×");
}

/** Every pod has one task; the calls go to all of them in turn. */
async function numberOfPods(): Promise<void> {
  const calls = sized(15_000, 1_000);
  const points: [number, number][] = [];
  for (const count of [1, 10, 100, 1_000, sized(10_000, 2_000)]) {
    const podOf = (index: number): string => `of-${count}-${index % count}`;
    await drive(count, inFlight, (index) => pods.call(podOf(index), "TaskCreate", newTask(index)));
    const call = (index: number) =>
      pods.call(podOf(index), "TaskUpdate", statusChange(1, Math.floor(index / count)));
    points.push([count, await workerUs(calls, call)]);
  }
  reportCurve({
    file: "growth_pods",
    title: "What a call costs the worker, calls spread evenly over its pods",
    x: "pods that are called",
    y: "µs of CPU per call, a checkpoint every 10,000 included",
    logarithmic: "x",
    series: [{ name: "TaskUpdate", points }],
  });
  const last = points.at(-1)?.[1] ?? NaN;
  report(
    "cpu_many_pods",
    "CPU of the worker per call, 10,000 pods in turn, a checkpoint every 10,000 calls included",
    last,
    "µs",
  );
}

await pods.call("first", "TaskCreate", newTask(0));
await drive(sized(4_000, 200), inFlight, (index) => pods.call("first", "TaskUpdate", statusChange(1, index)));
await lengthOfTheLog();
await ageOfAPod();
await numberOfPods();
await nc.close();
