/** What the commands show of a log whose beginning only the checkpoint has. */
import { assertEquals, assertMatch } from "@std/assert";
import { Pod } from "../helpers/pod.ts";
import { type CliEnd, runCli, startCli } from "../helpers/run_cli.ts";
import { withConnection } from "../helpers/session_log.ts";
import { makeTempFolder } from "../helpers/temp_folder.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { patiently, within } from "../helpers/within.ts";
import { startWorker, type TestWorker } from "../helpers/worker_in_process.ts";

const settings = { checkpointInputs: 8, checkpointEveryMs: 3_600_000, keepMessages: 2 };

/** Two tasks of which the second waits for the first; gives the seq behind which nothing of them is in the log. */
async function fill(pod: Pod): Promise<number> {
  await pod.call("TaskCreate", { tasks: [{ subject: "schema" }, { subject: "tests", blockedBy: ["$1"] }] });
  await pod.call("TaskClaim", { taskid: 1, owner: "al" });
  const seq = await pod.sendCall("TaskList");
  await pod.answer(seq);
  return seq;
}

/** Calls until the log begins behind this seq. */
async function shortenPast(seq: number, worker: TestWorker, pod: Pod): Promise<void> {
  const firstSeqs = () =>
    worker.log.of("the log was shortened").map(({ fields }) => Number(fields.first_seq));
  const calling = async (): Promise<void> => {
    while (!firstSeqs().some((firstSeq) => firstSeq > seq)) await pod.call("TaskList");
  };
  await within(calling(), () => `a log that begins behind ${seq}: got ${firstSeqs()}`);
}

Deno.test("commands show every list of a log that was shortened, and what happens to it", async () => {
  await using server = await startTestServer();
  await using worker = await startWorker(server, settings);
  await using pod = await Pod.join(server, { id: "p" });
  await using quiet = await Pod.join(server, { id: "quiet" });
  await using folder = await makeTempFolder();
  await using mirrored = await makeTempFolder();
  const env = { NATS_URL: server.url };
  await fill(quiet);
  await shortenPast(await fill(pod), worker, pod);

  await using watching = startCli(["watch", "p"], { env });
  await using mirroring = startCli(["export", "p", mirrored.path, "--mirror"], { env });
  await watching.printed("p: 2 tasks, 1 pending, 1 inprogress\n");
  await mirroring.printed("Wrote 2 file(s)");
  await pod.call("TaskComplete", { taskid: 1 }, { agent: "al" });
  await watching.printed("task 1 inprogress → completed");
  await mirroring.printed(`Wrote 2 file(s) to ${mirrored.path}\nWrote `);

  const run = (...args: readonly string[]): Promise<CliEnd> => runCli(args, { env });
  const [pods, graph, exported, once, all, verified] = await Promise.all([
    run("pods", "--json"),
    run("graph", "p"),
    run("export", "p", folder.path),
    run("watch", "quiet", "--once"),
    run("watch", "--once"),
    run("verify"),
  ]);
  for (const { code, err } of [pods, graph, exported, once, all, verified]) {
    assertEquals([code, err], [0, ""]);
  }
  const counts = { pending: 1, inprogress: 0, completed: 0, deleted: 0 };
  assertEquals(
    JSON.parse(pods.out).pods.map(({ last_change: _, ...rest }: { last_change: string }) => rest),
    [
      { pod: "p", tasks: 2, counts: { ...counts, completed: 1 }, unanswered: 0 },
      { pod: "quiet", tasks: 2, counts: { ...counts, inprogress: 1 }, unanswered: 0 },
    ],
  );
  assertEquals(graph.out.split("\n").slice(1), ["✓ 1 schema", "└─ ◦ 2 tests  ready", ""]);
  assertEquals(await folder.names(), [".highwatermark", "task_1.json", "task_2.json"]);
  assertEquals(await mirrored.names(), await folder.names());
  assertEquals((await mirrored.json("task_1.json")).status, "completed");
  assertMatch(once.out, /^quiet: 2 tasks, 1 pending, 1 inprogress\n.* ▸ 1 .*schema.* 2 .*tests/s);
  assertMatch(all.out, /^p: 2 tasks.*\nquiet: 2 tasks/s);
  assertMatch(
    verified.out,
    /^\d+ inputs of \d pods verified, 0 differences, 0 unanswered, from seq \d+ on\n$/,
  );
});

for (const place of ["at the beginning", "in the middle"]) {
  Deno.test(`commands show every list where a pod is erased ${place} of the log, and miss nothing`, async () => {
    await using server = await startTestServer();
    await using _worker = await startWorker(server, { checkpointEveryMs: 100 });
    await using erased = await Pod.join(server, { id: "erased" });
    await using pod = await Pod.join(server, { id: "p" });
    const env = { NATS_URL: server.url };
    for (const one of place === "at the beginning" ? [erased, pod] : [pod, erased]) await fill(one);
    assertEquals((await runCli(["purge", "erased"], { env })).code, 0);
    const [pods, verified] = await Promise.all([runCli(["pods"], { env }), runCli(["verify"], { env })]);
    assertMatch(pods.out, /\nerased +0 .*\np +2 /);
    assertMatch(verified.out, /, 0 differences, 0 unanswered, from seq \d+ on\n$/);
    assertEquals([pods.err, verified.err], ["", ""]);
  });
}

Deno.test("commands say what they do not see where there is no checkpoint, and make none", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server, { id: "p" });
  {
    await using worker = await startWorker(server, settings);
    await shortenPast(await fill(pod), worker, pod);
  }
  await withConnection(server, async (nc) => {
    const { streams } = await nc.jetstreamManager(patiently);
    await streams.delete("KV_TASKS_CHECKPOINT");
    const { code, out, err } = await runCli(["watch", "p", "--once"], { env: { NATS_URL: server.url } });
    assertEquals([code, out], [0, "p: 0 tasks\n"]);
    assertMatch(
      err,
      /^The log begins at seq \d+: what was before it is not seen here \(there is no checkpoint\)\n$/,
    );
    assertEquals((await streams.list().next()).map(({ config }) => config.name), ["TASKS"]);
  });
});
