import { assertEquals, assertRejects } from "@std/assert";
import { call } from "../../../src/cli/call.ts";
import { OperatorError, UsageError } from "../../../src/errors.ts";
import { bodyOf } from "../../helpers/memory_log.ts";
import { MemoryWorld, type Printed, runCommand } from "../../helpers/memory_world.ts";

function run(world: MemoryWorld, ...args: readonly string[]): Promise<Printed> {
  return runCommand(world, call, ...args);
}

Deno.test("call prints what the model would read", async () => {
  const world = new MemoryWorld();
  const printed = await run(world, "p", "TaskCreate", '{"subject": "parse"}');
  assertEquals(printed, {
    code: 0,
    out: "Created task 1 (pending): parse\n" +
      "TaskStore: 1 task(s) (pending: 1, inprogress: 0, completed: 0, deleted: 0)\n" +
      '{"taskid":1,"status":"pending","subject":"parse","description":""}\n',
    err: "",
  });
});

Deno.test("call sends who calls, and reads arguments from standard input where it is told to", async () => {
  const world = new MemoryWorld({ files: { "-": '{"subject": "from stdin",}' } });
  await run(world, "p", "TaskCreate", "-", "--agent", "al", "--session", "s", "--call-id", "c 1");
  const [input] = world.log.messages;
  assertEquals(input?.subject, "tasks.p.in.call.TaskCreate");
  assertEquals(input && bodyOf(input), {
    v: 1,
    call_id: "c 1",
    arguments: { subject: "from stdin" },
    agent: "al",
    session: "s",
  });
  assertEquals(input?.header("Nats-Msg-Id")?.startsWith("p:"), true);
});

Deno.test("call --json prints the whole answer, harmless for a terminal", async () => {
  const printed = await run(new MemoryWorld(), "p", "TaskCreate", '{"subject": "\\u009b2J"}', "--json");
  const answer = JSON.parse(printed.out);
  assertEquals([answer.input_seq, answer.changes[0].subject], [1, "\u009b2J"]);
  assertEquals(printed.out.includes("\u009b"), false);
});

Deno.test("call fails where the call is refused, and prints the refusal", async () => {
  const printed = await run(new MemoryWorld(), "p", "TaskGet", '{"taskid": 7}');
  assertEquals(printed.code, 1);
  assertEquals(printed.out.startsWith("Refused (task_not_found): "), true);
});

Deno.test("call without a worker says where the call lies", async () => {
  const world = new MemoryWorld({ isServed: false });
  const error = await assertRejects(() => run(world, "p", "TaskList", "--timeout-ms", "0"), OperatorError);
  assertEquals(
    error.message,
    "No answer in time: the call is in the log at seq 1 and will be answered when a worker runs",
  );
  assertEquals(world.log.messages.length, 1);
});

Deno.test("call that waits says so once after two seconds, and not where its output goes", async () => {
  const world = new MemoryWorld({ isServed: false });
  await assertRejects(
    () => run(world, "p", "TaskList", "--timeout-ms", "2100"),
    OperatorError,
    "No answer in time",
  );
  assertEquals([world.printed, world.said], [
    "",
    "Waiting for a worker to answer what is in the log at seq 1\n",
  ]);
});

Deno.test("call refuses what can never be a call, before it publishes anything", async () => {
  const wrong: readonly (readonly string[])[] = [
    ["a.b", "TaskList"],
    ["_", "TaskList"],
    ["p", "Task.List"],
    ["p", "TaskList", "[]"],
    ["p", "TaskList", "{"],
    ["p", "TaskList", "--agent", "a b"],
    ["p", "TaskList", "--call-id", "日本"],
    ["p", "TaskList", "--session", "x".repeat(129)],
    ["p", "TaskList", "--timeout-ms", "1s"],
    ["p", "TaskList", "--timeout-ms", "99999999"],
  ];
  for (const args of wrong) {
    const world = new MemoryWorld();
    await assertRejects(() => run(world, ...args), UsageError);
    assertEquals(world.log.messages, []);
  }
});
