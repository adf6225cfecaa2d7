/** The permissions that `acl` prints, on a real server: each role can do its work, and nothing else. */
import { assertEquals, assertRejects } from "@std/assert";
import { connect, ErrorCode, headers, type NatsConnection, NatsError } from "nats";
import type { Config } from "../../src/config/settings.ts";
import { OperatorError } from "../../src/errors.ts";
import { Subjects } from "../../src/log/subjects.ts";
import { openLog } from "../../src/nats/open_log.ts";
import { openRemote } from "../../src/nats/remote.ts";
import { readToEnd } from "../../src/worker/read_to_end.ts";
import {
  deniedTo,
  type GuardedUser,
  loginOf,
  namesOf,
  permissionsOf,
  startGuardedServer,
} from "../helpers/guarded_server.ts";
import { roles } from "../../src/acl/roles.ts";
import { LogLines } from "../helpers/log_lines.ts";
import { type Json, Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput, readLog, withConnection } from "../helpers/session_log.ts";
import { startTestServer, type TestServer } from "../helpers/test_server.ts";
import { awaitedLater, patiently, within } from "../helpers/within.ts";
import { beginWorker, startWorker, testConfig } from "../helpers/worker_in_process.ts";

const worker: GuardedUser = { name: "worker", role: "worker" };
const administrator: GuardedUser = { name: "administrator", role: "administrator" };
const own: GuardedUser = { name: "own", role: "pod", pod: "own" };
const other: GuardedUser = { name: "other", role: "pod", pod: "other" };
const alice: GuardedUser = { name: "alice", role: "agent", pod: "board" };
const harness: GuardedUser = { name: "harness", role: "harness" };
const compactWorker: GuardedUser = { name: "compact", role: "compact-worker", pod: "own" };
const dashboard: GuardedUser = { name: "dashboard", role: "dashboard" };

const users = [worker, administrator, own, other, alice, harness, compactWorker, dashboard];
const subjects = new Subjects("tasks");
const readWaitMs = 3_000;
const retryPauseMs = 50;

/** A worker, and everything else that logs in from `src`, is configured so. */
function as({ name }: GuardedUser, { url }: TestServer): Pick<Config, "nats"> {
  return { nats: { servers: [url], user: name, password: name } };
}

function portsOf(user: GuardedUser, server: TestServer) {
  const config = testConfig([], as(user, server));
  return { config, subjects, logger: new LogLines(), name: "tasuki-test", waitForServer: false };
}

async function makeStreamAndBucket(server: TestServer): Promise<void> {
  await using _made = await openLog(portsOf(administrator, server));
}

async function startServer(): Promise<TestServer> {
  const server = await startGuardedServer(users);
  await makeStreamAndBucket(server);
  return server;
}

function join(server: TestServer, user: GuardedUser): Promise<Pod> {
  return Pod.join(server, { ...(user.pod === undefined ? {} : { id: user.pod }), login: loginOf(user) });
}

async function withLogin(server: TestServer, user: GuardedUser, use: (nc: NatsConnection) => Promise<void>) {
  const nc = await connect({ servers: server.url, ...loginOf(user) });
  try {
    await use(nc);
  } finally {
    await nc.close();
  }
}

const unanswered: readonly string[] = [ErrorCode.NoResponders, ErrorCode.Timeout];

/** A request on the reading lane, made again while nobody serves it: of a worker whose lease lapses none comes. */
async function readOn(nc: NatsConnection, subject: string, args: Json = {}): Promise<Json> {
  const data = JSON.stringify({ arguments: args });
  const requesting = async (): Promise<Json> => {
    for (;;) {
      try {
        return (await nc.request(subject, data, { timeout: readWaitMs })).json();
      } catch (error) {
        if (!(error instanceof NatsError) || !unanswered.includes(error.code)) throw error;
        await new Promise((resolve) => setTimeout(resolve, retryPauseMs));
      }
    }
  };
  return await within(requesting(), `answer to a read on ${subject}`);
}

/** Publishes to every subject and subscribes to every pattern; gives what the server denied. */
async function tryAll(
  server: TestServer,
  user: GuardedUser,
  { publish = [], subscribe = [] }: {
    readonly publish?: readonly string[];
    readonly subscribe?: readonly string[];
  },
): Promise<readonly string[]> {
  await withLogin(server, user, async (nc) => {
    for (const subject of publish) nc.publish(subject, "{}");
    for (const pattern of subscribe) nc.subscribe(pattern, { callback: () => {} });
    await nc.flush();
  });
  return await deniedTo(server, user);
}

/** What {@link tryAll} gives where nothing of it is allowed. */
function allOf(publish: readonly string[], subscribe: readonly string[] = []): readonly string[] {
  return [
    ...publish.map((subject) => `Publish ${subject}`),
    ...subscribe.map((pattern) => `Subscription ${pattern}`),
  ];
}

/** What of the log, the stream and the bucket nobody may touch, but those who work on them. */
const ofTheStream = [
  "$JS.API.INFO",
  "$JS.API.STREAM.INFO.TASKS",
  "$JS.API.STREAM.PURGE.TASKS",
  "$JS.API.STREAM.DELETE.TASKS",
  "$JS.API.STREAM.UPDATE.TASKS",
  "$JS.API.STREAM.MSG.GET.TASKS",
  "$JS.API.STREAM.MSG.DELETE.TASKS",
  "$JS.API.STREAM.CREATE.MINE",
  "$JS.API.CONSUMER.CREATE.TASKS",
  "$JS.API.STREAM.PURGE.KV_TASKS_CHECKPOINT",
  "$JS.API.DIRECT.GET.KV_TASKS_CHECKPOINT.$KV.TASKS_CHECKPOINT.covering",
  "$KV.TASKS_CHECKPOINT.lease",
  "$KV.TASKS_CHECKPOINT.covering",
  "$KV.TASKS_CHECKPOINT.pod.own",
  "_TASUKI_INBOX.x",
  "_INBOX.x",
  "$SYS.REQ.SERVER.PING",
];
const outputs = ["tasks.own.out.result", "tasks.other.out.event", "tasks._.out.rejected"];

/** Everything that a pod does, with its own lists; more than once is no matter. */
async function podWork(pod: Pod, round: string): Promise<void> {
  const first = await pod.call("TaskCreate", { subject: round }, { callId: round });
  const again = await pod.call("TaskCreate", { subject: round }, { callId: round });
  assertEquals([again.body.duplicate, again.body.result], [true, first.body.result]);
  const { injection } = await pod.compact(round);
  assertEquals(injection.body.items.length, 3);
  const exit = await pod.input("agent.exited", { event_id: `exit-${round}`, agent: "a" });
  assertEquals(exit.body.error, undefined);
  const inbox = `_INBOX.${pod.id}.copy`;
  const copy = await pod.replyOn(
    inbox,
    () => pod.sendCall("TaskList", {}, { headers: { "Tasuki-Reply": inbox } }),
  );
  const read = await pod.read("TaskList");
  assertEquals(read.structuredContent, copy.result.structuredContent);
}

async function whenSaved(server: TestServer, key: string): Promise<void> {
  await withConnection(server, async (nc) => {
    const kv = await nc.jetstream(patiently).views.kv("TASKS_CHECKPOINT");
    const isThere = async () => {
      while (await kv.get(key) === null) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await within(isThere(), `${key} in the bucket`);
  });
}

Deno.test("a worker starts, answers, checkpoints and restarts with exactly its list", async () => {
  await using server = await startServer();
  for (const [round, podsInMemoryMax] of [["first", 0], ["second", 0], ["third", 100]] as const) {
    await using _worker = await startWorker(server, {
      ...as(worker, server),
      checkpointInputs: 4,
      podsInMemoryMax,
    });
    await using _standby = await startWorker(server, as(worker, server));
    await using pod = await join(server, own);
    await podWork(pod, round);
    await whenSaved(server, "covering");
  }

  await everyInputHasOneOutput(server);
  assertEquals(await deniedTo(server, worker), []);
  assertEquals(await deniedTo(server, own), []);
});

Deno.test("a worker that shortens the log, and one that makes stream and bucket, need one subject more each", async () => {
  const names = { ...namesOf("worker"), isShortened: true, isMaker: true };
  const more = { ...worker, permissions: roles.worker.permissions(names) };
  await using server = await startGuardedServer([more, own]);
  const settings = { ...as(more, server), checkpointInputs: 1, keepMessages: 1 };
  await using working = await startWorker(server, settings);
  await using pod = await join(server, own);
  for (const subject of ["a", "b", "c"]) await pod.call("TaskCreate", { subject });
  await working.log.logged("the log was shortened");

  assertEquals(await deniedTo(server, more), []);
  const extra = more.permissions.publish.filter((subject) =>
    !permissionsOf("worker").publish.includes(subject)
  );
  assertEquals(extra, [
    "$JS.API.STREAM.PURGE.TASKS",
    "$JS.API.STREAM.CREATE.TASKS",
    "$JS.API.STREAM.CREATE.KV_TASKS_CHECKPOINT",
  ]);
});

Deno.test("a worker without stream and bucket says that its login may not make them", async () => {
  await using server = await startGuardedServer(users);
  await assertRejects(
    () => beginWorker(server, as(worker, server)),
    OperatorError,
    "Cannot make stream TASKS",
  );
});

const serversAtOnce = 6;

/** Whether the worker misses something: it is denied a request of its own work. */
async function missesSomething(lacking: GuardedUser): Promise<boolean> {
  await using server = await startGuardedServer([lacking, administrator, own]);
  await makeStreamAndBucket(server);
  await using pod = await join(server, own);
  const beginning = beginWorker(server, { ...as(lacking, server), checkpointInputs: 1 }).catch(() => null);
  const asking = (async () => {
    while ((await deniedTo(server, lacking)).length === 0) {
      await pod.sendCall("TaskList", {}, { headers: { "Tasuki-Reply": "_INBOX.own.copy" } });
      pod.nc.publish("tasks.own.read.TaskList", "", { reply: "_INBOX.own.read" });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  try {
    await within(asking, `denial to a worker that lacks something`);
    return true;
  } finally {
    await (await beginning)?.stop();
  }
}

Deno.test("nothing in the worker's list is idle", async (t) => {
  const { publish, subscribe } = permissionsOf("worker");
  const without = (list: readonly string[], subject: string) => list.filter((one) => one !== subject);
  const variants = [
    ...publish.map((subject) => [subject, { publish: without(publish, subject), subscribe }] as const),
    ...subscribe.map((subject) => [subject, { publish, subscribe: without(subscribe, subject) }] as const),
  ];
  while (variants.length > 0) {
    const findings = variants.splice(0, serversAtOnce).map(([subject, permissions]) => ({
      subject,
      found: awaitedLater(missesSomething({ ...worker, permissions })),
    }));
    for (const { subject, found } of findings) {
      await t.step(`without ${subject} it is denied something`, async () => assertEquals(await found, true));
    }
  }
});

Deno.test("a pod can do its own work, and nothing to others, the stream, the checkpoints", async () => {
  await using server = await startServer();
  await using _worker = await startWorker(server, as(worker, server));
  await using pod = await join(server, own);
  await podWork(pod, "first");
  await pod.restore("r", [{
    type: "tool_call",
    call_id: "c",
    name: "TaskCreate",
    arguments: { subject: "b" },
  }], "replace");
  await pod.input("session.closed", { event_id: "e" });
  assertEquals(await deniedTo(server, own), []);
  const before = await readLog(server);

  const publish = [
    "tasks.other.in.call.TaskCreate",
    "tasks.other.in.session.closed",
    "tasks.other.read.TaskList",
    "tasks.*.in.call.TaskCreate",
    "tasks.own.in",
    "tasks.own.in.foo",
    ...outputs,
    ...ofTheStream,
  ];
  const subscribe = [
    "tasks.other.out.>",
    "tasks.*.out.>",
    "tasks.own.in.>",
    ">",
    "_INBOX.>",
    "_INBOX.other.>",
  ];
  assertEquals(await tryAll(server, own, { publish, subscribe }), allOf(publish, subscribe));
  assertEquals(await readLog(server), before);
});

/** What the server itself would publish its acknowledgement to, where the reply of an input is followed blindly. */
const forgedReplies = [
  "tasks.other.in.session.closed",
  "tasks.other.in.call.TaskCreate",
  "tasks.own.out.result",
  "tasks.other.out.result",
  "$JS.API.STREAM.PURGE.TASKS",
  "$JS.API.STREAM.PURGE.KV_TASKS_CHECKPOINT",
  "$JS.API.STREAM.DELETE.TASKS",
  "$JS.API.STREAM.MSG.DELETE.TASKS",
  "$KV.TASKS_CHECKPOINT.lease",
  "$KV.TASKS_CHECKPOINT.covering",
  "$KV.TASKS_CHECKPOINT.pod.other",
  "_TASUKI_INBOX.x",
  "$SYS.REQ.SERVER.PING",
];

Deno.test("a forged reply subject reaches neither the stream, nor the checkpoints, nor another pod", async () => {
  await using server = await startServer();
  await using working = await startWorker(server, { ...as(worker, server), checkpointInputs: 1 });
  await using pod = await join(server, own);
  await using victim = await join(server, other);
  await victim.call("TaskCreate", { subject: "mine" });
  await whenSaved(server, "pod.other");
  const before = await readLog(server);
  const call = JSON.stringify({ call_id: "c", arguments: {} });
  for (const reply of forgedReplies) {
    pod.nc.publish("tasks.own.in.call.TaskList", call, { reply });
    pod.nc.publish("tasks.own.read.TaskList", "", { reply });
    await pod.call("TaskList", {}, { headers: { "Tasuki-Reply": reply } });
  }
  await pod.call("TaskList");
  await everyInputHasOneOutput(server);

  const after = await readLog(server);
  assertEquals(after.slice(0, before.length), before);
  const inputs = after.slice(before.length).filter(({ direction }) => direction === "in");
  assertEquals([...new Set(inputs.map(({ subject }) => subject))], ["tasks.own.in.call.TaskList"]);
  assertEquals(inputs.length, 2 * forgedReplies.length + 1);
  assertEquals((await victim.tasks()).map(({ subject }) => subject), ["mine"]);
  assertEquals(await deniedTo(server, worker), []);
  assertEquals(working.log.complaints, []);
});

/** What a publisher asks of the stream by a header, and gets only where the stream allows it. */
const forgedHeaders: readonly [name: string, value: string][] = [
  ["Nats-Rollup", "all"],
  ["Nats-Rollup", "sub"],
  ["Nats-TTL", "1s"],
  ["Nats-Incr", "+1"],
  ["Nats-Schedule", "@at 2000-01-01T00:00:00Z"],
  ["Nats-Schedule-Target", "tasks.other.in.session.closed"],
  ["Nats-Batch-Id", "b"],
  ["Nats-Expected-Last-Sequence", "0"],
  ["Nats-Marker-Reason", "Purge"],
  ["KV-Operation", "PURGE"],
];

Deno.test("no header of an input throws anything away, or publishes as somebody else", async () => {
  await using server = await startServer();
  await using _worker = await startWorker(server, as(worker, server));
  await using pod = await join(server, own);
  await pod.call("TaskCreate", { subject: "a" });
  const before = await readLog(server);
  for (const [name, value] of forgedHeaders) {
    const forged = headers();
    forged.set(name, value);
    pod.nc.publish("tasks.own.in.call.TaskList", JSON.stringify({ call_id: "c" }), { headers: forged });
  }
  await pod.call("TaskList");
  await everyInputHasOneOutput(server);

  const after = await readLog(server);
  assertEquals(after.slice(0, before.length), before);
  assertEquals([...new Set(after.map(({ pod }) => pod))], ["own"]);
});

Deno.test("a stream that would let a publisher throw the log away is not used", async () => {
  await using server = await startTestServer();
  await withConnection(server, async (nc) => {
    const manager = await nc.jetstreamManager(patiently);
    await manager.streams.add({ name: "TASKS", subjects: [...subjects.captured], allow_rollup_hdrs: true });
  });
  await assertRejects(() => beginWorker(server), OperatorError, "allow_rollup_hdrs must be off");
});

Deno.test("in the account of the stream itself, no answer of Tasuki follows a forged reply subject", async () => {
  await using server = await startServer();
  await using working = await startWorker(server, as(worker, server));
  await working.log.logged("leading");
  await withConnection(server, async (nc) => {
    const heard: string[] = [];
    for (const reply of forgedReplies) {
      nc.subscribe(reply, { callback: (_error, { subject }) => heard.push(subject) });
      nc.publish("tasks.own.read.TaskList", "", { reply });
    }
    await readOn(nc, "tasks.own.read.TaskList");
    assertEquals(heard, []);
  });
  assertEquals(await deniedTo(server, worker), []);
});

Deno.test("a compact worker reads its pod's list, and can do nothing else", async () => {
  await using server = await startServer();
  await using _worker = await startWorker(server, as(worker, server));
  await using pod = await join(server, own);
  await pod.call("TaskCreate", { subject: "a" });
  const before = await readLog(server);
  await withLogin(server, compactWorker, async (nc) => {
    const ask = (tool: string, args: Json = {}) => readOn(nc, `tasks.own.read.${tool}`, args);
    assertEquals((await ask("TaskList")).structuredContent.tasks.length, 1);
    assertEquals((await ask("TaskGet", { taskid: 1 })).structuredContent.task.subject, "a");
    for (const tool of ["TaskCreate", "TaskUpdate", "TaskClaim", "TaskComplete", "TaskRelease"]) {
      assertEquals(
        (await ask(tool, { taskid: 1, subject: "b" })).structuredContent.error.code,
        "permission_denied",
      );
    }
  });
  assertEquals(await deniedTo(server, compactWorker), []);

  const publish = [
    "tasks.own.in.call.TaskCreate",
    "tasks.own.in.call.TaskList",
    "tasks.own.in.compact.finished",
    "tasks.own.in.session.restore",
    "tasks.other.read.TaskList",
    ...outputs,
    ...ofTheStream,
  ];
  const subscribe = ["tasks.own.out.>", "tasks.own.in.>", "_INBOX.own.>"];
  assertEquals(await tryAll(server, compactWorker, { publish, subscribe }), allOf(publish, subscribe));
  assertEquals(await readLog(server), before);
});

Deno.test("an agent on a shared board works on it, and can neither close it nor declare others dead", async () => {
  await using server = await startServer();
  await using _worker = await startWorker(server, as(worker, server));
  await using agent = await join(server, alice);
  await agent.call("TaskCreate", { subject: "a" }, { agent: "alice" });
  const claim = await agent.call("TaskClaim", { taskid: 1 }, { agent: "alice" });
  assertEquals(claim.body.result.structuredContent.task.owner, "alice");
  await agent.compact("c");
  assertEquals((await agent.read("TaskList")).structuredContent.counts.inprogress, 1);
  assertEquals(await deniedTo(server, alice), []);

  const publish = [
    "tasks.board.in.session.closed",
    "tasks.board.in.session.restore",
    "tasks.board.in.agent.exited",
    "tasks.own.in.call.TaskCreate",
    ...outputs,
    ...ofTheStream,
  ];
  const subscribe = ["tasks.own.out.>", "tasks.board.in.>", "_INBOX.own.>"];
  assertEquals(await tryAll(server, alice, { publish, subscribe }), allOf(publish, subscribe));
  assertEquals((await agent.tasks()).map(({ owner }) => owner), ["alice"]);
});

Deno.test("a harness says on every board that agents have exited, and can do nothing else", async () => {
  await using server = await startServer();
  await using _worker = await startWorker(server, as(worker, server));
  await using agent = await join(server, alice);
  await agent.call("TaskCreate", { subject: "a", owner: "bob" });
  await withLogin(server, harness, async (nc) => {
    await nc.jetstream(patiently).publish(
      "tasks.board.in.agent.exited",
      JSON.stringify({ event_id: "e", agent: "bob" }),
    );
  });
  assertEquals((await agent.tasks()).map(({ owner }) => owner), [undefined]);
  assertEquals(await deniedTo(server, harness), []);

  const publish = [
    "tasks.board.in.call.TaskCreate",
    "tasks.board.in.session.closed",
    "tasks.board.read.TaskList",
    ...ofTheStream,
  ];
  const subscribe = ["tasks.*.out.>", "tasks.board.out.result"];
  assertEquals(await tryAll(server, harness, { publish, subscribe }), allOf(publish, subscribe));
});

Deno.test("a dashboard reads and follows every list, and changes none", async () => {
  await using server = await startServer();
  await using _worker = await startWorker(server, as(worker, server));
  await using pod = await join(server, own);
  await withLogin(server, dashboard, async (nc) => {
    const answers = nc.subscribe("tasks.*.out.>", { max: 1 });
    await nc.flush();
    await pod.call("TaskCreate", { subject: "a" });
    for await (const { subject } of answers) assertEquals(subject, "tasks.own.out.result");
    const list = await readOn(nc, "tasks.own.read.TaskList");
    assertEquals(list.structuredContent.counts.pending, 1);
  });
  assertEquals(await deniedTo(server, dashboard), []);

  const publish = ["tasks.own.in.call.TaskCreate", "tasks.own.in.session.closed", ...outputs, ...ofTheStream];
  const subscribe = ["tasks.*.in.>", "_INBOX.own.>"];
  assertEquals(await tryAll(server, dashboard, { publish, subscribe }), allOf(publish, subscribe));
});

Deno.test("the administrator reads the log and publishes inputs, and writes neither outputs nor checkpoints", async () => {
  await using server = await startServer();
  await using _worker = await startWorker(server, as(worker, server));
  await using remote = await openRemote(portsOf(administrator, server));
  await remote.log.record({
    subject: "tasks.own.in.call.TaskCreate",
    headers: new Map(),
    data: new TextEncoder().encode(JSON.stringify({ call_id: "c", arguments: { subject: "a" } })),
    messageId: "administrator:1",
  });
  const read: string[] = [];
  const options = { afterSeq: 0, only: "everything" } as const;
  await readToEnd(remote.log, subjects, options, ({ subject }) => void read.push(subject));
  assertEquals(read[0], "tasks.own.in.call.TaskCreate");
  await remote.bucket.get("covering");
  await remote.bucket.keys("pod.");
  assertEquals(await remote.erase("own", 2), 1);
  assertEquals(await deniedTo(server, administrator), []);

  const publish = [
    ...outputs,
    "$KV.TASKS_CHECKPOINT.lease",
    "$JS.API.STREAM.DELETE.OTHER",
    "$SYS.REQ.SERVER.PING",
  ];
  assertEquals(await tryAll(server, administrator, { publish }), allOf(publish));
});
