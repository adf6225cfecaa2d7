/** Calls against the raw durable call of the same run, as ratios (docs/PERFORMANCE.md). */
import { connect } from "nats";
import { startTestServer } from "../tests/helpers/test_server.ts";
import { newTask, newTasks, statusChange } from "./calls.ts";
import { drive, type Load } from "./load.ts";
import { PodsClient } from "./pods_client.ts";
import { startProcess, startWorkerProcess } from "./process.ts";
import { report, reportSetting } from "./report.ts";
import { sized } from "./sizes.ts";
import { median, medianRatio } from "./statistics.ts";
import { cpuMsOf } from "./usage.ts";

const rounds = sized(9, 1);
const podsCount = 64;
const listedTasks = 100;

await using server = await startTestServer();
await using _echo = await startProcess("bench/echo_worker.ts", [], { url: server.url, saying: "ready" });
await using worker = await startWorkerProcess(server.url);
const nc = await connect({ servers: server.url });
const pods = new PodsClient(nc);
reportSetting(`nats-server ${nc.info?.version}`);

const podOf = (index: number): string => `bench-${index % podsCount}`;
const listedPodOf = (index: number): string => `listed-${index % podsCount}`;
/** Each task's status changes with every call. */
const change = (index: number) => statusChange(1, Math.floor(index / podsCount));
const rawBody = JSON.stringify({ call_id: "s1234567", arguments: statusChange(1, 0) });

type Call = (index: number) => Promise<void>;
const raw: Call = async (index) => {
  await nc.request(`echo.call.${index % podsCount}`, rawBody, { timeout: 10_000 });
};
const result: Call = (index) => pods.call(podOf(index), "TaskUpdate", change(index));
const reply: Call = (index) => pods.callForReply(podOf(index), "TaskUpdate", change(index));
const single: Call = (index) => pods.call("single", "TaskUpdate", statusChange(1, index));
const get: Call = (index) => pods.call(listedPodOf(index), "TaskGet", { taskid: 50 });
const list: Call = (index) => pods.call(listedPodOf(index), "TaskList", {});

for (let index = 0; index < podsCount; index++) {
  await pods.call(podOf(index), "TaskCreate", newTask(index));
  await pods.call(listedPodOf(index), "TaskCreate", newTasks(listedTasks));
}
await pods.call("single", "TaskCreate", newTask(1));

interface Seen extends Load {
  /** Of the worker and of the server, in microseconds per call. */
  readonly workerUs: number;
  readonly serverUs: number;
}

/** The kinds take turns so that all see the same machine; what is returned gives one value per round. */
async function measured<Kind extends string>(
  calls: number,
  inFlight: number,
  kinds: Readonly<Record<Kind, Call>>,
): Promise<(kind: Kind, of: (seen: Seen) => number) => number[]> {
  const seen: { readonly name: string; readonly load: Seen }[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const [name, call] of Object.entries<Call>(kinds)) {
      await drive(Math.ceil(calls / 10), inFlight, call);
      const before = [cpuMsOf(worker.pid), cpuMsOf(server.pid)] as const;
      const load = await drive(calls, inFlight, call);
      const workerUs = (cpuMsOf(worker.pid) - before[0]) * 1000 / calls;
      const serverUs = (cpuMsOf(server.pid) - before[1]) * 1000 / calls;
      seen.push({ name, load: { ...load, workerUs, serverUs } });
    }
  }
  return (kind, of) => seen.filter(({ name }) => name === kind).map(({ load }) => of(load));
}

const perSecond = (load: Load): number => load.perSecond;
const p50 = (load: Load): number => load.p50;

async function oneAtATime(): Promise<void> {
  const of = await measured(sized(500, 100), 1, { raw, result, reply, get, list });
  report("one_raw_ms", "raw durable call, one at a time, p50", median(of("raw", p50)), "ms");
  for (const kind of ["result", "reply"] as const) {
    const seen = kind === "result" ? "seen on out.result" : "by Tasuki-Reply";
    const what = `call → result, ${seen}, one at a time, p50`;
    report(`one_${kind}_ms`, what, median(of(kind, p50)), "ms");
    report(`one_${kind}_ratio`, what, medianRatio(of(kind, p50), of("raw", p50)), "× raw");
  }
  report("get_ms", "TaskGet, one at a time, p50", median(of("get", p50)), "ms");
  report("list_ms", "TaskList of 100 tasks, one at a time, p50", median(of("list", p50)), "ms");
  const ratio = medianRatio(of("list", p50), of("get", p50));
  report("list_ratio", "TaskList of 100 tasks against TaskGet, one at a time, p50", ratio, "×");
}

async function manyInFlight(calls: number, inFlight: number): Promise<void> {
  const of = await measured(calls, inFlight, { raw, result, reply, single });
  const named = `${inFlight} in flight`;
  report(`${inFlight}_raw`, `raw durable calls, ${named}`, median(of("raw", perSecond)), "/s");
  const whats = {
    result: "calls seen on out.result",
    reply: "calls by Tasuki-Reply",
    single: "calls on one pod",
  };
  for (const kind of ["result", "reply", "single"] as const) {
    const what = `${whats[kind]}, ${named}`;
    report(`${inFlight}_${kind}`, what, median(of(kind, perSecond)), "/s");
    report(
      `${inFlight}_${kind}_ratio`,
      what,
      medianRatio(of(kind, perSecond), of("raw", perSecond)),
      "× raw",
    );
  }
  for (const kind of ["result", "reply"] as const) {
    const suffix = kind === "result" ? "" : "_reply";
    const call = `per call${kind === "result" ? "" : " by Tasuki-Reply"}, ${named}`;
    const workerUs = median(of(kind, (seen) => seen.workerUs));
    report(`${inFlight}_worker_cpu${suffix}`, `CPU of the worker ${call}`, workerUs, "µs");
    const serverUs = median(of(kind, (seen) => seen.serverUs));
    report(`${inFlight}_server_cpu${suffix}`, `CPU of the nats-server ${call}`, serverUs, "µs");
  }
}

await oneAtATime();
// First what makes the most calls: what follows sees processes that are warm.
await manyInFlight(sized(10_000, 2_000), 256);
await manyInFlight(sized(6_000, 500), 16);
await nc.close();
