/** A log from which messages are missing (R13, R16). */
import { assertEquals, assertRejects } from "@std/assert";
import { OperatorError } from "../../src/errors.ts";
import { removeMessage } from "../helpers/by_hand.ts";
import { type Json, Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput, readLog, withConnection } from "../helpers/session_log.ts";
import { startTestServer, type TestServer } from "../helpers/test_server.ts";
import { startWorker } from "../helpers/worker_in_process.ts";
import { patiently } from "../helpers/within.ts";

/** The worker starts from the log alone. */
async function forgetCheckpoints(server: TestServer): Promise<void> {
  await withConnection(server, async (nc) => {
    await (await nc.jetstreamManager(patiently)).streams.delete("KV_TASKS_CHECKPOINT");
  });
}

Deno.test("inputs whose outputs are missing are decided again at their place: ids and lists stay what they were", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server);
  const before = await startWorker(server);
  const calls: readonly [tool: string, args: Json, callId: string][] = [
    ["TaskCreate", { subject: "a" }, "1"],
    ["TaskCreate", { subject: "b" }, "2"],
    ["TaskUpdate", { taskid: 9, status: "completed" }, "3"],
    ["TaskCreate", { subject: "a" }, "1"],
    ["TaskUpdate", { taskid: 2, status: "completed" }, "5"],
    ["TaskCreate", { subject: "c" }, "6"],
    ["TaskUpdate", { taskid: 1, subject: "A" }, "7"],
  ];
  for (const [tool, args, callId] of calls) await pod.call(tool, args, { callId });
  const seqs = pod.heard.map(({ body }) => body.input_seq);
  const tasks = await pod.tasks();
  await before.stop();
  await forgetCheckpoints(server);
  // The second create, the refused update, the repeat, the third create.
  const removed = [1, 2, 3, 5].map((at) => seqs[at]!);
  for (const inputSeq of removed) await removeMessage(server, (await pod.recorded(inputSeq)).seq);
  await using _after = await startWorker(server, { acceptLoss: true });

  assertEquals(await pod.tasks(), tasks);
  const bodies = await Promise.all(
    removed.map(async (seq) => JSON.parse(new TextDecoder().decode((await pod.recorded(seq)).data))),
  );
  assertEquals(
    bodies.map(({ changes, duplicate, result }) => [changes[0]?.taskid, duplicate, result.isError]),
    [
      [2, undefined, false],
      [undefined, undefined, true],
      [undefined, true, false],
      [3, undefined, false],
    ],
  );
  await everyInputHasOneOutput(server);
});

Deno.test("a log that has lost messages is not served until somebody accepts the loss", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server);
  const before = await startWorker(server);
  await pod.call("TaskCreate", { subject: "a" });
  await pod.call("TaskCreate", { subject: "b" });
  await before.stop();
  await forgetCheckpoints(server);
  const [, , lost] = await readLog(server);
  await removeMessage(server, lost!.seq);

  await assertRejects(
    () => startWorker(server),
    OperatorError,
    `the log has lost messages ${lost!.seq}–${lost!.seq}`,
  );
  await using after = await startWorker(server, { acceptLoss: true });
  assertEquals(after.log.complaints, ["the log has lost messages; going on as told"]);
  assertEquals((await pod.tasks()).map(({ subject }) => subject), ["a"]);
});
