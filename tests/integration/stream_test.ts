/** What a stream must be to hold the log, and that a good one is left as it is (R1). */
import { assertEquals, assertRejects } from "@std/assert";
import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig } from "nats";
import { OperatorError } from "../../src/errors.ts";
import { Subjects } from "../../src/log/subjects.ts";
import { ensureStream } from "../../src/nats/stream.ts";
import { startFileServer } from "../helpers/file_server.ts";
import { Pod } from "../helpers/pod.ts";
import { configOf, freshName, makeStream, withManager } from "../helpers/streams.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { startWorker } from "../helpers/worker_in_process.ts";

const server = await startFileServer();

const mebibyte = 1024 * 1024;

/** The stream's name is its prefix, too. */
async function ensure(stream: string, maxPayload = mebibyte): Promise<void> {
  const config = { stream, replicas: 1, duplicateWindowMs: 60_000, compression: "none" } as const;
  await withManager(server, async (manager) => {
    await ensureStream({ manager, subjects: new Subjects(stream), config, maxPayload });
  });
}

/** What keeps it from serving: the message without its beginning, and with the subjects' prefix as `p`. */
async function problemsOf(stream: string, maxPayload?: number): Promise<string> {
  const { message } = await assertRejects(() => ensure(stream, maxPayload), OperatorError);
  const start = `Cannot use stream ${stream}: `;
  assertEquals(message.slice(0, start.length), start);
  return message.slice(start.length).replaceAll(stream, "p");
}

function subjectsOf(prefix: string): string[] {
  return [`${prefix}.*.in.>`, `${prefix}.*.out.>`];
}

interface Case {
  readonly name: string;
  readonly change: (prefix: string) => Partial<StreamConfig>;
  readonly says: string;
}

const cases: readonly Case[] = [
  {
    name: "lacks the outputs",
    change: (prefix) => ({ subjects: [`${prefix}.*.in.>`] }),
    says: "subjects must capture p.*.out.>: got p.*.in.>",
  },
  {
    name: "captures only some inputs",
    change: (prefix) => ({ subjects: [`${prefix}.*.in.call.*`, `${prefix}.*.out.>`] }),
    says: "subjects must capture p.*.in.>: got p.*.in.call.*, p.*.out.>",
  },
  {
    name: "captures only some pods",
    change: (prefix) => ({ subjects: [`${prefix}.a.in.>`, `${prefix}.b.in.>`, `${prefix}.*.out.>`] }),
    says: "subjects must capture p.*.in.>: got p.a.in.>, p.b.in.>, p.*.out.>",
  },
  {
    name: "captures the reading lane",
    change: (prefix) => ({ subjects: [`${prefix}.>`], no_ack: true }),
    says: "subjects must not capture p.*.read.* (requests): p.> does; no_ack must be off",
  },
  {
    name: "captures the reads of one pod",
    change: (prefix) => ({ subjects: [...subjectsOf(prefix), `${prefix}.a.read.TaskList`] }),
    says: "subjects must not capture p.*.read.* (requests): p.a.read.TaskList does",
  },
  {
    name: "is kept in memory",
    change: () => ({ storage: StorageType.Memory }),
    says: "storage must be file: got memory",
  },
  {
    name: "is a work queue",
    change: () => ({ retention: RetentionPolicy.Workqueue }),
    says: "retention must be limits: got workqueue",
  },
  {
    name: "keeps what somebody is interested in",
    change: () => ({ retention: RetentionPolicy.Interest }),
    says: "retention must be limits: got interest",
  },
  { name: "does not acknowledge", change: () => ({ no_ack: true }), says: "no_ack must be off" },
  {
    name: "takes small messages only",
    change: () => ({ max_msg_size: 65_536 }),
    says: "max_msg_size must be -1 or at least 1048576: got 65536",
  },
  {
    name: "throws away what is old",
    change: () => ({ max_age: 3_600_000_000_000 }),
    says: "max_age must be 0, since it throws messages away: got 3600000000000 ns",
  },
  {
    name: "throws away what is old, and refuses what is new",
    change: () => ({ max_age: 3_600_000_000_000, discard: DiscardPolicy.New, max_msgs: 10 }),
    says: "max_age must be 0, since it throws messages away: got 3600000000000 ns",
  },
  {
    name: "keeps some messages per subject",
    change: () => ({ max_msgs_per_subject: 5 }),
    says: "max_msgs_per_subject must be -1, since it throws messages away: got 5",
  },
  {
    name: "throws away beyond a number",
    change: () => ({ max_msgs: 10 }),
    says: "discard: old throws messages away at max_msgs 10: remove the limit or set discard: new",
  },
  {
    name: "throws away beyond a size",
    change: () => ({ max_bytes: 10 * mebibyte }),
    says: "discard: old throws messages away at max_bytes 10485760: remove the limit or set discard: new",
  },
  {
    name: "lets publishers throw it away",
    change: () => ({ allow_rollup_hdrs: true }),
    says: "allow_rollup_hdrs must be off, since a publisher could throw the log away",
  },
];

for (const { name, change, says } of cases) {
  Deno.test(`ensureStream() refuses a stream that ${name}, and leaves it as it is`, async () => {
    const stream = freshName();
    await makeStream(server, { name: stream, subjects: subjectsOf(stream), ...change(stream) });
    const before = await configOf(server, stream);

    assertEquals(await problemsOf(stream), says);
    assertEquals(await configOf(server, stream), before);
  });
}

Deno.test("ensureStream() refuses a sealed stream", async () => {
  const stream = freshName();
  await makeStream(server, { name: stream, subjects: subjectsOf(stream) });
  const seal: Partial<StreamConfig> = { sealed: true };
  await withManager(server, (manager) => manager.streams.update(stream, seal));

  assertEquals(await problemsOf(stream), "it is sealed: use another stream");
});

Deno.test("ensureStream() refuses a mirror", async () => {
  const origin = freshName();
  const stream = freshName();
  await makeStream(server, { name: origin, subjects: subjectsOf(origin) });
  await makeStream(server, { name: stream, mirror: { name: origin } });

  assertEquals(
    await problemsOf(stream),
    "subjects must capture p.*.in.>: got none; subjects must capture p.*.out.>: got none; " +
      "it is a mirror: use the stream itself",
  );
});

Deno.test("ensureStream() names everything that is wrong, at once", async () => {
  const stream = freshName();
  await makeStream(server, {
    name: stream,
    subjects: [`${stream}.*.in.>`, `${stream}.a.read.*`],
    storage: StorageType.Memory,
    retention: RetentionPolicy.Interest,
    no_ack: true,
    max_msg_size: 1_000,
    max_age: 3_600_000_000_000,
    max_msgs_per_subject: 5,
    allow_rollup_hdrs: true,
    max_msgs: 10,
    max_bytes: 100_000,
  });

  assertEquals((await problemsOf(stream, 65_536)).split("; "), [
    "the server's max_payload must be at least 1048576: got 65536",
    "subjects must capture p.*.out.>: got p.*.in.>, p.a.read.*",
    "subjects must not capture p.*.read.* (requests): p.a.read.* does",
    "storage must be file: got memory",
    "retention must be limits: got interest",
    "no_ack must be off",
    "max_msg_size must be -1 or at least 1048576: got 1000",
    "max_age must be 0, since it throws messages away: got 3600000000000 ns",
    "max_msgs_per_subject must be -1, since it throws messages away: got 5",
    "allow_rollup_hdrs must be off, since a publisher could throw the log away",
    "discard: old throws messages away at max_msgs 10, max_bytes 100000: remove the limit or set discard: new",
  ]);
});

const good: readonly Omit<Case, "says">[] = [
  { name: "exactly the subjects", change: () => ({}) },
  {
    name: "the subjects among others",
    change: (prefix) => ({ subjects: [...subjectsOf(prefix), `${prefix}.*.note.*`, "elsewhere.>"] }),
  },
  {
    name: "wider subjects",
    change: () => ({ subjects: ["team.*.*.in.>", "team.*.*.out.>"], max_consumers: 100 }),
  },
  {
    name: "limits at which it takes nothing more",
    change: () => ({
      discard: DiscardPolicy.New,
      max_msgs: 1_000_000,
      max_bytes: 100 * mebibyte,
      max_msg_size: mebibyte,
      duplicate_window: 30_000_000_000,
      deny_delete: true,
      deny_purge: true,
    }),
  },
];

for (const { name, change } of good) {
  Deno.test(`a stream with ${name} serves, and is left as it is`, async () => {
    await using own = await startTestServer();
    const prefix = "team.tasks";
    await makeStream(own, { name: "TASKS", subjects: subjectsOf(prefix), ...change(prefix) });
    const before = await configOf(own, "TASKS");
    await using worker = await startWorker(own, { prefix });
    await using pod = await Pod.join(own, { prefix });
    const { body } = await pod.call("TaskCreate", { subject: "a" });

    assertEquals(body.changes, [{ taskid: 1, status: "pending", subject: "a", description: "" }]);
    assertEquals(await configOf(own, "TASKS"), before);
    assertEquals(worker.log.complaints, []);
  });
}

Deno.test("what else a stream captures is passed over, live and at the next start", async () => {
  await using own = await startTestServer();
  await makeStream(own, {
    name: "TASKS",
    subjects: [...subjectsOf("tasks"), "tasks.*.note.*", "elsewhere.>"],
  });
  await using pod = await Pod.join(own);
  for (let start = 1; start <= 2; start++) {
    await using worker = await startWorker(own);
    await pod.publish(`tasks.${pod.id}.note.TaskCreate`, "{}", { "Tasuki-Input": "1" });
    await pod.publish("elsewhere.in.call.TaskCreate", "{}");
    await pod.call("TaskCreate", { subject: "a" });
    assertEquals(worker.log.complaints, []);
  }

  await using _last = await startWorker(own);
  assertEquals((await pod.tasks()).map(({ taskid }) => taskid), [1, 2]);
});
