/** What one pod sends, however dear to decide, costs the others little. */
import { assertEquals } from "@std/assert";
import { Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput, readLog, type Recorded, untilAnswered } from "../helpers/session_log.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { spawnWorker } from "../helpers/worker_process.ts";

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

/** How many answers to `pod` the log has between an input of another pod and its answer. */
function delayOf(log: readonly Recorded[], inputSeq: number, pod: string): number {
  const answer = log.find(({ headers }) => headers["Tasuki-Input"] === String(inputSeq));
  return log.filter(({ pod: id, direction, seq }) =>
    id === pod && direction === "out" && seq > inputSeq && seq < (answer?.seq ?? Infinity)
  ).length;
}

Deno.test("a flood of inputs that take long delays others by about one of them, and costs the leader no lease", async () => {
  await using server = await startTestServer();
  // The pods stay in memory in every tier: this is about turns, not about loading.
  await using worker = await spawnWorker(server, { TASUKI_PODS_IN_MEMORY_MAX: "10" });
  await worker.log.logged("leading");
  await using flooding = await Pod.join(server);
  await using other = await Pod.join(server);
  const restores = Array.from({ length: 12 }, (_, id) => dearRestore(id));
  const seqs = await Promise.all(restores.map((input) => flooding.send("session.restore", input)));
  const called: number[] = [];
  for (let n = 0; n < 20; n++) {
    const { body } = await other.call("TaskCreate", { subject: `${n}` });
    called.push(body.input_seq);
  }
  await untilAnswered(server, seqs);

  const log = await readLog(server);
  const delays = called.map((seq) => delayOf(log, seq, flooding.id)).toSorted((a, b) => a - b);
  assertEquals([(delays[10] ?? Infinity) <= 1, (delays.at(-1) ?? Infinity) <= 3], [true, true], `${delays}`);
  assertEquals(worker.log.of("no longer leading"), []);
  await everyInputHasOneOutput(server);
});
