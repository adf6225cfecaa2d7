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

Deno.test("without tracing an output carries no trace", async () => {
  await using server = await startTestServer();
  await using _worker = await spawnWorker(server);
  await using pod = await Pod.join(server);
  const { headers } = await pod.call("TaskList", {}, { headers: { traceparent } });
  assertEquals(headers.traceparent, undefined);
});
