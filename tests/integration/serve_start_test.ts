/** How `serve` starts: what it waits for, what it says in one line, and the names that it is given. */
import { assertEquals } from "@std/assert";
import { findPrivateServer } from "../../src/private_server/private_server.ts";
import { readServerRecord } from "../../src/private_server/server_record.ts";
import { type DataFolder, makeDataFolder } from "../helpers/data_folder.ts";
import { Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput } from "../helpers/session_log.ts";
import { streamNames } from "../helpers/streams.ts";
import { startTestServer, type TestServerOptions } from "../helpers/test_server.ts";
import { startWorker } from "../helpers/worker_in_process.ts";
import { within } from "../helpers/within.ts";
import { launchWorker, spawnWorker } from "../helpers/worker_process.ts";

const plain = "accounts { PLAIN { users: [{ user: u, password: p }] } }, no_auth_user: u";

const refusals: readonly [name: string, server: TestServerOptions, says: string][] = [
  [
    "a server without JetStream",
    { hasJetStream: false },
    "Cannot look for stream TASKS: no JetStream answers: is JetStream on, and may this login use it?",
  ],
  [
    "an account without JetStream",
    { extraConfig: plain },
    "Cannot look for stream TASKS: JetStream not enabled for account: is JetStream on, and may this login use it?",
  ],
  [
    "a server that takes small messages only",
    { extraConfig: "max_payload: 64KB" },
    "Cannot use stream TASKS: the server's max_payload must be at least 1048576: got 65536",
  ],
  [
    "a server that asks for another password",
    { extraConfig: "authorization { user: u, password: right }" },
    "Cannot connect to NATS at nats://…: 'Authorization Violation'",
  ],
];

for (const [name, options, says] of refusals) {
  Deno.test(`serve at ${name} says so in one line and ends with 1`, async () => {
    await using server = await startTestServer(options);
    await using worker = launchWorker(server, { TASUKI_NATS_USER: "u", TASUKI_NATS_PASSWORD: "p" });
    const { code, stderr } = await worker.ended;

    assertEquals([code, stderr.map((line) => line.replace(/127\.0\.0\.1:\d+/, "…"))], [1, [says]]);
  });
}

Deno.test("serve waits for a server that is not there, says so, and starts when it comes", async () => {
  await using server = await startTestServer();
  await server.kill();
  await using worker = launchWorker(server);
  await worker.log.logged("waiting for NATS");
  await server.start();
  await worker.ready;
  await using pod = await Pod.join(server);

  assertEquals((await pod.call("TaskCreate", { subject: "a" })).body.changes[0].taskid, 1);
  assertEquals((await worker.stop()).code, 0);
});

Deno.test("two prefixes on one server are two worlds, each with names of its own", async () => {
  await using server = await startTestServer();
  const names = (prefix: string, stream: string) => ({ prefix, stream, bucket: `${stream}_SAVED` });
  await using one = await startWorker(server, names("one", "FIRST"));
  await using other = await startWorker(server, names("deep.other", "SECOND"));
  await using pod = await Pod.join(server, { id: "p", prefix: "one" });
  await using namesake = await Pod.join(server, { id: "p", prefix: "deep.other" });
  await pod.call("TaskCreate", { subject: "a" });
  await pod.call("TaskCreate", { subject: "b" });
  await namesake.call("TaskCreate", { subject: "c" });

  assertEquals((await pod.tasks()).map(({ subject }) => subject), ["a", "b"]);
  assertEquals((await namesake.read("TaskList")).structuredContent.tasks.length, 1);
  assertEquals((await namesake.tasks()).map(({ taskid, subject }) => `${taskid} ${subject}`), ["1 c"]);
  assertEquals(await streamNames(server), ["FIRST", "SECOND"]);
  assertEquals([...one.log.complaints, ...other.log.complaints], []);
  await everyInputHasOneOutput(server, { stream: "FIRST" });
});

Deno.test("workers that find an empty server at the same moment make one stream, and one of them leads", async () => {
  await using server = await startTestServer();
  const workers = await Promise.all([1, 2, 3].map(() => startWorker(server)));
  try {
    await using pod = await Pod.join(server);
    await pod.call("TaskCreate", { subject: "a" });
    assertEquals(await streamNames(server), ["TASKS"]);
    assertEquals(workers.flatMap(({ log }) => log.of("leading")).length, 1);
    assertEquals(workers.flatMap(({ log }) => log.complaints), []);
    await everyInputHasOneOutput(server);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
});

/** A worker that has started a server of its own. */
async function serveHere(folder: DataFolder) {
  const worker = await spawnWorker({ url: "" }, { TASUKI_DATA: folder.path });
  return { worker, url: await findPrivateServer(folder.path) ?? "" };
}

async function killPrivateServer(folder: DataFolder): Promise<void> {
  const pid = (await readServerRecord(folder.path))?.pid;
  if (!pid) throw new Error("there is no server to kill");
  Deno.kill(pid, "SIGKILL");
}

Deno.test("a private server that is killed is started again: calls are answered, and nothing of the lists is lost", async () => {
  await using folder = await makeDataFolder();
  const { worker, url } = await serveHere(folder);
  await using _worker = worker;
  await using pod = await Pod.join({ url });
  await pod.call("TaskCreate", { subject: "a" });
  await killPrivateServer(folder);
  await worker.log.logged(`nats-server at ${url} was started again`);

  await pod.call("TaskCreate", { subject: "b" });
  assertEquals((await pod.tasks()).map(({ taskid, subject }) => [taskid, subject]), [[1, "a"], [2, "b"]]);
  await everyInputHasOneOutput({ url });
});

Deno.test("a private server that dies again and again ends the worker with one sentence", async () => {
  await using folder = await makeDataFolder();
  const { worker, url } = await serveHere(folder);
  await using _worker = worker;
  for (let restarts = 0; restarts < 4; restarts++) {
    await killPrivateServer(folder);
    await worker.log.logged(`nats-server at ${url} was started again`, restarts);
  }
  await killPrivateServer(folder);
  const { code, stderr } = await within(worker.ended, "the worker's end");

  assertEquals({ code, stderr }, {
    code: 1,
    stderr: [
      `Cannot keep nats-server running: it must stay up, see "${folder.path}/nats-server.log": ` +
      "it ended 5 times within 60 s",
    ],
  });
  assertEquals(worker.log.all.filter(({ msg }) => msg.startsWith("Stopped nats-server")), []);
});
