/** What waits for what, printed by the real command over a real log. */
import { assertEquals } from "@std/assert";
import { startFileServer } from "../helpers/file_server.ts";
import { Pod } from "../helpers/pod.ts";
import { type CliEnd, runCli, startCli } from "../helpers/run_cli.ts";
import { startWorker } from "../helpers/worker_in_process.ts";

const server = await startFileServer();
const env = { NATS_URL: server.url };
const tasuki = (...args: readonly string[]): Promise<CliEnd> => runCli(args, { env });

/** The course's own example, where the README shows it: the schema is done, alice makes the endpoints. */
async function courseIn(pod: Pod): Promise<void> {
  await pod.call("TaskCreate", {
    tasks: [
      { subject: "setup database schema" },
      { subject: "create API endpoints", blockedBy: ["$1"] },
      { subject: "write tests", blockedBy: ["$2"] },
      { subject: "write docs", blockedBy: ["$1"] },
    ],
  });
  await pod.call("TaskClaim", { taskid: 1, owner: "alice" });
  await pod.call("TaskComplete", { taskid: 1 });
  await pod.call("TaskClaim", { taskid: 2, owner: "alice" });
}

const tree = [
  "✓ 1 setup database schema",
  "├─ ▸ 2 create API endpoints  running @alice",
  "│  └─ ⊘ 3 write tests  waits for 2",
  "└─ ◦ 4 write docs  ready",
];

Deno.test("graph prints the course's example, and its picture is the one in the documents", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  await courseIn(pod);
  const printed = await tasuki("graph", pod.id);
  assertEquals([printed.code, printed.err], [0, ""]);
  assertEquals(printed.out.trimEnd().split("\n").slice(1), tree);
  const { out: svg } = await tasuki("graph", pod.id, "--format", "svg");
  assertEquals(svg, await Deno.readTextFile(new URL("../../docs/graph.svg", import.meta.url)));
});

Deno.test("watch --graph prints the tree, and then what changes", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  await courseIn(pod);
  await using watching = startCli(["watch", pod.id, "--graph"], { env });
  await watching.printed(tree.join("\n"));
  await pod.call("TaskComplete", { taskid: 2 }, { agent: "alice" });
  await watching.printed("task 2 inprogress → completed");
});
