/** Spans of a real worker process, as Deno's own exporter writes them. */
import { assertEquals } from "@std/assert";
import { Pod } from "../helpers/pod.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { spawnWorker } from "../helpers/worker_process.ts";

const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const parent = "00f067aa0ba902b7";
const traceparent = `00-${trace}-${parent}-01`;
const exported = { OTEL_DENO: "true", OTEL_EXPORTER_OTLP_PROTOCOL: "console", NO_COLOR: "1" };

Deno.test("an input's trace goes on with its output, by a span of the worker's own", async () => {
  await using server = await startTestServer();
  await using worker = await spawnWorker(server, exported);
  await using pod = await Pod.join(server);
  const output = await pod.call("TaskCreate", { subject: "traced" }, { headers: { traceparent } });
  const [, outputTrace, span, flags] = output.headers.traceparent?.split("-") ?? [];
  assertEquals([outputTrace, flags, span === parent, span?.length], [trace, "01", false, 16]);
  const refused = await pod.call("TaskGet", { taskid: 7 });
  assertEquals(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/.test(refused.headers.traceparent ?? ""), true);
  const { code, stderr } = await worker.stop();
  const text = stderr.join("\n");
  assertEquals(code, 0);
  assertEquals(text.includes(`SPAN TaskCreate [${trace}/${span}] Consumer`), true);
  assertEquals(text.includes(`parent: ${parent}`), true);
  assertEquals(text.includes("tasuki.refusal: task_not_found"), true);
});

Deno.test("a trace context that is none starts a trace of its own", async () => {
  await using server = await startTestServer();
  await using _worker = await spawnWorker(server, exported);
  await using pod = await Pod.join(server);
  for (
    const wrong of [
      "",
      "x",
      `00-${"0".repeat(32)}-${parent}-01`,
      `00-${trace}-${parent}`,
      "\u0001".repeat(55),
    ]
  ) {
    const { headers } = await pod.call("TaskList", {}, { headers: { traceparent: wrong } });
    const [, outputTrace = ""] = headers.traceparent?.split("-") ?? [];
    assertEquals([wrong, outputTrace.length, outputTrace === trace], [wrong, 32, false]);
  }
});

Deno.test("a trace that is not recorded goes on with its output all the same", async () => {
  await using server = await startTestServer();
  await using worker = await spawnWorker(server, {
    ...exported,
    OTEL_TRACES_SAMPLER: "parentbased_always_on",
  });
  await using pod = await Pod.join(server);
  const { headers } = await pod.call("TaskList", {}, {
    headers: { traceparent: `00-${trace}-${parent}-00` },
  });
  const [, outputTrace, , flags] = headers.traceparent?.split("-") ?? [];
  assertEquals([outputTrace, flags], [trace, "00"]);
  const { stderr } = await worker.stop();
  assertEquals(stderr.join("\n").includes(trace), false);
});

Deno.test("no header keeps an input from its answer, or goes on with it but the trace itself", async () => {
  await using server = await startTestServer();
  await using worker = await spawnWorker(server, exported);
  await using pod = await Pod.join(server);
  const hostile: readonly Readonly<Record<string, string>>[] = [
    // Deno takes no trace id out of headers with such characters somewhere.
    { "X-Anything": "日本" },
    { tracestate: "a=日本" },
    { tracestate: "a=\u00e9" },
    { tracestate: "a=b\u0001,c=d" },
    { tracestate: "=,,a" },
    { tracestate: `a=${"x".repeat(60_000)}` },
    { tracestate: Array.from({ length: 64 }, (_, n) => `k${n}=v`).join() },
    { baggage: "a=%0d%0aNats-Rollup:%20all" },
    { baggage: Array.from({ length: 150 }, (_, n) => `k${n}=${"x".repeat(380)}`).join() },
    { baggage: "日本" },
  ];
  for (const more of hostile) {
    const { headers } = await pod.call("TaskList", {}, { headers: { traceparent, ...more } });
    const names = Object.keys(headers).filter((name) => !/^(?:Nats-Msg-Id|Tasuki-\w+)$/.test(name));
    const [, outputTrace] = headers.traceparent?.split("-") ?? [];
    assertEquals([more, names, outputTrace], [more, ["traceparent"], trace]);
  }
  assertEquals((await worker.stop()).code, 0);
});

Deno.test("without tracing an output carries no trace", async () => {
  await using server = await startTestServer();
  await using _worker = await spawnWorker(server);
  await using pod = await Pod.join(server);
  const { headers } = await pod.call("TaskList", {}, { headers: { traceparent } });
  assertEquals(headers.traceparent, undefined);
});
