import { assertEquals, assertRejects } from "@std/assert";
import { dump } from "../../../src/cli/dump.ts";
import { pods } from "../../../src/cli/pods.ts";
import { verify } from "../../../src/cli/verify.ts";
import { watch } from "../../../src/cli/watch.ts";
import { UsageError } from "../../../src/errors.ts";
import { headerNames } from "../../../src/log/log_message.ts";
import { MemoryLog, MemoryWorker, subjects } from "../../helpers/memory_log.ts";
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
  const nothing = await runCommand(worldOf(), dump, "x");
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

Deno.test("a log that was shortened is read with a word on it", async () => {
  const log = givenLog();
  log.delete(1);
  log.delete(3);
  assertEquals(
    (await runCommand(worldOf(log), pods)).err,
    "The log begins at seq 2: what was before it is not seen here\n1 message(s) are missing inside the log\n",
  );
});

Deno.test("watch --once shows one list, or all of them", async () => {
  const p = "p: 1 task, 1 pending\n      created  changed\n ◦ 1      59s      59s  a\n";
  const q = "q: 1 task, 1 pending\n      created  changed\n ◦ 1      58s      58s  b\n";
  const r = "r: 0 tasks\n1 call waits for a worker's answer\n";
  assertEquals((await runCommand(worldOf(), watch, "p", "--once")).out, p);
  assertEquals((await runCommand(worldOf(), watch, "--once")).out, [p, q, r].join("\n"));
  assertEquals((await runCommand(worldOf(), watch, "new", "--once")).out, "new: 0 tasks\n");
  await assertRejects(() => runCommand(worldOf(), watch, "a.b"), UsageError);
});
