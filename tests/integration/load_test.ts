/** A worker with metrics and tracing on, under load: what it counts is what was sent, and watching it costs no answer. */
import { assertEquals } from "@std/assert";
import { Collector } from "../helpers/collector.ts";
import { Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput, untilAnswered } from "../helpers/session_log.ts";
import { startTestServer, type TestServer } from "../helpers/test_server.ts";
import { WorkerHttp } from "../helpers/worker_http.ts";
import { spawnWorker } from "../helpers/worker_process.ts";

/** As in production: Deno exports spans without a permission more. */
const least = ["--allow-env", "--allow-net", "--allow-read"];
const podCount = 4;
/** Of each kind of input, by each pod. */
const ofEach = 100;
const sent = podCount * ofEach;

/** What each pod sends, again and again: an answer, a refusal, a rejection, an event. */
const kinds: readonly ((pod: Pod, n: number) => Promise<number>)[] = [
  (pod, n) => pod.sendCall("TaskCreate", { subject: `task ${n}` }),
  (pod) => pod.sendCall("TaskGet", { taskid: 1_000 }),
  (pod) => pod.send("call.TaskUpdate", "no json"),
  (pod, n) => pod.send("agent.exited", JSON.stringify({ event_id: `e${n}`, agent: "ann" })),
];

/** All pods send all of it at once; resolves when all of it is answered. */
async function sendAll(server: TestServer): Promise<void> {
  const pods = await Promise.all(Array.from({ length: podCount }, () => Pod.join(server)));
  try {
    const rounds = Array.from({ length: ofEach }, (_, n) => n);
    const sending = pods.flatMap((pod) => rounds.flatMap((n) => kinds.map((send) => send(pod, n))));
    await untilAnswered(server, await Promise.all(sending));
  } finally {
    await Promise.all(pods.map((pod) => pod[Symbol.asyncDispose]()));
  }
}

function countBy<T>(items: readonly T[], key: (item: T) => string): { readonly [key: string]: number } {
  return Object.fromEntries(
    Object.entries(Object.groupBy(items, key)).map(([name, group]) => [name, group?.length ?? 0]),
  );
}

Deno.test("the metrics and the spans of a worker under load agree with what was sent", async () => {
  await using server = await startTestServer();
  await using collector = new Collector();
  await using worker = await spawnWorker(server, {
    ...collector.env,
    // The exporter drops what comes faster than it sends, beyond 2,048 spans.
    OTEL_BSP_MAX_QUEUE_SIZE: "100000",
    TASUKI_HTTP: "127.0.0.1:0",
  }, least);
  const http = await WorkerHttp.of(worker);
  await sendAll(server);

  await http.until("/readyz", ({ body }) => body.lag_messages === 0 && body.outputs_in_flight === 0);
  const total = kinds.length * sent;
  const counts: { readonly [series: string]: number } = {
    'tasuki_inputs_total{kind="call",tool="TaskCreate"}': sent,
    'tasuki_inputs_total{kind="call",tool="TaskGet"}': sent,
    'tasuki_inputs_total{kind="call",tool="TaskUpdate"}': sent,
    'tasuki_inputs_total{kind="agent.exited",tool=""}': sent,
    'tasuki_refusals_total{code="task_not_found"}': sent,
    'tasuki_rejected_inputs_total{reason="not_json"}': sent,
    "tasuki_answer_seconds_count": total,
    "tasuki_answer_since_receipt_seconds_count": total,
    "tasuki_reconnects_total": 0,
    "tasuki_lag_messages": 0,
    "tasuki_outputs_in_flight": 0,
  };
  for (const [series, count] of Object.entries(counts)) {
    assertEquals([series, await http.metric(series)], [series, count]);
  }

  const { code, stderr } = await worker.stop();
  assertEquals({ code, stderr }, { code: 0, stderr: [] });
  assertEquals(countBy(collector.spans, ({ name }) => name), {
    TaskCreate: sent,
    TaskGet: sent,
    TaskUpdate: sent,
    "agent.exited": sent,
  });
  const having = (name: string) =>
    collector.spans.filter(({ attributes }) => attributes.includes(name)).length;
  assertEquals(
    ["tasuki.output_seq", "tasuki.refusal", "tasuki.rejection"].map(having),
    [total, sent, sent],
  );
  await everyInputHasOneOutput(server);
});

Deno.test("a collector that never answers costs a worker no answer, and its end little", async () => {
  await using server = await startTestServer();
  await using collector = new Collector({ isSilent: true });
  await using worker = await spawnWorker(
    server,
    { ...collector.env, OTEL_EXPORTER_OTLP_TIMEOUT: "500" },
    least,
  );
  await sendAll(server);
  const askedMs = performance.now();
  const { code, stderr } = await worker.stop();
  const tookMs = performance.now() - askedMs;

  assertEquals({ code, stderr }, { code: 0, stderr: [] });
  assertEquals(tookMs < 8_000, true, `${tookMs}`);
  await everyInputHasOneOutput(server);
});
