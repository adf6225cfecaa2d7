import { assertEquals } from "@std/assert";
import { Pod } from "../../../src/log/pod.ts";
import { Metrics } from "../../../src/telemetry/metrics.ts";
import { answeredOf, answerInput } from "../../../src/worker/answering.ts";
import { readyStatus } from "../../helpers/http_app.ts";
import { messageOf } from "../../helpers/memory_log.ts";

const readings = { status: readyStatus, reconnectCount: 0, viewerCount: 0 };
const success = { refusal: null, rejection: null };

/** The value of each series whose name begins with `start`, keyed by name and labels as they are written. */
async function series(
  metrics: Metrics,
  start: string,
  more = {},
): Promise<{ readonly [name: string]: number }> {
  const lines = (await metrics.text({ ...readings, ...more })).split("\n");
  return Object.fromEntries(
    lines.filter((line) => line.startsWith(start)).map((line) => {
      const space = line.lastIndexOf(" ");
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

Deno.test("Metrics count inputs by kind and tool", async () => {
  const metrics = new Metrics("1.2.3");
  metrics.answered({ kind: "call", tool: "TaskCreate", ...success }, 1, 1);
  metrics.answered({ kind: "call", tool: "TaskCreate", ...success }, 1, 1);
  metrics.answered({ kind: "call", tool: null, ...success, refusal: "unknown_tool" }, 1, 1);
  metrics.answered({ kind: "agent.exited", tool: null, ...success }, 1, 1);
  metrics.answered({ kind: null, tool: null, ...success, rejection: "unknown_input" }, 1, 1);
  assertEquals(await series(metrics, "tasuki_inputs_total"), {
    'tasuki_inputs_total{kind="call",tool="TaskCreate"}': 2,
    'tasuki_inputs_total{kind="call",tool="unknown"}': 1,
    'tasuki_inputs_total{kind="agent.exited",tool=""}': 1,
    'tasuki_inputs_total{kind="unknown",tool=""}': 1,
  });
  assertEquals(await series(metrics, "tasuki_re"), {
    'tasuki_refusals_total{code="unknown_tool"}': 1,
    'tasuki_rejected_inputs_total{reason="unknown_input"}': 1,
    "tasuki_reconnects_total": 0,
    "tasuki_ready": 1,
    ...await series(metrics, "tasuki_replay"),
  });
});

Deno.test("Metrics measure how long answers take, in seconds", async () => {
  const metrics = new Metrics("1.2.3");
  metrics.answered({ kind: "call", tool: "TaskList", ...success }, 40, 2);
  metrics.answered({ kind: "call", tool: "TaskList", ...success }, 3_600_000, 2);
  const stream = await series(metrics, "tasuki_answer_seconds");
  assertEquals(stream['tasuki_answer_seconds_bucket{le="0.05"}'], 1);
  assertEquals(stream['tasuki_answer_seconds_bucket{le="+Inf"}'], 2);
  assertEquals(stream["tasuki_answer_seconds_sum"], 3_600.04);
  const here = await series(metrics, "tasuki_answer_since_receipt_seconds");
  assertEquals(here["tasuki_answer_since_receipt_seconds_sum"], 0.004);
});

Deno.test("Metrics measure replays and checkpoints, and count changes of the lead", async () => {
  const metrics = new Metrics("1.2.3");
  metrics.replayed(1_500);
  metrics.saved(20);
  metrics.led(true);
  metrics.led(false);
  const { tasuki_replay_seconds_sum, tasuki_replay_seconds_count } = await series(metrics, "tasuki_replay");
  assertEquals([tasuki_replay_seconds_sum, tasuki_replay_seconds_count], [1.5, 1]);
  assertEquals((await series(metrics, "tasuki_checkpoint"))["tasuki_checkpoint_seconds_sum"], 0.02);
  assertEquals(await series(metrics, "tasuki_lead"), {
    tasuki_leadership_changes_total: 2,
    tasuki_leading: 1,
  });
});

Deno.test("Metrics say how the worker stands", async () => {
  const status = {
    ...readyStatus,
    notReady: "it is stopping",
    isLeading: false,
    lagMessages: 4,
    verifiedMsAgo: 1_500,
    podsInMemory: 5,
    outputsInFlight: 6,
  };
  const metrics = new Metrics("1.2.3");
  const gauges = async (more: object) => {
    const all = await series(metrics, "tasuki_", more);
    const names = [
      "ready",
      "leading",
      "lag_messages",
      "pods_in_memory",
      "outputs_in_flight",
      "stream_verified_seconds",
    ];
    return names.map((name) => all[`tasuki_${name}`]);
  };
  assertEquals(await gauges({ status }), [0, 0, 4, 5, 6, 1.5]);
  assertEquals(await gauges({ status: null }), [0, 0, 0, 0, 0, NaN]);
  assertEquals(await series(metrics, "tasuki_reconnects", { reconnectCount: 3 }), {
    tasuki_reconnects_total: 3,
  });
  assertEquals(await series(metrics, "tasuki_reconnects", { reconnectCount: 4 }), {
    tasuki_reconnects_total: 4,
  });
  assertEquals(await series(metrics, "tasuki_page", { viewerCount: 2 }), { tasuki_page_viewers: 2 });
  assertEquals(await series(metrics, "tasuki_build"), { 'tasuki_build_info{version="1.2.3"}': 1 });
});

Deno.test("Metrics measure the process", async () => {
  const found = await series(new Metrics("1.2.3"), "process_");
  assertEquals(Object.keys(found).sort(), [
    "process_cpu_seconds_total",
    "process_heap_bytes",
    "process_resident_memory_bytes",
    "process_start_time_seconds",
  ]);
  assertEquals(Object.values(found).every((value) => value > 0), true);
});

Deno.test("Metrics have a bound, whatever pods, tools, ids and texts are published", async () => {
  const metrics = new Metrics("1.2.3");
  const answered = (pod: string, rest: string, body: unknown) => {
    const message = messageOf(1, `tasks.${pod}.in.${rest}`, body);
    const waiting = { message, isBare: false, rest, output: null };
    const outcome = answerInput(new Pod(pod), waiting, () => {});
    if (!("isRepeat" in outcome)) metrics.answered(answeredOf(waiting, outcome), 1, 1);
  };
  const publishAll = (round: number) => {
    const texts = [`evil-${round}`, `a"}\n${round}`, `__proto__`, `constructor`, `${round}`.repeat(40)];
    for (const text of texts) {
      answered(`pod-${round}`, `call.${text}`, { call_id: text, arguments: { subject: text } });
      answered(`pod-${round}`, text, { event_id: text });
      answered(`pod-${round}`, `call.TaskCreate`, { call_id: `id-${round}`, arguments: { [text]: text } });
      answered(`pod-${round}`, `call.TaskCreate`, {
        call_id: `id-${round}`,
        agent: text,
        arguments: { subject: text },
      });
      answered("_", `call.${text}`, text);
    }
  };
  publishAll(0);
  const names = Object.keys(await series(metrics, ""));
  for (let round = 1; round <= 200; round++) publishAll(round);
  assertEquals(Object.keys(await series(metrics, "")), names);
  assertEquals(names.filter((name) => /evil|pod-|id-|proto|constructor/.test(name)), []);
});
