import { assertEquals, assertRejects } from "@std/assert";
import { dump } from "../../../src/cli/dump.ts";
import { replay } from "../../../src/cli/replay.ts";
import { OperatorError, UsageError } from "../../../src/errors.ts";
import { bodyOf, MemoryLog, MemoryWorker, subjects } from "../../helpers/memory_log.ts";
import { MemoryWorld, runCommand } from "../../helpers/memory_world.ts";

function entriesOf(...subjects: readonly string[]): readonly unknown[] {
  return subjects.map((subject, index) => ({
    type: "tool_call",
    call_id: `c${index}`,
    name: "TaskCreate",
    arguments: { subject },
  }));
}

function worldWith(text: string, more: { readonly isServed?: boolean } = {}): MemoryWorld {
  return new MemoryWorld({ files: { file: text }, ...more });
}

const listOfA = "TaskStore: 1 task(s) (pending: 1, inprogress: 0, completed: 0, deleted: 0)\n" +
  '```json\n{"tasks":[\n{"taskid":1,"status":"pending","subject":"a","description":""}\n]}\n```\n';

Deno.test("replay prints the list, and on the side how it came to it", async () => {
  const text = JSON.stringify([
    ...entriesOf("a"),
    ...entriesOf("a"),
    { type: "tool_call", name: "TaskGet" },
    1,
  ]);
  const printed = await runCommand(worldWith(text), replay, "file");
  assertEquals(printed, {
    code: 0,
    out: listOfA,
    err: "Read 1 line(s) as a list of entries\n" +
      "1 call(s) and 0 snapshot(s) applied; passed over: 2 unreadable, 1 seen before\n",
  });
});

Deno.test("replay --json prints the list as JSON", async () => {
  const { out } = await runCommand(worldWith(JSON.stringify(entriesOf("a"))), replay, "file", "--json");
  assertEquals(JSON.parse(out), {
    tasks: [{ taskid: 1, status: "pending", subject: "a", description: "" }],
    counts: { pending: 1, inprogress: 0, completed: 0, deleted: 0 },
    next_taskid: 2,
  });
});

Deno.test("replay says which lines it left out, and which ids differ from the count", async () => {
  const lines = [
    ...entriesOf("a").map((entry) => JSON.stringify(entry)),
    "garbage\x1b",
    JSON.stringify({ type: "tool_result", call_id: "c0", taskid: 5 }),
  ];
  const { err } = await runCommand(worldWith(lines.join("\n")), replay, "file");
  assertEquals(
    err,
    "Read 3 line(s) as a list of entries\n" +
      "Left out line 2: it is not JSON\n" +
      "1 call(s) and 0 snapshot(s) applied; passed over: none\n" +
      "The result of c0 gave taskid 5, the count would have given 1\n",
  );
});

Deno.test("replay says of a file that is nothing it knows what it must be", async () => {
  const message =
    'Cannot replay "file": it must be a dump of tasuki, a Claude Code transcript or a list of entries';
  for (const text of ["", "hello\n", "# A\n\nfile of text\n", '{"a":1}\n']) {
    const world = worldWith(text);
    const error = await assertRejects(() => runCommand(world, replay, "file"), OperatorError);
    assertEquals([error.message, world.said], [message, ""]);
  }
});

Deno.test("replay --into restores into a pod", async () => {
  const world = worldWith(JSON.stringify(entriesOf("a")));
  const printed = await runCommand(world, replay, "file", "--into", "p");
  assertEquals([printed.code, printed.out], [0, listOfA]);
  assertEquals(printed.err.endsWith("Restored into pod p at seq 1\n"), true);
  const [input] = world.log.messages;
  assertEquals(input && bodyOf(input), {
    restore_id: "fresh-1",
    mode: "into_empty",
    entries: entriesOf("a"),
  });
});

Deno.test("replay --into says why a pod refuses", async () => {
  const world = worldWith(JSON.stringify(entriesOf("a")));
  await runCommand(world, replay, "file", "--into", "p");
  const again = new MemoryWorld({ files: world.files, log: world.log });
  const error = await assertRejects(() => runCommand(again, replay, "file", "--into", "p"), OperatorError);
  assertEquals(
    error.message.startsWith("Cannot restore into pod p: a restore goes into an empty store"),
    true,
  );
  const replaced = new MemoryWorld({ files: world.files, log: world.log });
  assertEquals((await runCommand(replaced, replay, "file", "--into", "p", "--mode", "replace")).code, 0);
});

Deno.test("replay --into without a worker says where the restore lies", async () => {
  const world = worldWith(JSON.stringify(entriesOf("a")), { isServed: false });
  const running = () => runCommand(world, replay, "file", "--into", "p", "--timeout-ms", "0");
  assertEquals(
    (await assertRejects(running, OperatorError)).message,
    "No answer in time: the restore is in the log at seq 1 and will be answered when a worker runs",
  );
});

Deno.test("replay --into sends a history that is too large for a message as a snapshot", async () => {
  const description = "x".repeat(10_000);
  const calls = Array.from({ length: 100 }, (_, index) => ({
    type: "tool_call",
    call_id: `u${index}`,
    name: "TaskUpdate",
    arguments: { taskid: 1, description: `${description}${index}` },
  }));
  const world = worldWith(JSON.stringify([...entriesOf("a"), ...calls]));
  const printed = await runCommand(world, replay, "file", "--into", "p", "--json");
  const [input] = world.log.messages;
  const { entries } = input ? bodyOf(input) : { entries: [] };
  assertEquals(Array.isArray(entries) && entries.map(({ type, role }) => [type, role]), [[
    "message",
    "system",
  ]]);
  const worker = new MemoryWorker(world.log);
  worker.read();
  const [task] = worker.fold.pods.get("p")?.pod.store.tasks ?? [];
  assertEquals(task?.description, `${description}99`);
  assertEquals(JSON.parse(printed.out).tasks[0].description, `${description}99`);
});

function dumpedLog(): MemoryLog {
  const log = new MemoryLog();
  for (const [pod, subject] of [["p", "a"], ["q", "b"], ["p", "c"]] as const) {
    log.publish(subjects.input(pod, "call.TaskCreate"), { call_id: subject, arguments: { subject } });
  }
  log.publish(subjects.input("p", "call.TaskUpdate"), {
    call_id: "u",
    arguments: { taskid: 2, status: "deleted" },
  });
  new MemoryWorker(log).settle();
  return log;
}

Deno.test("replay reads back what dump printed", async () => {
  const log = dumpedLog();
  const { out: dumped } = await runCommand(new MemoryWorld({ log }), dump, "p");
  const { out, err } = await runCommand(worldWith(dumped), replay, "file", "--json");
  assertEquals(
    JSON.parse(out).tasks.map((
      { subject, status }: { subject: string; status: string },
    ) => [subject, status]),
    [
      ["a", "pending"],
      ["c", "deleted"],
    ],
  );
  assertEquals(
    err,
    "Read 6 line(s) as a dump of Tasuki\n3 input(s) as recorded, 0 without an answer decided now\n",
  );
});

Deno.test("replay of a dump with several pods wants to know which", async () => {
  const { out: dumped } = await runCommand(new MemoryWorld({ log: dumpedLog() }), dump, "--all");
  const error = await assertRejects(() => runCommand(worldWith(dumped), replay, "file"), UsageError);
  assertEquals(error.message, "Cannot replay the dump: name one of its pods with --pod: got p, q");
  await assertRejects(() => runCommand(worldWith(dumped), replay, "file", "--pod", "r"), UsageError);
  const { out } = await runCommand(worldWith(dumped), replay, "file", "--pod", "q", "--json");
  assertEquals(JSON.parse(out).tasks.length, 1);
});

Deno.test("replay refuses a mode, a pod and a time that make no sense", async () => {
  const wrong = [["--mode", "merge"], ["--into", "a.b"], ["--into", "p", "--timeout-ms", "x"]];
  for (const args of wrong) {
    await assertRejects(() => runCommand(worldWith("[]"), replay, "file", ...args), UsageError);
  }
});
