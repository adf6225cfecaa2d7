import { assertEquals, assertRejects } from "@std/assert";
import { acl } from "../../../src/cli/acl.ts";
import { UsageError } from "../../../src/errors.ts";
import { MemoryWorld, runCommand } from "../../helpers/memory_world.ts";

const run = async (...args: string[]) => (await runCommand(new MemoryWorld(), acl, ...args)).out;

Deno.test("acl prints a block of permissions that says whose it is", async () => {
  assertEquals(
    await run("compact-worker", "--pod", "p"),
    `# compact-worker of p: who reads a list to summarise it. A user of the account PODS
# (tasuki acl accounts), whose client has the inbox prefix _INBOX._.compact.p
permissions: {
  publish: { allow: ["tasks.p.read.*"] }
  subscribe: { allow: ["_INBOX._.compact.p.>"] }
}
`,
  );
});

Deno.test("acl --json prints the same as JSON", async () => {
  assertEquals(JSON.parse(await run("compact-worker", "--pod", "p", "--inbox", "_INBOX.mine", "--json")), {
    permissions: { publish: { allow: ["tasks.p.read.*"] }, subscribe: { allow: ["_INBOX.mine.>"] } },
  });
  assertEquals(Object.keys(JSON.parse(await run("accounts", "--json")).accounts), ["TASUKI", "PODS"]);
});

Deno.test("acl worker --create adds what makes stream and bucket", async () => {
  const listOf = async (...args: string[]) =>
    JSON.parse(await run("worker", "--json", ...args)).permissions.publish.allow;
  const created = await listOf("--create");
  assertEquals(created.slice((await listOf()).length), [
    "$JS.API.STREAM.CREATE.TASKS",
    "$JS.API.STREAM.CREATE.KV_TASKS_CHECKPOINT",
  ]);
});

for (
  const [args, message] of [
    [["podd", "--pod", "p"], 'got "podd": did you mean pod?'],
    [["pod"], "a pod needs --pod"],
    [["pod", "--pod", "a.b"], 'got "a.b"'],
    [["worker", "--pod", "p"], "a worker is for all pods: got --pod p"],
    [["worker", "--inbox", "_INBOX.x"], "the inbox of a worker is _TASUKI_INBOX"],
    [["pod", "--pod", "p", "--inbox", "tasks.p"], 'got "tasks.p"'],
    [["pod", "--pod", "p", "--inbox", "_INBOX.>"], 'got "_INBOX.>"'],
  ] as const
) {
  Deno.test(`acl ${args.join(" ")} is refused`, async () => {
    await assertRejects(() => run(...args), UsageError, message);
  });
}
