/** Logs that hold another's outputs, outputs that this version cannot read, or holes (R2, R13, R15). */
import { assertEquals, assertMatch } from "@std/assert";
import { recordByHand, removeMessage, taskMade } from "../helpers/by_hand.ts";
import { startFileServer } from "../helpers/file_server.ts";
import { type Json, Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput } from "../helpers/session_log.ts";
import { startWorker } from "../helpers/worker_in_process.ts";
import { spawnWorker } from "../helpers/worker_process.ts";

const server = await startFileServer();

const subjectsOf = async (pod: Pod) => (await pod.tasks()).map(({ taskid, subject }) => `${taskid} ${subject}`);

Deno.test("another's output that was recorded first counts, and only its pod is built again", async () => {
  await using worker = await spawnWorker(server);
  await using pod = await Pod.join(server);
  await using other = await Pod.join(server);
  await pod.call("TaskCreate", { subject: "first" });
  worker.pause();
  const contested = await pod.sendCall("TaskCreate", { subject: "mine" });
  const next = await pod.sendCall("TaskCreate", { subject: "next" });
  await other.sendCall("TaskCreate", { subject: "other" });
  const recorded = await recordByHand(pod, contested, { body: taskMade(7, "another's") });
  worker.resume();
  await pod.answer(next);

  assertEquals(await subjectsOf(pod), ["1 first", "7 another's", "8 next"]);
  assertEquals((await pod.outputsOf(contested)).map(({ seq }) => seq), [recorded]);
  assertEquals(await subjectsOf(other), ["1 other"]);
  assertEquals(worker.log.of("pod is built again from the log").map(({ fields }) => fields.pod), [pod.id]);
  await worker.stop();
  await using _again = await startWorker(server);
  assertEquals(await subjectsOf(pod), ["1 first", "7 another's", "8 next"]);
  await everyInputHasOneOutput(server);
});

Deno.test("another's output with the very same bytes is as good as one's own", async () => {
  await using model = await Pod.join(server);
  await using worker = await spawnWorker(server);
  const { body, headers } = await model.call("TaskCreate", { subject: "a" }, { callId: "c" });
  worker.pause();
  await using pod = await Pod.join(server);
  const seq = await pod.sendCall("TaskCreate", { subject: "a" }, { callId: "c" });
  await recordByHand(pod, seq, { body: { ...body, input_seq: seq }, headers: { "Tasuki-Call": headers["Tasuki-Call"]! } });
  worker.resume();

  assertEquals((await pod.call("TaskCreate", { subject: "a" }, { callId: "c" })).body.duplicate, true);
  assertEquals(await subjectsOf(pod), ["1 a"]);
  assertEquals(worker.log.of("pod is built again from the log"), []);
});

Deno.test("a message under an output's id that is no output of the input is passed over: the answer gets another id", async () => {
  await using worker = await spawnWorker(server);
  await using pod = await Pod.join(server);
  await using other = await Pod.join(server);
  await pod.call("TaskCreate", { subject: "first" });
  worker.pause();
  const seq = await pod.sendCall("TaskCreate", { subject: "mine" });
  const messageId = (at: number, n: string) => `out-${pod.heard[0]!.headers["Nats-Msg-Id"]!.slice(4, -2)}-${at}${n}`;
  // Another pod's input, an output of another input, and an output on another pod.
  const foreign = await other.sendCall("TaskCreate", { subject: "other" }, { headers: { "Nats-Msg-Id": messageId(seq, "") } });
  const stray = await recordByHand(pod, 1, { body: taskMade(9, "stray"), messageId: messageId(seq, "-2") });
  const elsewhere = await recordByHand(other, seq, { body: taskMade(9, "stray"), messageId: messageId(seq, "-3") });
  worker.resume();
  const { headers, body } = await pod.answer(seq);
  await other.answer(foreign);

  assertEquals([headers["Nats-Msg-Id"], body.changes[0].taskid], [messageId(seq, "-4"), 2]);
  assertEquals([await subjectsOf(pod), await subjectsOf(other)], [["1 first", "2 mine"], ["1 other"]]);
  await worker.stop();
  await using _again = await startWorker(server);
  assertEquals([await subjectsOf(pod), await subjectsOf(other)], [["1 first", "2 mine"], ["1 other"]]);
  await removeMessage(server, stray);
  await removeMessage(server, elsewhere);
  await everyInputHasOneOutput(server);
});

Deno.test("an input whose message id imitates its own output's, or a later one's, is answered like any other", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  const first = await pod.call("TaskCreate", { subject: "first" });
  const stem = first.headers["Nats-Msg-Id"]!.replace(/\d+$/, "");
  const at = first.body.input_seq;
  // The log goes: first (at), its output, own (at + 2), its output, later (at + 4), its output, last (at + 6).
  const outputs = [
    await pod.call("TaskCreate", { subject: "own" }, { headers: { "Nats-Msg-Id": `${stem}${at + 2}` } }),
    await pod.call("TaskCreate", { subject: "later" }, { headers: { "Nats-Msg-Id": `${stem}${at + 6}` } }),
    await pod.call("TaskCreate", { subject: "last" }),
    await pod.call("TaskCreate", { subject: "after" }),
  ];

  assertEquals(outputs.map(({ headers }) => headers["Nats-Msg-Id"]), [
    `${stem}${at + 2}-2`,
    `${stem}${at + 4}`,
    `${stem}${at + 6}-2`,
    `${stem}${at + 8}`,
  ]);
  assertEquals(await subjectsOf(pod), ["1 first", "2 own", "3 later", "4 last", "5 after"]);
  await everyInputHasOneOutput(server);
});

Deno.test("of two recorded outputs of one input the first counts; what lies before it or on another pod never", async () => {
  await using pod = await Pod.join(server);
  await using other = await Pod.join(server);
  await using before = await startWorker(server);
  await pod.call("TaskCreate", { subject: "first" });
  await before.stop();
  // An output for the input that comes two messages later.
  const early = await recordByHand(pod, pod.heard[0]!.body.input_seq + 4, { body: taskMade(5, "early"), messageId: "early" });
  const seq = await pod.sendCall("TaskCreate", { subject: "x" });
  const strays = [
    early,
    await recordByHand(other, seq, { body: taskMade(6, "elsewhere"), messageId: "elsewhere" }),
  ];
  await recordByHand(pod, seq, { body: taskMade(7, "counts"), messageId: "one" });
  strays.push(await recordByHand(pod, seq, { body: taskMade(8, "too late"), messageId: "two" }));
  await using _after = await startWorker(server);

  assertEquals(await subjectsOf(pod), ["1 first", "7 counts"]);
  assertEquals(await subjectsOf(other), []);
  for (const stray of strays) await removeMessage(server, stray);
  await everyInputHasOneOutput(server);
});

const isNotServed = (result: Json): boolean => result.isError && result.structuredContent.error.code === "not_served";

const unreadable: readonly [name: string, body: Json | Uint8Array, kind: string, says: RegExp][] = [
  ["of a newer version", { v: 2, changes: [] }, "result", /: this worker knows v 1: got 2$/],
  ["of a newer version, rejected", { v: 2 }, "rejected", /: this worker knows v 1: got 2$/],
  ["that is no JSON", new TextEncoder().encode("{"), "result", /: it is not JSON$/],
  ["that is not UTF-8", Uint8Array.of(0x7b, 0xff), "result", /: it is not JSON$/],
  ["whose changes have another form", { changes: [{ taskid: "1" }] }, "result", /: changes\.0\.taskid: /],
  ["that changes a task which is not there", { changes: [{ taskid: 9, status: "completed" }] }, "result", /Cannot apply /],
  ["of an unknown event", { kind: "session.forked", event_id: "e" }, "event", /: its kind is unknown: got session\.forked$/],
];

for (const [name, body, kind, says] of unreadable) {
  Deno.test(`an output ${name}: its pod is not served and says so, its inputs stay unanswered, others go on`, async () => {
    await using pod = await Pod.join(server);
    await using other = await Pod.join(server);
    const before = await startWorker(server);
    await pod.call("TaskCreate", { subject: "first" });
    await before.stop();
    const broken = await pod.sendCall("TaskCreate", { subject: "x" });
    const output = await recordByHand(pod, broken, { kind, body });
    const pending = await pod.sendCall("TaskCreate", { subject: "y" });
    await using after = await startWorker(server);
    const inbox = `_INBOX.${pod.id}`;
    const replies = pod.nc.subscribe(inbox, { max: 1 });
    const live = await pod.sendCall("TaskCreate", { subject: "z" }, { headers: { "Tasuki-Reply": inbox } });
    const told: Json[] = [];
    for await (const message of replies) told.push(message.json());
    const read = await pod.read("TaskList");

    assertEquals(told.map(({ v, input_seq, recorded }) => [v, input_seq, recorded]), [[1, live, false]]);
    assertEquals([told[0].result, read].map(isNotServed), [true, true]);
    assertEquals(told[0].result, read);
    assertMatch(read.structuredContent.error.message, says);
    await other.call("TaskCreate", { subject: "other" });
    assertEquals([await pod.outputsOf(pending), await pod.outputsOf(live)], [[], []]);
    // Without the broken output the pod is as it ever was: its inputs have waited.
    await after.stop();
    await removeMessage(server, output);
    await using _mended = await startWorker(server);
    assertEquals(await subjectsOf(pod), ["1 first", "2 x", "3 y", "4 z"]);
    await everyInputHasOneOutput(server);
  });
}

Deno.test("another's output of a newer version, met while serving: only its pod is not served any more", async () => {
  await using worker = await spawnWorker(server);
  await using pod = await Pod.join(server);
  await using other = await Pod.join(server);
  worker.pause();
  const seq = await pod.sendCall("TaskCreate", { subject: "x" });
  const output = await recordByHand(pod, seq, { body: { v: 2 } });
  worker.resume();
  await worker.log.logged("pod is built again from the log");

  assertEquals(isNotServed(await pod.read("TaskList")), true);
  assertEquals((await other.call("TaskCreate", { subject: "other" })).kind, "result");
  await worker.stop();
  await removeMessage(server, output);
});
