/** Calls at three servers that keep stream and bucket in three copies, against calls at one of the same version. */
import { connect, type NatsConnection } from "nats";
import { currentBinary } from "../tests/helpers/test_binary.ts";
import { TestCluster } from "../tests/helpers/test_cluster.ts";
import { startTestServer } from "../tests/helpers/test_server.ts";
import { newTask, statusChange } from "./calls.ts";
import { drive } from "./load.ts";
import { PodsClient } from "./pods_client.ts";
import { startWorkerProcess } from "./process.ts";
import { report } from "./report.ts";
import { sized } from "./sizes.ts";
import { median, medianRatio } from "./statistics.ts";

const rounds = sized(3, 1);
const podsCount = 64;

const { binary } = await currentBinary();
await using alone = await startTestServer({ binary });
await using cluster = await TestCluster.start(binary, { canBeCut: false });
const [first, second] = cluster.servers;
if (!first || !second) throw new Error("The cluster has no two servers");
await using _workerAlone = await startWorkerProcess(alone.url);
await using _workerInCluster = await startWorkerProcess(first.url, { TASUKI_REPLICAS: "3" });
const toOne = await connect({ servers: alone.url });
const toThree = await connect({ servers: second.url });
const places = { one: await withPods(toOne), three: await withPods(toThree) };

/** A client whose pods have a task each. */
async function withPods(nc: NatsConnection): Promise<PodsClient> {
  const pods = new PodsClient(nc);
  for (let index = 0; index < podsCount; index++) {
    await pods.call(`bench-${index}`, "TaskCreate", newTask(index));
  }
  return pods;
}

async function measured(calls: number, inFlight: number): Promise<void> {
  const seen: { readonly [place in keyof typeof places]: number[] } = { one: [], three: [] };
  for (let round = 0; round < rounds; round++) {
    for (const place of ["one", "three"] as const) {
      const call = (index: number) =>
        places[place].call(
          `bench-${index % podsCount}`,
          "TaskUpdate",
          statusChange(1, Math.floor(index / podsCount)),
        );
      await drive(Math.ceil(calls / 10), inFlight, call);
      seen[place].push((await drive(calls, inFlight, call)).perSecond);
    }
  }
  const what = `calls at three servers, three copies, ${inFlight} in flight`;
  report(`cluster_${inFlight}`, what, median(seen.three), "/s");
  report(`cluster_${inFlight}_ratio`, `${what}, against one server`, medianRatio(seen.three, seen.one), "×");
}

await measured(sized(5_000, 200), 16);
await measured(sized(10_000, 1_000), 256);
await Promise.all([toOne.close(), toThree.close()]);
