import { assertEquals, assertRejects } from "@std/assert";
import { dump } from "../../../src/cli/dump.ts";
import { graph } from "../../../src/cli/graph.ts";
import { pods } from "../../../src/cli/pods.ts";
import { purge } from "../../../src/cli/purge.ts";
import { foldLog } from "../../../src/cli/read_log.ts";
import { verify } from "../../../src/cli/verify.ts";
import { watch } from "../../../src/cli/watch.ts";
import { OperatorError, UsageError } from "../../../src/errors.ts";
import { headerNames } from "../../../src/log/log_message.ts";
import { MemoryLog, MemoryWorker, subjects } from "../../helpers/memory_log.ts";
import { MemoryBucket } from "../../helpers/memory_bucket.ts";
import { MemoryWorld, runCommand } from "../../helpers/memory_world.ts";

function publish(log: MemoryLog, pod: string, subject: string): void {
  log.publish(subjects.input(pod, "call.TaskCreate"), { call_id: subject, arguments: { subject } });
}

/** Two pods with a task each, and a call of a third that nobody has answered. */
function givenLog(): MemoryLog {
  const log = new MemoryLog();
  publish(log, "p", "a");
  publish(log, "q", "b");
  new MemoryWorker(log).settle();
  publish(log, "r", "c");
  return log;
}

function worldOf(log = givenLog()): MemoryWorld {
  return new MemoryWorld({ log });
}

Deno.test("pods shows each pod with its counts and last change", async () => {
  const { out, code } = await runCommand(worldOf(), pods);
  assertEquals(code, 0);
  assertEquals(out.split("\n").map((line) => line.replaceAll(/ {2,}/g, " | ")), [
    "pod | tasks | pending | inprogress | completed | deleted | unanswered | changed",
    "p | 1 | 1 | 0 | 0 | 0 | 0 | 59s ago",
    "q | 1 | 1 | 0 | 0 | 0 | 0 | 58s ago",
    "r | 0 | 0 | 0 | 0 | 0 | 1 | never",
    "",
  ]);
  const log = new MemoryLog();
  log.publish("tasks.$.in.call.TaskList", "{}");
  assertEquals((await runCommand(worldOf(log), pods)).out, "No pod has published anything yet\n");
});

Deno.test("pods --json has the same for programs", async () => {
  const { out } = await runCommand(worldOf(), pods, "--json");
  const counts = { pending: 1, inprogress: 0, completed: 0, deleted: 0 };
  const [p, , r] = JSON.parse(out).pods;
  assertEquals(p, { pod: "p", tasks: 1, counts, unanswered: 0, last_change: "1970-01-01T00:00:01.000Z" });
  assertEquals(r, {
    pod: "r",
    tasks: 0,
    counts: { ...counts, pending: 0 },
    unanswered: 1,
    last_change: null,
  });
});

Deno.test("dump prints one pod, or all of the log, and says when there is nothing", async () => {
  const dumped = async (...args: string[]) =>
    (await runCommand(worldOf(), dump, ...args)).out.trimEnd().split("\n")
      .map((line) => JSON.parse(line).subject);
  assertEquals(await dumped("p"), ["tasks.p.in.call.TaskCreate", "tasks.p.out.result"]);
  assertEquals((await dumped("--all")).length, 5);
  const nothing = await runCommand(worldOf(new MemoryLog()), dump, "--all");
  assertEquals(nothing, { code: 0, out: "", err: "The log has no such messages\n" });
  await assertRejects(() => runCommand(worldOf(), dump), UsageError, "got neither");
  await assertRejects(() => runCommand(worldOf(), dump, "p", "--all"), UsageError, "got both");
});

Deno.test("verify counts what it verified, and finds nothing in a good log", async () => {
  assertEquals(await runCommand(worldOf(), verify), {
    code: 0,
    out: "2 inputs of 3 pods verified, 0 differences, 1 unanswered\n",
    err: "",
  });
});

Deno.test("verify fails with a line for each difference", async () => {
  const log = givenLog();
  log.publish(subjects.output("p", "result"), { v: 1, rules: 1 }, { [headerNames.input]: "1" });
  const { code, out } = await runCommand(worldOf(log), verify);
  assertEquals(code, 1);
  assertEquals(out.split("\n"), [
    `pod p, input 1: a second output is recorded at seq ${log.messages.at(-1)?.seq}`,
    "2 inputs of 3 pods verified, 1 differences, 1 unanswered",
    "",
  ]);
});

/** A log whose beginning only the checkpoint has: a covering record at seq 4, pods that may be ahead of it. */
function shortened(log = givenLog(), bucket = new MemoryBucket()): MemoryWorld {
  new MemoryWorker(log).settle();
  publish(log, "p", "a2");
  bucket.save(log, 4);
  log.shorten(3);
  return new MemoryWorld({ log, bucket });
}

Deno.test("a log that was shortened is shown whole, from the checkpoint on", async () => {
  const whole = givenLog();
  new MemoryWorker(whole).settle();
  publish(whole, "p", "a2");
  for (const args of [[pods], [watch, "--once"], [watch, "p", "--once"]] as const) {
    const [command, ...words] = args;
    const { out } = await runCommand(worldOf(whole), command, ...words);
    assertEquals(await runCommand(shortened(), command, ...words), { code: 0, out, err: "" });
  }
});

Deno.test("verify of a shortened log says from where on", async () => {
  assertEquals(await runCommand(shortened(), verify), {
    code: 0,
    out: "0 inputs of 2 pods verified, 0 differences, 1 unanswered, from seq 5 on\n",
    err: "",
  });
});

Deno.test("a log that was shortened is read with a word on it where the checkpoint does not help", async () => {
  const said = async (prepare: (bucket: MemoryBucket, log: MemoryLog) => void) => {
    const log = givenLog();
    const bucket = new MemoryBucket();
    prepare(bucket, log);
    log.delete(1);
    log.delete(3);
    return (await runCommand(new MemoryWorld({ log, bucket }), pods)).err;
  };
  const start = "The log begins at seq 2: what was before it is not seen here";
  const holes = "1 message(s) are missing inside the log\n";
  assertEquals(await said(() => {}), `${holes}${start} (there is no checkpoint)\n`);
  assertEquals(
    await said((bucket, log) => {
      bucket.save(log, 3, { created: "earlier" });
    }),
    `${holes}${start} (the checkpoint is of no use: it is of a stream made at earlier, this one was made at then)\n`,
  );
  assertEquals(await said((bucket, log) => bucket.save(log, 2)), holes);
  assertEquals(await said((bucket, log) => bucket.save(log, 4)), "");
  assertEquals(
    await said((bucket, log) => {
      bucket.save(log, 4);
      bucket.values.set("pod.q", new Uint8Array([1]));
      bucket.values.set("pod.left", bucket.values.get("pod.p") ?? new Uint8Array());
    }),
    `What is saved of q is broken: what was up to seq 4 is not seen here\n`,
  );
  const early = givenLog();
  const bucket = new MemoryBucket();
  bucket.save(early, 1);
  early.shorten(2);
  assertEquals(
    (await runCommand(new MemoryWorld({ log: early, bucket }), pods)).err,
    "The log begins at seq 3: what was before it is not seen here (the checkpoint ends at seq 1)\n",
  );
});

Deno.test("a log that is shortened while it is read is read again", async () => {
  const log = givenLog();
  const bucket = new MemoryBucket();
  const world = new MemoryWorld({ log, bucket });
  const remote = await world.openRemote();
  const openReader = remote.log.read;
  let isFirst = true;
  const read: typeof openReader = (options) => {
    if (isFirst) {
      bucket.save(log, 4);
      log.shorten(4);
    }
    isFirst = false;
    return openReader(options);
  };
  const fold = await foldLog(world, { ...remote, log: { ...remote.log, read } }, null);
  assertEquals([...fold.pods.values()].map(({ pod }) => [pod.id, pod.store.tasks.length]), [
    ["p", 1],
    ["q", 1],
    ["r", 0],
  ]);
});

Deno.test("watch --once shows one list, or all of them", async () => {
  const p = "p: 1 task, 1 pending\n      created  changed\n ◦ 1      59s      59s  a\n";
  const q = "q: 1 task, 1 pending\n      created  changed\n ◦ 1      58s      58s  b\n";
  const r = "r: 0 tasks\n1 call waits for a worker's answer\n";
  assertEquals((await runCommand(worldOf(), watch, "p", "--once")).out, p);
  assertEquals((await runCommand(worldOf(), watch, "--once")).out, [p, q, r].join("\n"));
  await assertRejects(() => runCommand(worldOf(), watch, "a.b"), UsageError);
});

Deno.test("a pod that there is not is said alike by every command that is about one", async () => {
  const cases = [[graph, "draw"], [dump, "dump"], [purge, "purge"], [watch, "watch", "--once"]] as const;
  for (const [command, verb, ...options] of cases) {
    const world = worldOf();
    const before = world.log.messages.length;
    const error = await assertRejects(() => runCommand(world, command, "nope", ...options), OperatorError);
    assertEquals(error.message, `Cannot ${verb}: there is no pod nope`);
    assertEquals([world.said, world.log.messages.length], ["", before]);
  }
});

Deno.test("a pod that only the checkpoint has is there", async () => {
  const log = new MemoryLog();
  publish(log, "old", "a");
  publish(log, "p", "b");
  new MemoryWorker(log).settle();
  const bucket = new MemoryBucket();
  bucket.save(log, 4);
  log.delete(1);
  log.delete(3);
  const { out } = await runCommand(new MemoryWorld({ log, bucket }), graph, "old");
  assertEquals(out.startsWith("old: 1 task"), true, out);
  const dumped = await runCommand(new MemoryWorld({ log, bucket }), dump, "old");
  assertEquals([dumped.code, dumped.out], [0, ""]);
});

Deno.test("purge says at once what it erases", async () => {
  const world = new MemoryWorld({ log: givenLog(), isServed: false });
  await assertRejects(
    () => runCommand(world, purge, "p", "--timeout-ms", "1"),
    OperatorError,
    "Nothing is erased",
  );
  assertEquals(world.said, "Erasing 1 input(s) of p and their answers\n");
});
