import { assertEquals } from "@std/assert";
import type { Served } from "../../../src/http/ports.ts";
import { readyStatus, testApp, type TestAppOptions } from "../../helpers/http_app.ts";

async function asked(
  path: string,
  options: TestAppOptions = {},
): Promise<readonly [status: number, body: unknown]> {
  using test = testApp(options);
  const response = await test.get(path);
  return [response.status, await response.json()];
}

/** A connection to a server that answers, or does not. */
function connection(isConnected: boolean, doesAnswer: boolean): Served["connection"] {
  return { isConnected, reconnectCount: 0, answers: () => Promise.resolve(doesAnswer) };
}

const fields = {
  role: "leading",
  cursor_seq: 7,
  stream_last_seq: 8,
  lag_messages: 0,
  stream_verified_ms_ago: 12,
  pods_in_memory: 3,
  outputs_in_flight: 0,
};

Deno.test("/livez is alive while NATS answers, whatever the worker does", async () => {
  const status = () => ({ ...readyStatus, notReady: "the log is replayed: read up to seq 7 of 8" });
  assertEquals(await asked("/livez", { status }), [200, { status: "alive" }]);
});

Deno.test("/livez is alive while the first connection is awaited", async () => {
  assertEquals(await asked("/livez", { isServed: false }), [200, {
    status: "alive",
    reason: "waiting for NATS",
  }]);
});

Deno.test("/livez is deaf where a connected server does not answer in time", async () => {
  assertEquals(await asked("/livez", { connection: connection(true, false) }), [
    503,
    { status: "deaf", reason: "NATS did not answer within 800 ms" },
  ]);
});

Deno.test("/livez is deaf without a connection", async () => {
  assertEquals(await asked("/livez", { connection: connection(false, false) }), [
    503,
    { status: "deaf", reason: "not connected to NATS" },
  ]);
});

Deno.test("/readyz says how a ready worker stands", async () => {
  assertEquals(await asked("/readyz"), [200, { status: "ready", ...fields }]);
  const status = () => ({ ...readyStatus, isLeading: false });
  assertEquals(await asked("/readyz", { status }), [200, { status: "ready", ...fields, role: "following" }]);
});

Deno.test("/readyz says why a worker is not ready", async () => {
  const status = () => ({ ...readyStatus, notReady: "it is stopping" });
  assertEquals(await asked("/readyz", { status }), [503, {
    status: "not ready",
    reason: "it is stopping",
    ...fields,
  }]);
  assertEquals(await asked("/readyz", { connection: connection(false, true) }), [
    503,
    { status: "not ready", reason: "not connected to NATS", ...fields },
  ]);
  assertEquals(await asked("/readyz", { isServed: false }), [503, {
    status: "not ready",
    reason: "waiting for NATS",
  }]);
});

Deno.test("probes, metrics and version need no token", async () => {
  for (const path of ["/livez", "/readyz", "/metrics", "/version"]) {
    using test = testApp({ token: "secret" });
    const response = await test.get(path);
    assertEquals([path, response.status], [path, 200]);
    await response.body?.cancel();
  }
});
