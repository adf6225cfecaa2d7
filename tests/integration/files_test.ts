/** Folders of task files on a real disk, written and read by commands as processes (SPEC §9). */
import { join } from "node:path";
import { assertEquals } from "@std/assert";
import { startFileServer } from "../helpers/file_server.ts";
import { type Json, Pod } from "../helpers/pod.ts";
import { type CliEnd, runCli, startCli } from "../helpers/run_cli.ts";
import { makeTempFolder, type TempFolder } from "../helpers/temp_folder.ts";
import { within } from "../helpers/within.ts";
import { startWorker } from "../helpers/worker_in_process.ts";

const server = await startFileServer();
const env = { NATS_URL: server.url };
const tasuki = (...args: readonly string[]): Promise<CliEnd> => runCli(args, { env });

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const poll = async (): Promise<void> => {
    while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  await within(poll(), what);
}

/** The course's own example. */
const course = [
  { subject: "setup database schema" },
  { subject: "create API endpoints", blockedBy: ["$1"] },
  { subject: "write tests", blockedBy: ["$2"] },
  { subject: "write docs", blockedBy: ["$1"] },
];

async function courseIn(pod: Pod): Promise<void> {
  await pod.call("TaskCreate", { tasks: course });
  await pod.call("TaskClaim", { taskid: 1, owner: "alice" });
  await pod.call("TaskComplete", { taskid: 1 });
  await pod.call("TaskClaim", { taskid: 2, owner: "alice" });
}

async function changedMs(folder: TempFolder, name: string): Promise<number> {
  return (await Deno.stat(join(folder.path, name))).mtime?.getTime() ?? 0;
}

Deno.test("export writes whole files, dated as their tasks, and only what differs", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  await using folder = await makeTempFolder();
  const path = join(folder.path, "new", ".tasks");
  const exportIt = (...more: readonly string[]) => tasuki("export", pod.id, path, ...more);
  await courseIn(pod);
  assertEquals(await exportIt(), { code: 0, out: `Wrote 4 file(s) to ${path}\n`, err: "" });
  const tasks: TempFolder = { ...folder, json: (name) => folder.json(`new/.tasks/${name}`) };
  assertEquals((await Array.fromAsync(Deno.readDir(path))).map(({ name }) => name).sort(), [
    ".highwatermark",
    ...[1, 2, 3, 4].map((id) => `task_${id}.json`),
  ]);
  assertEquals(await tasks.json("task_2.json"), {
    id: 2,
    subject: "create API endpoints",
    description: "",
    status: "in_progress",
    blockedBy: [],
    blocks: [3],
    owner: "alice",
  });
  const dated = await changedMs(folder, "new/.tasks/task_2.json");
  await pod.call("TaskComplete", { taskid: 2 }, { agent: "alice" });
  assertEquals((await exportIt()).out, `Wrote 2 file(s) to ${path}, 2 said the same already\n`);
  assertEquals(await changedMs(folder, "new/.tasks/task_2.json") > dated, true);
  assertEquals((await tasks.json("task_3.json")).blockedBy, []);
});

Deno.test("export leaves a file that somebody changed after its task, unless it is forced", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  await using folder = await makeTempFolder();
  const exportIt = (...more: readonly string[]) =>
    tasuki("export", pod.id, folder.path, "--flavour", "claude", ...more);
  await courseIn(pod);
  await exportIt();
  await folder.write("1.json", { ...await folder.json("1.json"), subject: "mine" });
  assertEquals(await exportIt(), {
    code: 1,
    out: `Wrote 0 file(s) to ${folder.path}, 3 said the same already\n`,
    err: "Left out 1.json: is newer than what the pod's list knows\n",
  });
  assertEquals((await folder.json("1.json")).subject, "mine");
  assertEquals((await exportIt("--force")).code, 0);
  assertEquals((await folder.json("1.json")).subject, "setup database schema");
});

/** What an export of so many tasks leaves that is killed in the middle; again where it was done before. */
async function killedExport(pod: string, tasks: number): Promise<TempFolder> {
  for (let tries = 1; tries <= 10; tries++) {
    const folder = await makeTempFolder();
    await using running = startCli(["export", pod, folder.path], { env });
    await until("some files", async () => (await folder.names()).length > 50);
    running.signal("SIGKILL");
    await running.ended;
    if ((await folder.names()).filter((name) => name.endsWith(".json")).length < tasks) return folder;
    await folder[Symbol.asyncDispose]();
  }
  throw new Error("every export was done before it was killed");
}

Deno.test("export that is killed leaves whole files only, and the next one finishes", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  const tasks = Array.from(
    { length: 100 },
    (_, n) => ({ subject: `task ${n}`, description: "x".repeat(40) }),
  );
  for (let batch = 0; batch < 12; batch++) await pod.call("TaskCreate", { tasks });
  await using folder = await killedExport(pod.id, 1_200);
  const names = (await folder.names()).filter((name) => name.endsWith(".json"));
  for (const name of names) assertEquals((await folder.json(name)).description, "x".repeat(40));
  assertEquals((await tasuki("export", pod.id, folder.path)).code, 0);
  assertEquals((await folder.names()).filter((name) => name.endsWith(".json")).length, 1_200);
});

Deno.test("import takes what a folder holds, names what it cannot take, and follows no link", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  await using folder = await makeTempFolder();
  await folder.write("task_2.json", {
    id: 2,
    subject: "b",
    status: "done",
    blockedBy: null,
    created: 1730000000.5,
  });
  await folder.write("task_7.json", { id: "7", subject: "c", blockedBy: ["2", 5] });
  await folder.write("task_3.json", '{"id": 3, "subj');
  await folder.write("task_1730000000_ab12cd34.json", {
    id: "task_1730000000_ab12cd34",
    subject: "d",
    owner: null,
  });
  await folder.write("secret", { subject: "not of this folder" });
  await folder.write(".lock", "");
  await Deno.symlink(join(folder.path, "secret"), join(folder.path, "task_4.json"));
  await Deno.mkdir(join(folder.path, "task_6.json"));

  const { code, out, err } = await tasuki("import", pod.id, folder.path);
  assertEquals([code, out], [1, `Imported 3 task(s) into pod ${pod.id}\n`]);
  assertEquals(err.trimEnd().split("\n").slice(0, -1), [
    'Left out task_3.json: must be a JSON object: got "{\\"id\\": 3, \\"subj"',
    "Left out task_4.json: must be a plain file: got a link",
    "Left out task_6.json: must be a plain file: got a folder",
    'task_1730000000_ab12cd34.json: "task_1730000000_ab12cd34" is now task 8',
    "task_7.json: waits for 5, which is missing",
  ]);
  assertEquals(await pod.tasks(), [
    {
      taskid: 2,
      status: "completed",
      subject: "b",
      description: "",
      blocks: [7],
      metadata: { created: 1730000000.5 },
    },
    {
      taskid: 7,
      status: "pending",
      subject: "c",
      description: "",
      blockedBy: [2, 5],
      openBlockers: [5],
      missing: [5],
    },
    {
      taskid: 8,
      status: "pending",
      subject: "d",
      description: "",
      metadata: { id: "task_1730000000_ab12cd34" },
    },
  ]);
  const { body } = await pod.call("TaskCreate", { subject: "next" });
  assertEquals(body.result.structuredContent.task.taskid, 9);
});

Deno.test("import of an export gives another pod the same list, in both forms", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  await courseIn(pod);
  await pod.call("TaskUpdate", {
    taskid: 4,
    status: "deleted",
    activeForm: "Writing",
    metadata: { k: [1.5] },
  });
  const list: readonly Json[] = await pod.tasks();
  for (const flavour of ["course", "claude"]) {
    await using folder = await makeTempFolder();
    await using other = await Pod.join(server);
    await tasuki("export", pod.id, folder.path, "--flavour", flavour);
    assertEquals((await tasuki("import", other.id, folder.path)).code, 0);
    assertEquals(await other.tasks(), list);
  }
});

Deno.test("export --mirror keeps a folder up to date until it is stopped", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  await using folder = await makeTempFolder();
  await courseIn(pod);
  await using mirror = startCli(["export", pod.id, folder.path, "--mirror"], { env });
  const statusOf = async (name: string): Promise<string | null> => {
    return (await folder.names()).includes(name) ? (await folder.json(name)).status : null;
  };
  await until("the second task at work", async () => await statusOf("task_2.json") === "in_progress");
  await pod.call("TaskComplete", { taskid: 2 }, { agent: "alice" });
  await until("the second task done", async () => await statusOf("task_2.json") === "completed");
  await pod.call("TaskCreate", { subject: "one more" });
  await until("a new task", async () => await statusOf("task_5.json") === "pending");
  mirror.signal("SIGTERM");
  const { code, err } = await mirror.ended;
  assertEquals([code, err], [0, ""]);
  assertEquals((await folder.names()).filter((name) => name.endsWith(".tmp")), []);
});
