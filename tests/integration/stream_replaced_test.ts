/** The stream is deleted, and perhaps made again, under a worker (R18). */
import { assertEquals, assertRejects } from "@std/assert";
import type { StreamConfig } from "nats";
import { OperatorError } from "../../src/errors.ts";
import { Crowd } from "../helpers/crowd.ts";
import type { LogLines } from "../helpers/log_lines.ts";
import { type Json, Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput, readLog, type Server, untilAnswered } from "../helpers/session_log.ts";
import { createdOf, deleteStream, makeStream, replaceStream, streamNames } from "../helpers/streams.ts";
import { currentBinary } from "../helpers/test_binary.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { awaitedLater } from "../helpers/within.ts";
import { startWorker } from "../helpers/worker_in_process.ts";

const replaced = "the stream is another one: all stores are dropped and replayed";
const gone = "the stream is gone: waiting until it is there again";

/** Why the stream was found to be another one, each time. */
function reasons(log: LogLines): string[] {
  return log.reasonsOf(replaced).map((reason) => reason.replaceAll(/\d{4}-\S+Z/g, "…"));
}

const recreated = "error: StreamReplaced: The stream was recreated: it was made at …, now at …";

const ways: readonly [name: string, change: Partial<StreamConfig>][] = [
  ["as it was", {}],
  ["with another configuration", {
    subjects: ["tasks.*.out.>", "tasks.*.in.>", "elsewhere.>"],
    duplicate_window: 60_000_000_000,
    max_msgs: 1_000,
    description: "another",
  }],
];

for (const [name, change] of ways) {
  Deno.test(`a stream made again ${name} is noticed and said, and calls are answered from taskid 1`, async () => {
    await using server = await startTestServer();
    const worker = await startWorker(server);
    await using before = await Pod.join(server);
    for (const subject of ["a", "b", "c"]) await before.call("TaskCreate", { subject });
    const created = await replaceStream(server, change);
    await using pod = await Pod.join(server, { id: before.id });
    const { headers, body } = await pod.call("TaskCreate", { subject: "new" });

    assertEquals(headers["Nats-Msg-Id"], `out-${created}-1`);
    assertEquals(body.changes, [{ taskid: 1, status: "pending", subject: "new", description: "" }]);
    assertEquals(reasons(worker.log), [recreated]);
    await worker.stop();
    await using _again = await startWorker(server);
    assertEquals((await pod.tasks()).map(({ subject }) => subject), ["new"]);
    await everyInputHasOneOutput(server);
  });
}

Deno.test("followers notice a replaced stream, too: the one that takes over has the new lists", async () => {
  await using server = await startTestServer();
  const leader = await startWorker(server);
  await using follower = await startWorker(server);
  await using before = await Pod.join(server);
  await before.call("TaskCreate", { subject: "old" });
  await replaceStream(server);
  await using pod = await Pod.join(server, { id: before.id });
  await pod.call("TaskCreate", { subject: "new" });
  await follower.log.logged(replaced);
  await leader.stop();

  assertEquals((await pod.call("TaskCreate", { subject: "next" })).body.changes[0].taskid, 2);
  assertEquals((await pod.tasks()).map(({ subject }) => subject), ["new", "next"]);
  assertEquals(reasons(follower.log), [recreated]);
  await everyInputHasOneOutput(server);
});

/** What a pod's creates lead to, in the order of the log. */
async function subjectsInLog(server: Server, pod: Pod): Promise<string[]> {
  const log = await readLog(server);
  const calls: Json[] = log.filter(({ pod: id, rest }) => id === pod.id && rest === "call.TaskCreate")
    .map(({ data }) => JSON.parse(new TextDecoder().decode(data)));
  return calls.map((call) => call.arguments.subject);
}

// A server of 2.9 dies where a message of a stream is asked for while it makes that stream, as lists that are loaded do.
const { binary, isCurrent } = await currentBinary();

for (const inFlightMax of [1_024, 4]) {
  const name = `with calls in flight (at most ${inFlightMax} outputs) no old answer counts in the new stream`;
  Deno.test({ name, ignore: !isCurrent }, async () => {
    await using server = await startTestServer({ binary });
    await using worker = await startWorker(server, { inFlightMax });
    await using crowd = await Crowd.join(server, 3);
    let isReplaced = false;
    const sendAllTheTime = async (): Promise<void> => {
      while (!isReplaced) await crowd.send(50);
      await crowd.send(50);
    };
    const sending = awaitedLater(sendAllTheTime());
    await crowd.whenAcknowledged(250);
    const created = await replaceStream(server);
    isReplaced = true;
    await sending;
    const log = await readLog(server);
    const inputs = log.filter(({ direction }) => direction === "in").map(({ seq }) => seq);
    await untilAnswered(server, inputs);

    assertEquals(inputs.length > 100, true);
    // What was on the wire when the old stream went may lie in the new one; nothing is sent there later.
    const strays = (await readLog(server))
      .filter(({ direction, headers }) =>
        direction === "out" && !headers["Nats-Msg-Id"]?.startsWith(`out-${created}-`)
      ).map(({ seq }) => seq);
    assertEquals(strays.length <= inFlightMax, true, `${strays}`);
    await everyInputHasOneOutput(server, { strays });
    for (const { id } of crowd.pods) {
      await using pod = await Pod.join(server, { id });
      assertEquals((await pod.tasks()).map(({ subject }) => subject), await subjectsInLog(server, pod));
    }
    assertEquals(reasons(worker.log), [recreated]);
  });
}

Deno.test("a stream that is gone is said so loudly and waited for: the worker does not make it again", async () => {
  await using server = await startTestServer();
  await using worker = await startWorker(server);
  await using before = await Pod.join(server);
  await before.call("TaskCreate", { subject: "old" });
  await deleteStream(server);
  const { level, fields } = await worker.log.logged(gone);
  await using pod = await Pod.join(server, { id: before.id });
  const sending = awaitedLater(pod.sendCall("TaskCreate", { subject: "new" }));
  // The worker's pauses have grown to their longest.
  await worker.log.logged("reading was interrupted", 5);

  assertEquals([level, fields], ["error", { stream: "TASKS" }]);
  assertEquals(await streamNames(server), []);
  await makeStream(server, { name: "TASKS", subjects: ["tasks.*.in.>", "tasks.*.out.>"] });
  const { body, headers } = await pod.answer(await sending);
  assertEquals(headers["Nats-Msg-Id"], `out-${await createdOf(server)}-1`);
  assertEquals(body.changes[0].taskid, 1);
  assertEquals([worker.log.of(gone).length, reasons(worker.log)], [1, [recreated]]);
});

Deno.test("a worker ends where the new stream cannot serve, and names what keeps it from that", async () => {
  await using server = await startTestServer();
  const worker = await startWorker(server);
  await deleteStream(server);
  await makeStream(server, { name: "TASKS", subjects: ["tasks.*.in.>"], max_age: 1_000_000_000 });

  await assertRejects(
    () => worker.ended,
    OperatorError,
    "Cannot use the stream: subjects must capture tasks.*.out.>: got tasks.*.in.>; " +
      "max_age must be 0, since it throws messages away: got 1000000000 ns",
  );
});
