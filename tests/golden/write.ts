/**
 * Writes the golden logs: each scenario is played to a worker on a real server, its log is dumped, and the lists that
 * the worker shows are kept beside it. A log that is there is never written again: every later version has to come to
 * the same lists with it. A version that knows more adds a scenario.
 *
 *     deno run --allow-all tests/golden/write.ts
 */
import { Pod } from "../helpers/pod.ts";
import { runCli } from "../helpers/run_cli.ts";
import { untilAnswered, withConnection } from "../helpers/session_log.ts";
import { startTestServer, type TestServer } from "../helpers/test_server.ts";
import { startWorker } from "../helpers/worker_in_process.ts";
import type { GoldenStores } from "./golden_log.ts";
import { scenarios, type Step } from "./scenarios.ts";

async function play(server: TestServer, steps: readonly Step[]): Promise<void> {
  await using publisher = await Pod.join(server);
  for (const [place, { pod, rest, body }] of steps.entries()) {
    const data = body instanceof Uint8Array ? body : JSON.stringify(body);
    const id = { "Nats-Msg-Id": `${pod}:${place + 1}` };
    await untilAnswered(server, [await publisher.publish(`tasks.${pod}.in.${rest}`, data, id)]);
  }
}

async function tasksOf(server: TestServer, id: string): Promise<GoldenStores[string]["tasks"]> {
  await using pod = await Pod.join(server, { id });
  return (await pod.read("TaskList")).structuredContent.tasks;
}

/** By the checkpoint that a worker leaves behind. */
async function nextTaskidOf(server: TestServer, pod: string): Promise<number> {
  return await withConnection(server, async (nc) => {
    const saved = await (await nc.jetstream().views.kv("TASKS_CHECKPOINT")).get(`pod.${pod}`);
    return saved?.json<{ next_taskid: number }>().next_taskid ?? 1;
  });
}

async function write(name: string, steps: readonly Step[]): Promise<void> {
  await using server = await startTestServer();
  const worker = await startWorker(server);
  await play(server, steps);
  const pods = [...new Set(steps.map(({ pod }) => pod))].filter((pod) => /^[\w-]{2,}$/.test(pod));
  const tasks = await Promise.all(pods.map((pod) => tasksOf(server, pod)));
  await worker.stop();
  const nextTaskids = await Promise.all(pods.map((pod) => nextTaskidOf(server, pod)));
  const stores: GoldenStores = Object.fromEntries(
    pods.map((pod, place) => [pod, { next_taskid: nextTaskids[place] ?? 1, tasks: tasks[place] ?? [] }]),
  );
  const { out } = await runCli(["dump", "--all"], { env: { NATS_URL: server.url } });
  const options = { createNew: true };
  await Deno.writeTextFile(new URL(`${name}.jsonl`, import.meta.url), out, options);
  const text = JSON.stringify(stores, null, 2) + "\n";
  await Deno.writeTextFile(new URL(`${name}.stores.json`, import.meta.url), text, options);
}

for (const [name, steps] of scenarios) {
  try {
    await Deno.stat(new URL(`${name}.jsonl`, import.meta.url));
    console.log(`${name}: kept as it is`);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    await write(name, steps);
    console.log(`${name}: written`);
  }
}
