/** Stream and bucket, saved together and brought back: the worker goes on from them (docs/OPERATIONS.md). */
import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { restoreBackup, takeBackup } from "../helpers/backup.ts";
import { Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput, withConnection } from "../helpers/session_log.ts";
import { startTestServer, type TestServer } from "../helpers/test_server.ts";
import { startWorker } from "../helpers/worker_in_process.ts";

const podId = "kept";

/** A log that nobody can replay from its beginning: the checkpoint is needed. */
async function fill(server: TestServer): Promise<void> {
  await using worker = await startWorker(server, { checkpointInputs: 1, keepMessages: 4 });
  await using pod = await Pod.join(server, { id: podId });
  for (const subject of ["a", "b", "c", "d", "e"]) await pod.call("TaskCreate", { subject });
  await worker.log.logged("the log was shortened");
}

/** The lists are there, the worker began at its checkpoint, and it goes on. */
async function isWhole(server: TestServer): Promise<void> {
  await using worker = await startWorker(server);
  await using pod = await Pod.join(server, { id: podId });
  assertEquals((await pod.tasks()).map(({ subject }) => subject), ["a", "b", "c", "d", "e"]);
  assertEquals((await pod.call("TaskCreate", { subject: "f" })).body.changes[0].taskid, 6);
  const [{ fields }] = [await worker.log.logged("ready")];
  assertEquals([Number(fields.from_seq) > 0, worker.log.complaints], [true, []]);
  await everyInputHasOneOutput(server);
}

Deno.test("snapshots of the bucket and then of the stream, restored on another server, are a whole Tasuki", async () => {
  await using server = await startTestServer();
  await fill(server);
  const backups = await withConnection(server, async (nc) => [
    await takeBackup(nc, "KV_TASKS_CHECKPOINT"),
    await takeBackup(nc, "TASKS"),
  ]);
  await using other = await startTestServer();
  await withConnection(other, async (nc) => {
    for (const backup of backups) await restoreBackup(nc, backup);
  });

  await isWhole(other);
});

Deno.test("a bucket that is older than the stream serves: what came since is replayed", async () => {
  await using server = await startTestServer();
  await fill(server);
  const bucket = await withConnection(server, (nc) => takeBackup(nc, "KV_TASKS_CHECKPOINT"));
  const before = await startWorker(server, { checkpointInputs: 1_000 });
  await using pod = await Pod.join(server, { id: podId });
  for (let taskid = 1; taskid <= 5; taskid++) await pod.call("TaskUpdate", { taskid, status: "completed" });
  await before.stop();
  const stream = await withConnection(server, (nc) => takeBackup(nc, "TASKS"));
  await using other = await startTestServer();
  await withConnection(other, async (nc) => {
    for (const backup of [bucket, stream]) await restoreBackup(nc, backup);
  });

  await using after = await startWorker(other);
  await using same = await Pod.join(other, { id: podId });
  assertEquals((await same.tasks()).map(({ status }) => status), Array(5).fill("completed"));
  assertEquals(after.log.complaints, []);
});

Deno.test("a copy of the server's folder, made while it is stopped, is a whole Tasuki", async () => {
  await using server = await startTestServer();
  await fill(server);
  await server.stop();
  const folder = await Deno.makeTempDir({ prefix: "tasuki-copy-" });
  try {
    await copyFolder(server.storeDir, join(folder, "store"));
    await using copy = await startTestServer({ storeDir: join(folder, "store") });
    await isWhole(copy);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(join(from, name), join(to, name));
    else await Deno.copyFile(join(from, name), join(to, name));
  }
}
