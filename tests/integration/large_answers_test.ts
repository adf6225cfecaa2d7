/** Stores at their limit, filled with the text that costs most: every answer still fits a message (R12). */
import { assert, assertEquals } from "@std/assert";
import { startFileServer } from "../helpers/file_server.ts";
import { type Output, Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput, readLog } from "../helpers/session_log.ts";
import { startWorker } from "../helpers/worker_in_process.ts";

const server = await startFileServer();

const descriptionBytes = 16 * 1024;

/** Creates tasks, each as large as it still may be, until not even the smallest is taken. */
async function fill(pod: Pod, character: string): Promise<void> {
  const charactersOf = (bytes: number) => Math.floor(bytes / new TextEncoder().encode(character).length);
  let codes: string[] = [];
  for (let bytes = descriptionBytes; bytes >= 1;) {
    const { body } = await pod.call("TaskCreate", {
      subject: "s",
      description: character.repeat(charactersOf(bytes)),
    });
    const { error } = body.result.structuredContent;
    if (!error) continue;
    codes = [...codes, error.code];
    bytes = Math.floor(bytes / 2);
  }
  assertEquals(new Set(codes), new Set(["store_full"]));
}

/** What costs much in JSON, in the escapes of list texts, or in both. */
const nasty: readonly [name: string, character: string][] = [
  ["plain letters", "x"],
  ["markup", "<"],
  ["quotation marks", '"'],
  ["backslashes", "\\"],
  ["line feeds", "\n"],
  ["controls", "\u0001"],
  ["line separators", "\u2028"],
  ["tags", "\u{e0041}"],
  ["emoji", "🪢"],
];

Deno.test("a full store is listed, compacted and repeated, whatever it is full of", async (t) => {
  await using worker = await startWorker(server);
  for (const [name, character] of nasty) {
    await t.step(name, async () => {
      await using pod = await Pod.join(server);
      await fill(pod, character);
      const list = await pod.call("TaskList");
      const { snapshot, injection } = await pod.compact("c1");
      const again = await pod.input("compact.finished", { compact_id: "c1" });

      const { tasks } = list.body.result.structuredContent;
      assert(new TextEncoder().encode(JSON.stringify(injection.body)).length > 700 * 1024);
      assertEquals([list, snapshot, injection, again].map(({ kind }) => kind), [
        "result",
        "snapshot",
        "inject",
        "inject",
      ]);
      assertEquals(snapshot.body.store.tasks, tasks);
      assertEquals(injection.body.items[2].result, list.body.result);
      assertEquals(again.body.duplicate, true);
      assertEquals(await pod.read("TaskList"), list.body.result);

      await using copy = await Pod.join(server);
      const restored = await copy.restore("r1", [injection.body.items[0]]);
      assertEquals([restored.kind, restored.body.snapshots], ["event", 1]);
      assertEquals(await copy.tasks(), tasks);
    });
  }
  assertEquals(worker.log.complaints, []);
});

Deno.test("a full store still takes changes of status and owner, and gives tasks back", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  await fill(pod, "<");
  const agent = "a".repeat(64);
  const { tasks } = (await pod.call("TaskList")).body.result.structuredContent;
  for (const { taskid } of tasks) {
    const { body } = await pod.call("TaskClaim", { taskid }, { agent });
    assertEquals([body.result.isError, body.changes], [false, [{
      taskid,
      status: "inprogress",
      owner: agent,
    }]]);
  }
  const list = await pod.call("TaskList");
  const { snapshot, injection } = await pod.compact("c1");
  const exited = await pod.input("agent.exited", { event_id: "e1", agent });

  assertEquals([list, snapshot, injection, exited].map(({ kind }) => kind), [
    "result",
    "snapshot",
    "inject",
    "event",
  ]);
  assertEquals(exited.body.released.length, tasks.length);
});

/** Creates tasks in batches until the store takes no more. */
async function fillByBatches(pod: Pod, taskOf: () => unknown): Promise<number> {
  for (let count = 0, size = 100; size >= 1;) {
    const tasks = Array.from({ length: size }, taskOf);
    const { body } = await pod.call("TaskCreate", { tasks });
    if (body.result.isError) size = Math.floor(size / 10);
    else count += size;
    if (size === 0) return count;
  }
  throw new Error("unreachable");
}

Deno.test("a blocker of a full store's tasks unblocks them all in one answer, and its repeat fits too", async (t) => {
  await using _worker = await startWorker(server);
  for (
    const [name, subject] of [["many", "s"], ["long and nasty", "<".repeat(500)], [
      "long tags",
      "t" + "\u{e0041}".repeat(499),
    ]] as const
  ) {
    await t.step(name, async () => {
      await using pod = await Pod.join(server);
      await pod.call("TaskCreate", { subject: "blocker" });
      const count = await fillByBatches(pod, () => ({ subject, blockedBy: [1] }));
      assert(count > 20);
      const complete = (): Promise<Output> =>
        pod.call("TaskUpdate", { taskid: 1, status: "completed" }, { callId: "u" });
      const first = await complete();
      const again = await complete();
      const { snapshot, injection } = await pod.compact("c1");

      assertEquals(first.body.result.structuredContent.unblocked.length, count);
      assertEquals(again.body.result, first.body.result);
      assertEquals([snapshot.kind, injection.kind], ["snapshot", "inject"]);
    });
  }
});

Deno.test("a store of the smallest tasks holds more than 1,900 of them, and says so where one more is wanted", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  const count = await fillByBatches(pod, () => ({ subject: "s" }));
  const full = await pod.call("TaskCreate", { subject: "one more" });
  const list = await pod.call("TaskList");

  assert(count > 1_900);
  assertEquals(full.body.result.structuredContent.error.code, "store_full");
  assertEquals(list.body.result.structuredContent.tasks.length, count);
});

Deno.test("no message of the log is larger than the server takes, and none was rejected", async () => {
  const log = await readLog(server);
  assertEquals(log.filter(({ rest }) => rest === "rejected"), []);
  assert(Math.max(...log.map(({ data }) => data.length)) < 1024 * 1024);
  await everyInputHasOneOutput(server);
});
