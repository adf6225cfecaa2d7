/** Calls against the raw durable call of the same run, as ratios (docs/PERFORMANCE.md). */
import { connect } from "nats";
import { startTestServer } from "../tests/helpers/test_server.ts";
import { drive, type Load } from "./load.ts";
import { PodsClient } from "./pods_client.ts";
import { startProcess } from "./process.ts";

const rounds = Number(Deno.args[0] ?? 3);
await using server = await startTestServer();
await using _echo = await startProcess("bench/echo_worker.ts", [], server.url, "ready");
await using _worker = await startProcess("main.ts", ["serve"], server.url, "leading");
const nc = await connect({ servers: server.url });
const pods = new PodsClient(nc);

const podOf = (index: number): string => `bench-${index % 64}`;
const update = (index: number) => ({ taskid: 1, status: index % 2 === 0 ? "inprogress" : "pending" });
const body = JSON.stringify({ call_id: "s1234567", arguments: { taskid: 1, status: "inprogress" } });

for (let index = 0; index < 64; index++) {
  await pods.call(podOf(index), "TaskCreate", { subject: `task of ${index}`, description: "for the bench" });
}
await pods.call("single", "TaskCreate", { subject: "one task", description: "for the bench" });

const kinds = {
  raw: async (index: number) => {
    await nc.request(`echo.call.${index % 64}`, body, { timeout: 10_000 });
  },
  // Each pod's status changes with every call.
  result: (index: number) => pods.call(podOf(index), "TaskUpdate", update(Math.floor(index / 64))),
  reply: (index: number) => pods.callForReply(podOf(index), "TaskUpdate", update(Math.floor(index / 64))),
  single: (index: number) => pods.call("single", "TaskUpdate", update(index)),
};

/** The median of the rounds, which take turns so that all see the same machine. */
async function measure(calls: number, inFlight: number): Promise<void> {
  const seen = new Map<string, Load[]>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, call] of Object.entries(kinds)) {
      await drive(Math.ceil(calls / 10), inFlight, call);
      seen.set(name, [...seen.get(name) ?? [], await drive(calls, inFlight, call)]);
    }
  }
  const median = (name: string, of: (load: Load) => number): number =>
    (seen.get(name) ?? []).map(of).sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? NaN;
  for (const name of Object.keys(kinds)) {
    const rate = median(name, (load) => load.perSecond);
    const p50 = median(name, (load) => load.p50);
    const rateRatio = rate / median("raw", (load) => load.perSecond);
    const p50Ratio = p50 / median("raw", (load) => load.p50);
    console.log(
      `${String(inFlight).padStart(4)} in flight  ${name.padEnd(7)} ${rate.toFixed(0).padStart(7)}/s ` +
        `(${rateRatio.toFixed(2)} × raw)  p50 ${p50.toFixed(3)} ms (${p50Ratio.toFixed(2)} × raw)`,
    );
  }
}

await measure(2_000, 1);
await measure(20_000, 16);
await measure(40_000, 256);
await nc.close();
