/** Logs that hold another's outputs, or outputs that this version cannot read (R2, R15). */
import { assertEquals, assertMatch } from "@std/assert";
import { recordByHand, removeMessage, taskMade } from "../helpers/by_hand.ts";
import { takeLease } from "../helpers/checkpoint.ts";
import { Gate, hooked } from "../helpers/gate.ts";
import { type Json, Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput, untilAnswered } from "../helpers/session_log.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { within } from "../helpers/within.ts";
import { startWorker } from "../helpers/worker_in_process.ts";
import { spawnWorker } from "../helpers/worker_process.ts";

const subjectsOf = async (pod: Pod) =>
  (await pod.tasks()).map(({ taskid, subject }) => `${taskid} ${subject}`);

Deno.test("another's output that was recorded first counts, and only its pod is built again", async () => {
  await using server = await startTestServer();
  await using worker = await spawnWorker(server);
  await using pod = await Pod.join(server);
  await using other = await Pod.join(server);
  await pod.call("TaskCreate", { subject: "first" });
  await worker.pause();
  const contested = await pod.sendCall("TaskCreate", { subject: "mine" });
  const elsewhere = await other.sendCall("TaskCreate", { subject: "other" });
  const recorded = await recordByHand(pod, contested, { body: taskMade(7, "another's") });
  worker.resume();
  await other.answer(elsewhere);
  await worker.log.logged("pod is built again from the log");
  await pod.call("TaskCreate", { subject: "next" });

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
  await using server = await startTestServer();
  await using worker = await spawnWorker(server);
  await using model = await Pod.join(server);
  await using pod = await Pod.join(server);
  const { body, headers } = await model.call("TaskCreate", { subject: "a" }, { callId: "c" });
  await worker.pause();
  const seq = await pod.sendCall("TaskCreate", { subject: "a" }, { callId: "c" });
  await recordByHand(pod, seq, {
    body: new TextEncoder().encode(JSON.stringify({ ...body, input_seq: seq })),
    headers: { "Tasuki-Call": headers["Tasuki-Call"]! },
  });
  worker.resume();

  assertEquals((await pod.call("TaskCreate", { subject: "a" }, { callId: "c" })).body.duplicate, true);
  assertEquals(await subjectsOf(pod), ["1 a"]);
  assertEquals(worker.log.of("pod is built again from the log"), []);
});

Deno.test("a message under an output's id that is no output of the input is passed over: the answer gets another id", async () => {
  await using server = await startTestServer();
  const worker = await spawnWorker(server);
  await using pod = await Pod.join(server);
  await using other = await Pod.join(server);
  const first = await pod.call("TaskCreate", { subject: "first" });
  const stem = first.headers["Nats-Msg-Id"]!.replace(/\d+$/, "");
  await worker.pause();
  const seq = await pod.sendCall("TaskCreate", { subject: "mine" });
  // Another pod's input, an output of another input, and an output on another pod.
  const foreign = await other.sendCall("TaskCreate", { subject: "other" }, {
    headers: { "Nats-Msg-Id": `${stem}${seq}` },
  });
  const strays = [
    await recordByHand(pod, first.body.input_seq, {
      body: taskMade(9, "stray"),
      messageId: `${stem}${seq}-2`,
    }),
    await recordByHand(other, seq, { body: taskMade(9, "stray"), messageId: `${stem}${seq}-3` }),
  ];
  worker.resume();
  await untilAnswered(server, [seq, foreign]);

  const ours = (await pod.outputsOf(seq)).filter(({ seq, pod: id }) =>
    id === pod.id && !strays.includes(seq)
  );
  assertEquals(ours.map(({ headers }) => headers["Nats-Msg-Id"]), [`${stem}${seq}-4`]);
  assertEquals([await subjectsOf(pod), await subjectsOf(other)], [["1 first", "2 mine"], ["1 other"]]);
  await worker.stop();
  await using _again = await startWorker(server);
  assertEquals([await subjectsOf(pod), await subjectsOf(other)], [["1 first", "2 mine"], ["1 other"]]);
  await everyInputHasOneOutput(server, { strays });
});

Deno.test("an input whose message id imitates its own output's, or a later one's, is answered like any other", async () => {
  await using server = await startTestServer();
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  const first = await pod.call("TaskCreate", { subject: "first" });
  const stem = first.headers["Nats-Msg-Id"]!.replace(/\d+$/, "");
  const messageIdOf = async (subject: string, headers: Record<string, string>) => {
    const seq = await pod.sendCall("TaskCreate", { subject }, { headers });
    return [seq, (await pod.recorded(seq)).headers["Nats-Msg-Id"]];
  };

  // The log goes: first (1), its output (2), own (3), its output (4), later (5), …
  assertEquals(await messageIdOf("own", { "Nats-Msg-Id": `${stem}3` }), [3, `${stem}3-2`]);
  assertEquals(await messageIdOf("later", { "Nats-Msg-Id": `${stem}7` }), [5, `${stem}5`]);
  assertEquals(await messageIdOf("last", {}), [7, `${stem}7-2`]);
  assertEquals(await messageIdOf("after", {}), [9, `${stem}9`]);
  assertEquals(await subjectsOf(pod), ["1 first", "2 own", "3 later", "4 last", "5 after"]);
  await everyInputHasOneOutput(server);
});

Deno.test("of two recorded outputs of one input the first counts; what lies before it or on another pod never", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server);
  await using other = await Pod.join(server);
  const before = await startWorker(server);
  const first = await pod.call("TaskCreate", { subject: "first" });
  await before.stop();
  const early = await recordByHand(pod, first.body.input_seq + 3, {
    body: taskMade(5, "early"),
    messageId: "early",
  });
  const seq = await pod.sendCall("TaskCreate", { subject: "x" });
  assertEquals(seq, first.body.input_seq + 3);
  const elsewhere = await recordByHand(other, seq, {
    body: taskMade(6, "elsewhere"),
    messageId: "elsewhere",
  });
  await recordByHand(pod, seq, { body: taskMade(7, "counts"), messageId: "one" });
  const late = await recordByHand(pod, seq, { body: taskMade(8, "too late"), messageId: "two" });
  await using _after = await startWorker(server);

  assertEquals(await subjectsOf(pod), ["1 first", "7 counts"]);
  assertEquals(await subjectsOf(other), []);
  await everyInputHasOneOutput(server, { strays: [early, elsewhere, late] });
});

const isNotServed = (result: Json): boolean =>
  result.isError && result.structuredContent.error.code === "not_served";

const unreadable: readonly [name: string, body: Json | Uint8Array, kind: string, says: RegExp][] = [
  ["of a newer version", { v: 2, changes: [] }, "result", /: this worker knows v 1: got 2$/],
  ["of a newer version, rejected", { v: 2 }, "rejected", /: this worker knows v 1: got 2$/],
  ["that is no JSON", new TextEncoder().encode("{"), "result", /: it is not JSON$/],
  ["that is not UTF-8", Uint8Array.of(0x7b, 0xff), "result", /: it is not JSON$/],
  ["whose changes have another form", { changes: [{ taskid: "1" }] }, "result", /: changes\.0\.taskid: /],
  [
    "that changes a task which is not there",
    { changes: [{ taskid: 9, status: "completed" }] },
    "result",
    /Cannot apply /,
  ],
  [
    "of an unknown event",
    { kind: "session.forked", event_id: "e" },
    "event",
    /: its kind is unknown: got session\.forked$/,
  ],
];

for (const [name, body, kind, says] of unreadable) {
  Deno.test(`an output ${name}: its pod is not served and says so, its inputs stay unanswered, others go on`, async () => {
    await using server = await startTestServer();
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
    await after.log.logged("leading");
    let live = 0;
    const told = await pod.replyOn(inbox, async () => {
      live = await pod.sendCall("TaskCreate", { subject: "z" }, { headers: { "Tasuki-Reply": inbox } });
    });
    const read = await pod.read("TaskList");

    assertEquals(told, { v: 1, input_seq: live, recorded: false, result: read });
    assertEquals(isNotServed(read), true);
    assertMatch(read.structuredContent.error.message, says);
    await other.call("TaskCreate", { subject: "other" });
    assertEquals([await pod.outputsOf(pending), await pod.outputsOf(live)], [[], []]);
    assertEquals(after.log.of("a pod is not served").map(({ fields }) => fields.pod), [pod.id]);
    // Without the broken output the pod is as it ever was: its inputs have waited.
    await after.stop();
    await removeMessage(server, output);
    await using _mended = await startWorker(server, { acceptLoss: true });
    assertEquals(await subjectsOf(pod), ["1 first", "2 x", "3 y", "4 z"]);
    // Its first id is still known to the server: the answer goes under another.
    await pod.recorded(broken);
    await everyInputHasOneOutput(server);
  });
}

Deno.test("another's output of a newer version, met while serving: only its pod is not served any more", async () => {
  await using server = await startTestServer();
  await using worker = await spawnWorker(server);
  await using pod = await Pod.join(server);
  await using other = await Pod.join(server);
  await pod.call("TaskCreate", { subject: "first" });
  await worker.pause();
  await recordByHand(pod, await pod.sendCall("TaskCreate", { subject: "x" }), { body: { v: 2 } });
  worker.resume();
  await worker.log.logged("pod is built again from the log");

  assertEquals(isNotServed(await pod.read("TaskList")), true);
  assertEquals((await other.call("TaskCreate", { subject: "other" })).kind, "result");
});

Deno.test("callers of a pod that is not served who came while nobody led are told by the next leader, as far as nobody answered", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server);
  const before = await startWorker(server);
  await pod.call("TaskCreate", { subject: "first" });
  await before.stop();
  const inbox = `_INBOX.${pod.id}`;
  const notices = pod.nc.subscribe(inbox, { max: 4 });
  const call = () => pod.sendCall("TaskList", {}, { headers: { "Tasuki-Reply": inbox } });
  await recordByHand(pod, await call(), { body: { v: 2 } });
  const early = await call();
  await takeLease(server);
  using looking = new Gate();
  looking.close();
  // However long the calls take to come, it takes the lease after them.
  const hooks = hooked({
    get: async (key, get) => {
      if (key === "lease") await looking.pass();
      return await get();
    },
  });
  await using worker = await startWorker(server, {}, hooks);
  const waiting = [await call(), await call()];
  await recordByHand(pod, await call());
  const last = await call();
  assertEquals(worker.log.of("leading"), []);
  looking.open();
  const told = await within(Array.fromAsync(notices, (message) => message.json<Json>()), "four notices");

  assertEquals(told.map(({ input_seq }) => input_seq), [early, ...waiting, last]);
  assertEquals(
    told.map(({ recorded, result }) => [recorded, isNotServed(result)]),
    Array(4).fill([false, true]),
  );
});
