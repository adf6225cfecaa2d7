/** What one pod sends, however bad, costs the others little. */
import { assertEquals } from "@std/assert";
import { Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput, untilAnswered } from "../helpers/session_log.ts";
import { startTestServer, type TestServer } from "../helpers/test_server.ts";
import { spawnWorker } from "../helpers/worker_process.ts";

/** How long each of some calls of a pod takes, one after the other, in milliseconds. */
async function delaysOf(pod: Pod, calls: number): Promise<readonly number[]> {
  const delays: number[] = [];
  for (let n = 0; n < calls; n++) {
    const startedMs = performance.now();
    await pod.call("TaskCreate", { subject: `${n}` });
    delays.push(performance.now() - startedMs);
  }
  return delays;
}

/**
 * One pod sends all of it at once; another calls meanwhile.
 *
 * @returns how long the other's calls took, and all of the flood, in milliseconds
 */
async function flood(server: TestServer, rest: string, inputs: readonly string[]) {
  await using worker = await spawnWorker(server);
  await worker.log.logged("leading");
  await using flooding = await Pod.join(server);
  await using other = await Pod.join(server);
  const startedMs = performance.now();
  const seqs = await Promise.all(inputs.map((input) => flooding.send(rest, input)));
  const delays = await delaysOf(other, 20);
  await untilAnswered(server, seqs);
  const floodMs = performance.now() - startedMs;
  assertEquals(worker.log.of("no longer leading"), []);
  await everyInputHasOneOutput(server);
  return { delays: delays.toSorted((a, b) => a - b), floodMs };
}

/** A history whose calls each cost something. */
function dearRestore(id: number): string {
  const call = (index: number, name: string, args: unknown) => ({
    type: "tool_call",
    call_id: `c${index}`,
    name,
    arguments: args,
  });
  const creates = Array.from(
    { length: 20 },
    (_, n) => call(n, "TaskCreate", { tasks: Array.from({ length: 100 }, () => ({ subject: "a" })) }),
  );
  const updates = Array.from(
    { length: 3_000 },
    (_, n) => call(n, "TaskUpdate", { taskid: 1 + n % 2_000, subject: `b${n}` }),
  );
  return JSON.stringify({ restore_id: `r${id}`, mode: "replace", entries: [...creates, ...updates] });
}

Deno.test("a flood of inputs that take long delays others by about one of them, and costs the leader no lease", async () => {
  await using server = await startTestServer();
  const inputs = Array.from({ length: 12 }, (_, id) => dearRestore(id));
  const { delays, floodMs } = await flood(server, "session.restore", inputs);
  const median = delays[10] ?? Infinity;
  const longest = delays.at(-1) ?? Infinity;
  assertEquals(
    [longest < floodMs / 2, median < floodMs / 10],
    [true, true],
    `${delays.map(Math.round)} of ${floodMs}`,
  );
});

Deno.test("a flood of cheap inputs delays others by little", async () => {
  await using server = await startTestServer();
  const inputs = Array.from(
    { length: 5_000 },
    (_, n) => JSON.stringify({ call_id: `c${n}`, arguments: { subject: "a".repeat(100) } }),
  );
  const { delays, floodMs } = await flood(server, "call.TaskCreate", inputs);
  const median = delays[10] ?? Infinity;
  assertEquals(median < floodMs / 4, true, `${delays.map(Math.round)} of ${floodMs}`);
});
