/** `purge`, and what a worker makes of a log from which messages were taken behind its checkpoint. */
import { assertEquals } from "@std/assert";
import { Subjects } from "../../src/log/subjects.ts";
import { openLog } from "../../src/nats/open_log.ts";
import type { Bucket, Saved } from "../../src/worker/ports.ts";
import { Worker } from "../../src/worker/worker.ts";
import { LogLines } from "../helpers/log_lines.ts";
import { Pod } from "../helpers/pod.ts";
import { runCli } from "../helpers/run_cli.ts";
import { everyInputHasOneOutput, readLog, withConnection } from "../helpers/session_log.ts";
import { startTestServer, type TestServer } from "../helpers/test_server.ts";
import { patiently, within } from "../helpers/within.ts";
import { startWorker, testConfig, type TestWorker } from "../helpers/worker_in_process.ts";

const settings = { checkpointEveryMs: 100 };
const secret = "the secret task";

function purge(server: TestServer, pod: string, ...more: string[]) {
  return runCli(["purge", pod, ...more], { env: { NATS_URL: server.url } });
}

/** A value of the bucket as text; null where there is none. */
async function saved(server: TestServer, key: string): Promise<string | null> {
  let value: string | null = null;
  await withConnection(server, async (nc) => {
    value = (await (await nc.jetstream(patiently).views.kv("TASKS_CHECKPOINT")).get(key))?.string() ?? null;
  });
  return value;
}

/** Resolves when the worker has the pod's list, and it is empty: one that follows reads it a little later. */
async function untilEmpty({ boards }: TestWorker, pod: Pod): Promise<void> {
  const emptying = async (): Promise<void> => {
    while ((await boards.find(pod.id))?.store.tasks.length !== 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await within(emptying(), `an empty list of ${pod.id}`);
}

async function fill(pod: Pod): Promise<void> {
  await pod.call("TaskCreate", { subject: secret });
  await pod.call("TaskCreate", { subject: `${secret} too`, blockedBy: [1] });
  await pod.compact("c");
}

Deno.test("purge leaves nothing of a pod in log, checkpoint and memory, and everything of the others", async () => {
  await using server = await startTestServer();
  await using leader = await startWorker(server, settings);
  await using follower = await startWorker(server, settings);
  await using purged = await Pod.join(server);
  await using other = await Pod.join(server);
  await fill(purged);
  await fill(other);
  await fill(purged);
  const { code, out } = await purge(server, purged.id);

  const log = await readLog(server);
  const left = log.filter(({ pod }) => pod === purged.id);
  assertEquals(left.map(({ direction, rest }) => `${direction}.${rest}`), ["in.session.closed", "out.event"]);
  assertEquals({ code, out }, {
    code: 0,
    out: `Erased 16 messages of ${purged.id}: its list is empty since seq ${left[0]?.seq}\n`,
  });
  assertEquals(left.some(({ data }) => new TextDecoder().decode(data).includes(secret)), false);
  assertEquals((await saved(server, `pod.${purged.id}`))?.includes(secret), false);
  assertEquals(await purged.read("TaskList").then(({ structuredContent }) => structuredContent.tasks), []);
  assertEquals((await other.tasks()).length, 2);
  await untilEmpty(follower, purged);
  assertEquals((await leader.boards.find(purged.id))?.store.tasks, []);
  assertEquals([...leader.log.complaints, ...follower.log.complaints], []);
});

Deno.test("a worker that starts after a purge knows that the gap is wanted, and a purged pod begins anew", async () => {
  await using server = await startTestServer();
  await using purged = await Pod.join(server);
  await using other = await Pod.join(server);
  const before = await startWorker(server, settings);
  await fill(other);
  await fill(purged);
  await purge(server, purged.id);
  await fill(other);
  await before.stop();
  for (const podsInMemoryMax of [0, 100]) {
    await using after = await startWorker(server, { ...settings, podsInMemoryMax });
    await other.tasks();
    assertEquals(after.log.complaints, []);
  }

  await using _last = await startWorker(server, settings);
  const { body } = await purged.call("TaskCreate", { subject: "new" });
  assertEquals(body.changes[0].taskid, 1);
  assertEquals((await other.tasks()).length, 4);
  await everyInputHasOneOutput(server);
});

Deno.test("a worker that follows and takes over after a purge has the other pods whole", async () => {
  await using server = await startTestServer();
  const leader = await startWorker(server, settings);
  await leader.log.logged("leading");
  await using follower = await startWorker(server, settings);
  await using purged = await Pod.join(server);
  await using other = await Pod.join(server);
  await fill(purged);
  await fill(other);
  await purge(server, purged.id);
  await leader.stop();

  assertEquals((await other.tasks()).length, 2);
  assertEquals(await purged.tasks(), []);
  assertEquals(follower.log.complaints, []);
});

Deno.test("purge erases nothing while no worker runs, or while no checkpoint follows", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server);
  const before = await startWorker(server, settings);
  await fill(pod);
  await before.stop();
  const alone = await purge(server, pod.id, "--timeout-ms", "200");
  await using worker = await startWorker(server, { checkpointEveryMs: 3_600_000, podsInMemoryMax: 100 });
  await worker.log.logged("leading");
  const uncovered = await purge(server, pod.id, "--timeout-ms", "6000");

  assertEquals([alone.code, uncovered.code], [1, 1]);
  assertEquals(
    /^Erasing 4 input.*\nNothing is erased: no worker answered the close of .* at seq 9\n$/.test(alone.err),
    true,
    alone.err,
  );
  assertEquals(
    /no checkpoint covers seq 1\d, the last one ends at \d+/.test(uncovered.err),
    true,
    uncovered.err,
  );
  assertEquals((await readLog(server)).length, 12);
});

/** A bucket that first gives what a key held some time ago. */
function staleAtFirst(bucket: Bucket, key: string, stale: Saved): Bucket {
  let isStale = true;
  return {
    get: (asked) => {
      if (asked !== key || !isStale) return bucket.get(asked);
      isStale = false;
      return Promise.resolve(stale);
    },
    put: (...entry) => bucket.put(...entry),
    keys: (prefix) => bucket.keys(prefix),
  };
}

Deno.test("a worker that finds a gap behind a checkpoint that came meanwhile goes on from there", async () => {
  await using server = await startTestServer();
  await using purged = await Pod.join(server);
  await using other = await Pod.join(server);
  const before = await startWorker(server, settings);
  await fill(other);
  while (await saved(server, "covering") === null) await new Promise((resolve) => setTimeout(resolve, 20));
  const log = new LogLines();
  const config = testConfig([server.url], settings);
  const subjects = new Subjects(config.prefix);
  await using ports = await openLog({
    config,
    subjects,
    logger: log,
    name: "tasuki-test",
    waitForServer: false,
  });
  const early = await ports.bucket.get("covering");
  await fill(purged);
  await purge(server, purged.id);
  await before.stop();
  const stopping = new AbortController();
  const bucket = staleAtFirst(ports.bucket, "covering", early);
  const worker = new Worker({ ...ports, bucket, logger: log, subjects, settings: config });
  const ended = worker.run(stopping.signal);
  await worker.ready;

  assertEquals((await other.tasks()).length, 2);
  assertEquals(log.of("the log was shortened: going on from the checkpoint").length, 1);
  assertEquals(log.complaints, []);
  stopping.abort();
  await ended;
});
