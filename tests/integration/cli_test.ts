import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeDataFolder } from "../helpers/data_folder.ts";
import { startFileServer } from "../helpers/file_server.ts";
import { Pod } from "../helpers/pod.ts";
import { type CliEnd, type CliOptions, runCli, startCli } from "../helpers/run_cli.ts";
import { withConnection } from "../helpers/session_log.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { spawnWorker } from "../helpers/worker_process.ts";
import { patiently, within } from "../helpers/within.ts";

const server = await startFileServer();
const env = { NATS_URL: server.url };

/** A command against the file's server. */
function tasuki(args: readonly string[], options: CliOptions = {}): Promise<CliEnd> {
  return runCli(args, { ...options, env: { ...env, ...options.env } });
}

function freshPod(): string {
  return `cli-${crypto.randomUUID().slice(0, 8)}`;
}

async function create(pod: string, subject: string): Promise<void> {
  const { code, err } = await tasuki(["call", pod, "TaskCreate", JSON.stringify({ subject })]);
  if (code !== 0) throw new Error(`Cannot create a task: ${err}`);
}

/** What call may say before its answer comes: on a busy machine that takes a while. */
const waits = /^(Waiting for a worker to answer what is in the log at seq \d+\n)?$/;

/** One line that is no stack trace. */
function assertOneLine(text: string, expected: RegExp): void {
  assertMatch(text, /^[^\n]+\n$/);
  assertMatch(text.trimEnd(), expected);
}

Deno.test("call prints an answer, and fails where it is a refusal", async () => {
  await using worker = await spawnWorker(server);
  await worker.log.logged("leading");
  const pod = freshPod();
  const created = await tasuki(["call", pod, "TaskCreate", '{"subject":"parse"}', "--agent", "al"]);
  assertEquals(created.code, 0);
  assertMatch(created.err, waits);
  assertMatch(created.out, /^Created task 1 \(pending\): parse\n/);
  const read = await tasuki(["call", pod, "TaskGet", "-", "--json"], { input: '{"taskid":1}' });
  assertEquals(JSON.parse(read.out).result.structuredContent.task.subject, "parse");
  const refused = await tasuki(["call", pod, "TaskGet", '{"taskid":2}']);
  assertEquals(refused.code, 1);
  assertMatch(refused.err, waits);
  assertMatch(refused.out, /^Refused \(task_not_found\)/);
});

Deno.test("call without a worker says where the call lies, and a worker answers it later", async () => {
  {
    await using _worker = await spawnWorker(server);
  }
  const pod = freshPod();
  const { code, out, err } = await tasuki([
    "call",
    pod,
    "TaskCreate",
    '{"subject":"x"}',
    "--timeout-ms",
    "200",
  ]);
  assertEquals([code, out], [1, ""]);
  assertOneLine(err, /^No answer in time: the call is in the log at seq \d+ and will be answered/);
  const unanswered = await tasuki(["watch", pod, "--once"]);
  assertEquals(unanswered.out, `${pod}: 0 tasks\n1 call waits for a worker's answer\n`);
  await using _worker = await spawnWorker(server);
  await using reader = await Pod.join(server, { id: pod });
  assertEquals((await reader.tasks()).map(({ subject }) => subject), ["x"]);
});

Deno.test("what cannot be run ends with 2, what fails with 1, each with one line", async () => {
  const wrong: readonly [args: readonly string[], env: Readonly<Record<string, string>>, line: RegExp][] = [
    [["wach"], {}, /^Cannot run "wach": .*did you mean watch\?$/],
    [["call"], {}, /^Cannot run call: it takes/],
    [["call", "a.b", "TaskList"], {}, /^Cannot name a pod/],
    [["pods", "--nope"], {}, /^Cannot start: pods has no option --nope/],
    [
      ["pods"],
      { TASUKI_REPLICAS: "2" },
      /^Cannot start: replicas must be /,
    ],
  ];
  for (const [args, more, line] of wrong) {
    const { code, out, err } = await tasuki(args, { env: more });
    assertEquals([code, out], [2, ""], err);
    assertOneLine(err, line);
  }
  const unreachable = await tasuki(["pods"], { env: { NATS_URL: "nats://127.0.0.1:1" } });
  assertEquals(unreachable.code, 1);
  assertOneLine(unreachable.err, /^Cannot connect to NATS at nats:\/\/127\.0\.0\.1:1: /);
});

Deno.test("help and version are printed, and nothing else happens", async () => {
  const help = await tasuki(["--help"]);
  assertEquals([help.code, help.err], [0, ""]);
  assertStringIncludes(help.out, "Usage: tasuki [command] [options]");
  assertStringIncludes((await tasuki(["replay", "--help"])).out, "Usage: tasuki replay <file> [options]");
  const { version } = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
  assertEquals((await tasuki(["--version"])).out, `${version}\n`);
});

Deno.test("without an address a command finds the private server of its folder, or says that none runs", async () => {
  await using folder = await makeDataFolder();
  const here = { env: { TASUKI_DATA: folder.path } };
  const none = await runCli(["pods"], here);
  assertEquals(none.code, 1);
  assertOneLine(
    none.err,
    /^No server is running for \/.*: start one with `deno task start`, or set NATS_URL$/,
  );
  await using serving = startCli(["serve"], here);
  const leads = async (): Promise<void> => {
    while (!serving.err.includes('"leading"')) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await within(leads(), () => `a worker that leads: got ${serving.err}`);
  assertMatch(serving.err, /"msg":"Started nats-server at nats:\/\/127\.0\.0\.1:\d+ /);
  assertEquals((await runCli(["call", "p", "TaskCreate", '{"subject":"x"}'], here)).code, 0);
  assertMatch((await runCli(["pods"], here)).out, /\np +1 /);
  serving.signal("SIGTERM");
  assertEquals((await serving.ended).code, 0);
});

Deno.test("a command says where the server of its folder has died", async () => {
  await using folder = await makeDataFolder();
  await Deno.mkdir(folder.path, { recursive: true });
  const record = JSON.stringify({ name: "tasuki-dead", port: 1, pid: 2 ** 30 });
  await Deno.writeTextFile(`${folder.path}/server.json`, record);
  const { code, err } = await runCli(["pods"], { env: { TASUKI_DATA: folder.path } });
  assertEquals(code, 1);
  assertOneLine(
    err,
    /^The nats-server of \/.* does not answer, it may have died: start it again with `deno task start`/,
  );
});

Deno.test("a command does not make the stream, and says that it is missing", async () => {
  await using empty = await startTestServer();
  const { code, err } = await runCli(["pods"], { env: { NATS_URL: empty.url } });
  assertEquals(code, 1);
  assertOneLine(err, /^Cannot find stream TASKS at nats:.*: the first worker that starts there makes it$/);
  await withConnection(empty, async (nc) => {
    const streams = await (await nc.jetstreamManager(patiently)).streams.list().next();
    assertEquals(streams.map(({ config }) => config.name), []);
  });
});

Deno.test("a stream of another prefix is refused by commands and worker, and the cure is named", async () => {
  {
    await using worker = await spawnWorker(server);
    await worker.log.logged("leading");
  }
  const captured = "got tasks\\.\\*\\.in\\.>, tasks\\.\\*\\.out\\.>";
  const foreign = new RegExp(
    `^Cannot use stream TASKS: subjects must capture other\\.\\*\\.in\\.>: ${captured}; ` +
      `subjects must capture other\\.\\*\\.out\\.>: ${captured}; ` +
      "it is of another prefix: name another stream \\(TASUKI_STREAM\\)$",
  );
  for (const command of ["pods", "serve"]) {
    const { code, err } = await tasuki([command, "--prefix", "other", "--http", "off"]);
    assertEquals(code, 1);
    assertMatch(err.trimEnd().split("\n").at(-1) ?? "", foreign);
  }
  const overlap = await tasuki(["serve", "--stream", "OTHER", "--http", "off"]);
  assertEquals(overlap.code, 1);
  assertMatch(
    overlap.err,
    /Cannot make stream OTHER: subjects overlap with an existing stream: choose another prefix \(TASUKI_PREFIX\), or name that stream \(TASUKI_STREAM\)\n$/,
  );
});

Deno.test("watch, piped, prints the list and then each change, and ends with 0 when it is told to", async () => {
  await using _worker = await spawnWorker(server);
  const pod = freshPod();
  await create(pod, "parse");
  await using watching = startCli(["watch", pod], { env });
  await watching.printed(" ◦ 1");
  await using all = startCli(["watch"], { env });
  await using caller = await Pod.join(server, { id: pod });
  await caller.call("TaskUpdate", { taskid: 1, status: "inprogress" });
  await watching.printed("inprogress: parse\n");
  watching.signal("SIGINT");
  const { code, out, err } = await watching.ended;
  assertEquals([code, err], [0, ""]);
  const [head, , task, change] = out.split("\n");
  assertEquals(head, `${pod}: 1 task, 1 pending`);
  assertMatch(task ?? "", /^ ◦ 1 +\d+s +\d+s {2}parse$/);
  assertMatch(change ?? "", /^\d\d:\d\d:\d\d task 1 pending → inprogress: parse$/);
  // When it has caught up nobody can see from outside.
  const hears = async (): Promise<void> => {
    while (!all.out.includes("created")) await caller.call("TaskCreate", { subject: "more" });
  };
  await within(hears(), () => `a change: got ${JSON.stringify(all)}`);
  assertMatch(all.out, new RegExp(`^\\d\\d:\\d\\d:\\d\\d ${pod} task \\d+ `));
});

Deno.test("watch goes on when the server was away", async () => {
  await using own = await startTestServer();
  await using _worker = await spawnWorker(own);
  await using watching = startCli(["watch", "p"], { env: { NATS_URL: own.url } });
  await watching.printed("p: 0 tasks");
  await own.kill();
  await own.start();
  await using caller = await Pod.join(own, { id: "p" });
  await caller.call("TaskCreate", { subject: "after" });
  await watching.printed("task 1 created: after");
  watching.signal("SIGTERM");
  const { code, err } = await watching.ended;
  assertEquals(code, 0);
  // More than once where the server is back before its stream answers, never where it is back before it is missed.
  assertMatch(err, /^There is no pod p yet: waiting for it\n(Interrupted: [^\n]+\n|Connected again\n)*$/);
});

Deno.test("dump and replay give the same list, and replay --into restores it", async () => {
  await using _worker = await spawnWorker(server);
  const [pod, other] = [freshPod(), freshPod()];
  await using caller = await Pod.join(server, { id: pod });
  await caller.call("TaskCreate", { subject: "日本 \x1b[2J", description: "x" });
  await caller.call("TaskCreate", { subject: "b" });
  await caller.call("TaskUpdate", { taskid: 1, status: "deleted" });
  await caller.input("call.TaskList", new Uint8Array([0xff]));
  await caller.compact("k1");
  const dumped = await tasuki(["dump", pod]);
  assertEquals(dumped.out.trimEnd().split("\n").length, 12);
  const replayed = await tasuki(["replay", "-", "--json", "--into", other], { input: dumped.out });
  assertEquals(replayed.code, 0, replayed.err);
  assertEquals(JSON.parse(replayed.out).tasks, await caller.tasks());
  await using moved = await Pod.join(server, { id: other });
  assertEquals(await moved.tasks(), await caller.tasks());
  const again = await tasuki(["replay", "-", "--into", other], { input: dumped.out });
  assertEquals([again.code, again.out], [1, ""]);
  assertMatch(
    again.err,
    /\nCannot restore into pod [\w-]+: a restore goes into an empty store.*: use --mode replace to replace its list\n$/,
  );
});

Deno.test("replay of a transcript is the list of its session", async () => {
  const line = (content: unknown, type: string, uuid: string) =>
    JSON.stringify({ type, uuid, sessionId: "s", message: { role: type, content } });
  const transcript = [
    JSON.stringify({ type: "summary", summary: "x", leafUuid: "u" }),
    line([{ type: "tool_use", id: "t1", name: "TaskCreate", input: { subject: "parse" } }], "assistant", "1"),
    line(
      [{ type: "tool_result", tool_use_id: "t1", content: "Task #4 created successfully: parse" }],
      "user",
      "2",
    ),
    '{"type":"assis',
  ].join("\n");
  const { code, out, err } = await tasuki(["replay", "-"], { input: transcript });
  assertEquals(code, 0);
  assertStringIncludes(out, '{"taskid":4,"status":"pending","subject":"parse","description":""}');
  assertMatch(
    err,
    /^Read 4 line\(s\) as a Claude Code transcript\nLeft out line 4: it is not JSON\n1 call\(s\) /,
  );
});

Deno.test("verify finds nothing in a real log, and finds an output that was doctored", async () => {
  await using own = await startTestServer();
  const here = { env: { NATS_URL: own.url } };
  {
    await using worker = await spawnWorker(own);
    await using caller = await Pod.join(own, { id: "p" });
    await caller.call("TaskCreate", { subject: "a" }, { callId: "same" });
    await caller.call("TaskCreate", { subject: "a" }, { callId: "same" });
    await caller.call("TaskGet", { taskid: 9 });
    await caller.input("call.TaskList", "no json");
    await caller.restore("r", [], "replace");
    await caller.compact("k");
    await worker.stop();
  }
  const good = await runCli(["verify"], here);
  assertEquals(good, { code: 0, out: "7 inputs of 1 pods verified, 0 differences, 0 unanswered\n", err: "" });

  await using caller = await Pod.join(own, { id: "q" });
  const inputSeq = await caller.sendCall("TaskCreate", { subject: "a" });
  const changes = [{ taskid: 1, status: "completed", subject: "a", description: "" }];
  const forged = JSON.stringify({ v: 1, rules: 1, call_id: "call-1", changes });
  await caller.publish("tasks.q.out.result", forged, { "Tasuki-Input": String(inputSeq) });
  const bad = await runCli(["verify"], here);
  assertEquals([bad.code, bad.err], [1, ""]);
  const [first, second, summary] = bad.out.split("\n");
  assertMatch(
    first ?? "",
    new RegExp(`^pod q, input ${inputSeq}: changes recorded as .*"completed".*, decided now .*"pending"`),
  );
  assertEquals(second, "pod q: the store of the records differs in the end from the one decided now: task 1");
  assertEquals(summary, "8 inputs of 2 pods verified, 2 differences, 0 unanswered");
});

Deno.test("a reader that goes away early ends a command quietly", async () => {
  await using _worker = await spawnWorker(server);
  const pod = freshPod();
  await using caller = await Pod.join(server, { id: pod });
  for (let count = 0; count < 100; count++) await caller.call("TaskCreate", { subject: "x".repeat(400) });
  const { code, err } = await tasuki(["dump", "--all"], { stopsReading: true });
  assertEquals([code, err], [0, ""]);
});

Deno.test("tools prints definitions without any server", async () => {
  const { code, out } = await runCli(["tools", "--for", "anthropic"], {
    env: { NATS_URL: "nats://127.0.0.1:1" },
  });
  assertEquals([code, JSON.parse(out).length], [0, 4]);
});
