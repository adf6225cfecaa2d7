/** Whatever comes on an input subject gets its answer or its rejection, and everyone goes on. */
import { assertEquals } from "@std/assert";
import { startFileServer } from "../helpers/file_server.ts";
import { Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput } from "../helpers/session_log.ts";
import { startWorker, type TestWorker } from "../helpers/worker_in_process.ts";

const server = await startFileServer();

/** 1 MiB is what the server takes, headers included. */
const largest = 1024 * 1024 - 200;
const deep = "[".repeat(20_000) + "]".repeat(20_000);
const open = "[".repeat(20_000);
const bytes = (...codes: number[]) => Uint8Array.from(codes);
const callOf = (more: unknown) => JSON.stringify({ call_id: "c", ...(more as object) });

interface Bad {
  /** What comes. */
  readonly name: string;
  /** The subject after `in.`; by default a TaskCreate. */
  readonly rest?: string;
  readonly data: string | Uint8Array;
  /** The reason of the rejection, or the code of the refusal. */
  readonly gets: string;
  readonly kind?: "rejected" | "result" | "event";
}

const rejected: readonly Bad[] = [
  { name: "nothing at all", data: "", gets: "not_json" },
  { name: "no JSON", data: "hello", gets: "not_json" },
  { name: "half of a JSON text", data: '{"call_id":"c","arguments":{"subj', gets: "not_json" },
  { name: "JSON with a comment", data: '{"call_id":"c" /* */}', gets: "not_json" },
  { name: "null", data: "null", gets: "bad_envelope" },
  { name: "an array", data: '[{"call_id":"c"}]', gets: "bad_envelope" },
  { name: "a text", data: '"call_id"', gets: "bad_envelope" },
  { name: "no call_id", data: '{"arguments":{"subject":"a"}}', gets: "bad_envelope" },
  { name: "an empty call_id", data: '{"call_id":""}', gets: "bad_envelope" },
  { name: "a numeric call_id", data: '{"call_id":7}', gets: "bad_envelope" },
  { name: "a call_id of null", data: '{"call_id":null}', gets: "bad_envelope" },
  { name: "a call_id of 129 characters", data: `{"call_id":"${"x".repeat(129)}"}`, gets: "bad_envelope" },
  { name: "a call_id with a line feed", data: '{"call_id":"a\\nb"}', gets: "bad_envelope" },
  { name: "a call_id beyond ASCII", data: '{"call_id":"é"}', gets: "bad_envelope" },
  { name: "a call_id in the prototype", data: '{"__proto__":{"call_id":"c"}}', gets: "bad_envelope" },
  { name: "another version", data: '{"v":2,"call_id":"c"}', gets: "unsupported_version" },
  { name: "a version as text", data: '{"v":"1","call_id":"c"}', gets: "unsupported_version" },
  { name: "20,000 nested brackets", data: deep, gets: "bad_envelope" },
  { name: "20,000 open brackets", data: open, gets: "not_json" },
  {
    name: "20,000 nested objects",
    data: '{"a":'.repeat(20_000) + "1" + "}".repeat(20_000),
    gets: "bad_envelope",
  },
  { name: "20,000 nested brackets as call_id", data: `{"call_id":${deep}}`, gets: "bad_envelope" },
  { name: "invalid UTF-8", data: bytes(0x7b, 0xff, 0xfe, 0x7d), gets: "not_utf8" },
  { name: "an overlong UTF-8 form", data: bytes(0x22, 0xc0, 0xaf, 0x22), gets: "not_utf8" },
  { name: "a message of 1 MB without JSON", data: "x".repeat(largest), gets: "not_json" },
  { name: "an unknown event", rest: "compact.paused", data: '{"compact_id":"c"}', gets: "unknown_input" },
  { name: "an unknown lane", rest: "foo", data: "{}", gets: "unknown_input" },
  { name: "a call of no tool", rest: "call", data: callOf({}), gets: "unknown_input" },
  { name: "a call of two tokens", rest: "call.TaskList.now", data: callOf({}), gets: "unknown_input" },
  {
    name: "a tool with a forbidden character",
    rest: "call.Task$List",
    data: callOf({}),
    gets: "unknown_input",
  },
  {
    name: "a tool of 65 characters",
    rest: `call.${"T".repeat(65)}`,
    data: callOf({}),
    gets: "unknown_input",
  },
  { name: "a compaction without its id", rest: "compact.started", data: "{}", gets: "bad_envelope" },
  {
    name: "a restore with a call's id",
    rest: "session.restore",
    data: callOf({ entries: [] }),
    gets: "bad_envelope",
  },
  { name: "a close with a numeric id", rest: "session.closed", data: '{"event_id":1}', gets: "bad_envelope" },
  { name: "an exit without an id", rest: "agent.exited", data: '{"agent":"a"}', gets: "bad_envelope" },
];

const invalid = { kind: "result", gets: "invalid_arguments" } as const;
const nothingThere = { kind: "result", gets: "task_not_found" } as const;
const refused: readonly Bad[] = [
  { name: "20,000 nested brackets as arguments", data: `{"call_id":"c","arguments":${deep}}`, ...invalid },
  {
    name: "20,000 nested brackets in arguments",
    data: `{"call_id":"c","arguments":{"subject":${deep}}}`,
    ...invalid,
  },
  { name: "20,000 nested brackets as text", data: callOf({ arguments: deep }), ...invalid },
  { name: "20,000 open brackets as text", data: callOf({ arguments: open }), ...invalid },
  {
    name: "20,000 nested brackets as twice encoded text",
    data: callOf({ arguments: JSON.stringify(deep) }),
    ...invalid,
  },
  {
    name: "20,000 nested brackets in text",
    data: callOf({ arguments: `{"subject":"a","metadata":{"a":${deep}}}` }),
    ...invalid,
  },
  {
    name: "20,000 nested brackets in a batch as text",
    data: callOf({ arguments: { tasks: deep } }),
    ...invalid,
  },
  {
    name: "20,000 nested brackets as blockers",
    data: callOf({ arguments: { subject: "a", blockedBy: deep } }),
    ...invalid,
  },
  { name: "20,000 nested brackets as agent", data: `{"call_id":"c","agent":${deep}}`, ...invalid },
  { name: "arguments that are a number", data: callOf({ arguments: 7 }), ...invalid },
  { name: "arguments that are an array", data: callOf({ arguments: ["subject"] }), ...invalid },
  { name: "arguments that are text", data: callOf({ arguments: "subject" }), ...invalid },
  { name: "no arguments for a TaskCreate", data: callOf({}), ...invalid },
  {
    name: "arguments of TaskUpdate for a TaskCreate",
    data: callOf({ arguments: { taskid: 1, status: "completed" } }),
    ...invalid,
  },
  {
    name: "arguments of TaskCreate for a TaskUpdate",
    rest: "call.TaskUpdate",
    data: callOf({ arguments: { subject: "a" } }),
    ...invalid,
  },
  {
    name: "a description of nearly 1 MB",
    data: callOf({ arguments: { subject: "a", description: "x".repeat(largest - 100) } }),
    ...invalid,
  },
  {
    name: "1 MB of unknown fields",
    data: callOf({ arguments: { x: "y".repeat(largest - 100) } }),
    ...invalid,
  },
  { name: "a numeric subject", data: callOf({ arguments: { subject: 7 } }), ...invalid },
  {
    name: "an id in the prototype",
    rest: "call.TaskGet",
    data: '{"call_id":"c","arguments":{"__proto__":{"taskid":1}}}',
    ...invalid,
  },
  { name: "a forbidden agent", data: callOf({ agent: "a b", arguments: { subject: "a" } }), ...invalid },
  {
    name: "a session of 129 characters",
    data: callOf({ session: "é".repeat(129), arguments: { subject: "a" } }),
    ...invalid,
  },
  {
    name: "a number as text",
    rest: "call.TaskGet",
    data: callOf({ arguments: { taskid: "9" } }),
    ...nothingThere,
  },
  {
    name: "a number with a sign",
    rest: "call.TaskGet",
    data: callOf({ arguments: { taskid: "#9" } }),
    ...nothingThere,
  },
  {
    name: "a number too large",
    rest: "call.TaskGet",
    data: callOf({ arguments: { taskid: "9".repeat(400) } }),
    ...invalid,
  },
  { name: "an unknown tool", rest: "call.TaskFoo", data: callOf({}), kind: "result", gets: "unknown_tool" },
  {
    name: "a tool of the prototype",
    rest: "call.constructor",
    data: callOf({}),
    kind: "result",
    gets: "unknown_tool",
  },
  {
    name: "20,000 nested brackets as session",
    rest: "compact.started",
    data: `{"compact_id":"c","session":${deep}}`,
    kind: "event",
    gets: "invalid_arguments",
  },
  {
    name: "entries that are no list",
    rest: "session.restore",
    data: '{"restore_id":"r","entries":{}}',
    kind: "event",
    gets: "invalid_arguments",
  },
  {
    name: "an exit of nobody",
    rest: "agent.exited",
    data: '{"event_id":"e"}',
    kind: "event",
    gets: "invalid_arguments",
  },
];

/** Between two good calls of the pod, and before one of another: all are answered, in their order. */
async function amongGoodCalls(
  _worker: TestWorker,
  { rest = "call.TaskCreate", data, gets, kind = "rejected" }: Bad,
): Promise<void> {
  await using pod = await Pod.join(server);
  await using other = await Pod.join(server);
  const first = await pod.sendCall("TaskCreate", { subject: "before" });
  const bad = await pod.send(rest, data);
  const last = await pod.sendCall("TaskCreate", { subject: "after" });
  const { body } = await pod.answer(bad);
  await pod.answer(last);

  assertEquals(pod.heard.map(({ kind, body }) => [kind, body.input_seq]), [["result", first], [kind, bad], [
    "result",
    last,
  ]]);
  assertEquals((await other.call("TaskCreate", { subject: "other" })).body.changes[0].taskid, 1);
  assertEquals((await pod.tasks()).map(({ subject }) => subject), ["before", "after"]);
  if (kind === "rejected") {
    const { detail, ...fields } = body;
    const head = new TextDecoder().decode(
      (typeof data === "string" ? new TextEncoder().encode(data) : data).slice(0, 256),
    );
    assertEquals(fields, {
      v: 1,
      rules: 1,
      input_seq: bad,
      subject: `tasks.${pod.id}.in.${rest}`,
      reason: gets,
      head,
    });
    assertEquals(typeof detail, "string");
  } else {
    const error = body.error ?? body.result.structuredContent.error;
    assertEquals([error.code, body.changes, JSON.stringify(body).length < 5_000], [gets, [], true]);
  }
}

Deno.test("what cannot be answered is rejected, and its pod and all others go on", async (t) => {
  await using worker = await startWorker(server);
  for (const bad of rejected) await t.step(`${bad.name}: ${bad.gets}`, () => amongGoodCalls(worker, bad));
});

Deno.test("what can be answered is refused, and its pod and all others go on", async (t) => {
  await using worker = await startWorker(server);
  for (const bad of refused) await t.step(`${bad.name}: ${bad.gets}`, () => amongGoodCalls(worker, bad));
});

Deno.test("an input of a pod whose token is not legal is rejected on tasks._.out", async () => {
  await using _worker = await startWorker(server);
  await using nobody = await Pod.join(server, { id: "_" });
  const tokens = ["_", "a$b", "pöd", "a*", "<a>", "x".repeat(65), "a\u0001", "-".repeat(64) + "-"];
  for (const token of tokens) {
    const subject = `tasks.${token}.in.call.TaskList`;
    const { kind, body: { detail: _, ...body } } = await nobody.answer(
      await nobody.publish(subject, '{"call_id":"c"}'),
    );
    const input_seq = body.input_seq;
    assertEquals({ kind, body }, {
      kind: "rejected",
      body: { v: 1, rules: 1, input_seq, subject, reason: "bad_pod", head: '{"call_id":"c"}' },
    });
  }
  for (const token of ["-", "__", "A-Z_0-9", "x".repeat(64)]) {
    await using pod = await Pod.join(server, { id: token });
    assertEquals(await pod.tasks(), []);
  }
});

Deno.test("a restore of broken entries counts them and goes on", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  const entries =
    `[null,7,"x",[],{},{"type":"tool_call"},{"type":"tool_call","call_id":"a","name":"TaskCreate","arguments":${deep}},` +
    `{"type":"tool_call","call_id":"b","name":"TaskCreate","arguments":"${open}"},{"type":"tool_result"},{"type":"message","role":"system",` +
    `"text":"[Session TaskStore snapshot]\\n\`\`\`json\\n${open}\\n\`\`\`"},{"type":"tool_call","call_id":"c","name":"TaskCreate","arguments":{"subject":"a"}}]`;
  const { kind, body } = await pod.input("session.restore", `{"restore_id":"r","entries":${entries}}`);

  assertEquals([kind, body.error, body.applied, body.passed_over.unreadable], ["event", undefined, 1, 8]);
  assertEquals((await pod.tasks()).map(({ subject }) => subject), ["a"]);
});

Deno.test("all of it is in the log once, and a restart reads it again", async () => {
  await everyInputHasOneOutput(server);
  await using worker = await startWorker(server);
  await using pod = await Pod.join(server);
  await pod.call("TaskList");
  assertEquals(worker.log.complaints, []);
  await everyInputHasOneOutput(server);
});
