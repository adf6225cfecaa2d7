/** Probes, metrics and boards of a real worker process. */
import { assertEquals } from "@std/assert";
import { listen } from "../../src/http/listen.ts";
import { untilCovered } from "../helpers/checkpoint.ts";
import { testApp } from "../helpers/http_app.ts";
import { LogLines } from "../helpers/log_lines.ts";
import { Pod } from "../helpers/pod.ts";
import { reservePort, startTestServer } from "../helpers/test_server.ts";
import { awaitedLater, within } from "../helpers/within.ts";
import { metricOf, WorkerHttp } from "../helpers/worker_http.ts";
import { launchWorker, spawnWorker } from "../helpers/worker_process.ts";

const anyPort = { TASUKI_HTTP: "127.0.0.1:0" };

Deno.test("a worker that waits for its server is alive and not ready, and ready once it is there", async () => {
  await using server = await startTestServer();
  await server.kill();
  await using worker = launchWorker(server, anyPort);
  const http = await WorkerHttp.of(worker);
  assertEquals(await http.get("/livez"), {
    status: 200,
    body: { status: "alive", reason: "waiting for NATS" },
  });
  assertEquals(await http.get("/readyz"), {
    status: 503,
    body: { status: "not ready", reason: "waiting for NATS" },
  });
  assertEquals(await http.metric("tasuki_ready"), 0);
  await server.start();
  const { body } = await http.until(
    "/readyz",
    ({ status, body }) => status === 200 && body.role === "leading",
  );
  assertEquals([body.status, body.lag_messages], ["ready", 0]);
  await http.untilMetric("tasuki_ready", 1);
});

Deno.test("a worker is deaf and not ready while its server is away, and both again when it is back", async () => {
  await using server = await startTestServer();
  await using worker = await spawnWorker(server, anyPort);
  const http = await WorkerHttp.of(worker);
  const alive = await http.until("/livez", ({ status }) => status === 200);
  assertEquals(alive.body, { status: "alive" });
  await server.kill();
  const deaf = await http.until("/livez", ({ body }) => body.reason === "not connected to NATS");
  assertEquals([deaf.status, deaf.body.status], [503, "deaf"]);
  const unready = await http.get("/readyz");
  assertEquals([unready.status, unready.body.reason], [503, "not connected to NATS"]);
  await server.start();
  await http.until("/livez", ({ status }) => status === 200);
  await http.until("/readyz", ({ status, body }) => status === 200 && body.role === "leading");
  assertEquals(await http.metric("tasuki_reconnects_total"), 1);
});

Deno.test("a worker whose server stays silent is deaf soon, and then not ready", async () => {
  await using server = await startTestServer();
  await using worker = await spawnWorker(server, anyPort);
  const http = await WorkerHttp.of(worker);
  await http.until("/readyz", ({ status }) => status === 200);
  await server.pause();
  try {
    const { status, body } = await within(http.get("/livez"), "an answer that the server has no part in");
    assertEquals([status, body.reason], [503, "NATS did not answer within 800 ms"]);
    const unready = await http.until("/readyz", ({ status }) => status === 503);
    assertEquals(/lease|recognised/.test(unready.body.reason), true);
  } finally {
    server.resume();
  }
  await http.until("/readyz", ({ status }) => status === 200);
});

Deno.test("metrics count what a worker answers", async () => {
  await using server = await startTestServer();
  // The pod stays in memory in every tier: it is counted.
  await using worker = await spawnWorker(server, { ...anyPort, TASUKI_PODS_IN_MEMORY_MAX: "10" });
  const http = await WorkerHttp.of(worker);
  await using pod = await Pod.join(server);
  await pod.call("TaskCreate", { subject: "one" });
  await pod.call("create_task", { subject: "two" });
  await pod.call("TaskGet", { taskid: 9 });
  await pod.call("rm_rf", {});
  await pod.input("call.TaskList", "no json");
  await pod.input("agent.exited", { event_id: "e1", agent: "ann" });
  // It is answered when all before it is recorded, and with that counted.
  await pod.read("TaskList");
  const metrics = await http.untilMetric("tasuki_leading", 1);
  assertEquals(
    [
      'tasuki_inputs_total{kind="call",tool="TaskCreate"}',
      'tasuki_inputs_total{kind="call",tool="TaskGet"}',
      'tasuki_inputs_total{kind="call",tool="unknown"}',
      'tasuki_inputs_total{kind="call",tool="TaskList"}',
      'tasuki_inputs_total{kind="agent.exited",tool=""}',
      'tasuki_refusals_total{code="task_not_found"}',
      'tasuki_refusals_total{code="unknown_tool"}',
      'tasuki_rejected_inputs_total{reason="not_json"}',
      "tasuki_answer_seconds_count",
      'tasuki_answer_since_receipt_seconds_bucket{le="30"}',
      "tasuki_outputs_in_flight",
      "tasuki_pods_in_memory",
      "tasuki_replay_seconds_count",
    ].map((series) => metricOf(metrics, series)),
    [2, 1, 1, 1, 1, 1, 1, 1, 6, 6, 0, 1, 1],
  );
});

Deno.test("a follower is ready, and shows the boards that the leader makes", async () => {
  await using server = await startTestServer();
  await using leader = await spawnWorker(server);
  await leader.log.logged("leading");
  await using follower = await spawnWorker(server, anyPort);
  const http = await WorkerHttp.of(follower);
  const { body } = await http.until("/readyz", ({ status }) => status === 200);
  assertEquals(body.role, "following");
  await using pod = await Pod.join(server);
  await pod.call("TaskCreate", { subject: "seen by both" });
  const task = await http.until(`/pods/${pod.id}/tasks/1`, ({ status }) => status === 200);
  assertEquals(task.body.subject, "seen by both");
});

Deno.test("boards of pods that only the checkpoint has are shown, and no pod is taken into memory for it", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server);
  await using first = await spawnWorker(server, { TASUKI_CHECKPOINT_INPUTS: "1" });
  const { body } = await pod.call("TaskCreate", { subject: "saved" });
  await untilCovered(server, body.input_seq);
  await first.stop();
  await using second = await spawnWorker(server, anyPort);
  const http = await WorkerHttp.of(second);
  assertEquals((await http.get(`/pods/${pod.id}/tasks/1`)).body.subject, "saved");
  const events = await fetch(new URL("/events", http.url));
  const reader = (events.body ?? new ReadableStream()).getReader();
  const { value } = await reader.read();
  assertEquals(new TextDecoder().decode(value).includes(`"pod":"${pod.id}"`), true);
  await reader.cancel();
  assertEquals(await http.metric("tasuki_pods_in_memory"), 0);
});

Deno.test("an open page ends with its worker, which leaves as quickly as without", async () => {
  await using server = await startTestServer();
  await using worker = await spawnWorker(server, anyPort);
  const http = await WorkerHttp.of(worker);
  const events = await fetch(new URL("/events", http.url));
  const reading = awaitedLater(events.text());
  const askedMs = performance.now();
  const { code } = await worker.stop();
  assertEquals([code, performance.now() - askedMs < 10_000], [0, true]);
  assertEquals((await reading).startsWith("event: pods"), true);
});

Deno.test("two workers with the address that nobody chose both work", async () => {
  await using server = await startTestServer();
  const nothingChosen = { TASUKI_HTTP: "" };
  await using first = await spawnWorker(server, nothingChosen);
  await using second = await spawnWorker(server, nothingChosen);
  const complaints = [...first.log.all, ...second.log.all].filter(({ msg }) => msg.startsWith("no HTTP"));
  assertEquals(complaints.length >= 1, true);
  assertEquals((await first.stop()).code, 0);
  assertEquals((await second.stop()).code, 0);
});

Deno.test("a worker whose address is taken serves HTTP once the other one has ended", async () => {
  const { port, reservation } = reservePort();
  using _reservation = reservation;
  const address = `127.0.0.1:${port}`;
  using app = testApp();
  const { log } = app;
  const { handle } = app.app;
  const first = listen({ address, isChosen: false, handle, logger: new LogLines() });
  await using _second = listen({ address, isChosen: false, handle, logger: log });
  assertEquals(log.complaints, ["no HTTP: the address is taken, perhaps by another worker"]);
  await first[Symbol.asyncDispose]();
  const { fields } = await log.logged("HTTP is served");
  assertEquals(fields, { url: `http://${address}/` });
  const response = await fetch(`http://${address}/readyz`);
  assertEquals([response.status, (await response.json()).status], [200, "ready"]);
  assertEquals(log.all.filter(({ level }) => level !== "debug").length, 2);
});

Deno.test("a worker whose address stays taken gives up when it ends", async () => {
  const { port, reservation } = reservePort();
  using _reservation = reservation;
  const address = `127.0.0.1:${port}`;
  using app = testApp();
  await using _first = listen({ address, isChosen: false, handle: app.app.handle, logger: new LogLines() });
  const second = listen({ address, isChosen: false, handle: app.app.handle, logger: app.log });
  await second[Symbol.asyncDispose]();
  assertEquals(app.log.all.map(({ msg }) => msg), [
    "no HTTP: the address is taken, perhaps by another worker",
  ]);
});

Deno.test("a worker does not start where its configured address is taken", async () => {
  await using server = await startTestServer();
  const { port, reservation } = reservePort();
  using _reservation = reservation;
  await using taken = Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, () => new Response());
  await using worker = launchWorker(server, { TASUKI_HTTP: `127.0.0.1:${port}` });
  const { code, stderr } = await worker.ended;
  assertEquals([code, stderr.length, taken.addr.port], [1, 1, port]);
  assertEquals(stderr[0]?.startsWith(`Cannot serve HTTP at 127.0.0.1:${port}: `), true);
});

Deno.test("no page, metric, probe or log line holds a secret", async () => {
  await using server = await startTestServer({
    extraConfig: 'authorization { user: "ann", password: "pass-4711" }',
  });
  const secrets = ["pass-4711", "token-0815"];
  const env = {
    NATS_URL: server.url.replace("//", "//ann:pass-4711@"),
    TASUKI_HTTP: "127.0.0.1:0",
    TASUKI_HTTP_TOKEN: "token-0815",
    TASUKI_LOG_LEVEL: "debug",
  };
  await using worker = await spawnWorker(server, env);
  const http = await WorkerHttp.of(worker);
  const wanted = {
    "/": 200,
    "/page/main.js": 200,
    "/livez": 200,
    "/readyz": 200,
    "/metrics": 200,
    "/version": 200,
    "/events": 401,
    "/pods/p/tasks/1": 401,
  };
  const headers = { authorization: "Bearer wrong" };
  const told = await Promise.all(
    Object.entries(wanted).map(([path, code]) => http.until(path, ({ status }) => status === code, headers)),
  );
  await server.kill();
  const away = await http.until("/livez", ({ status }) => status === 503);
  const { code, stderr } = await worker.stop();
  const all = JSON.stringify([told, away, stderr, worker.log.all]);
  assertEquals([code, secrets.filter((secret) => all.includes(secret))], [0, []]);
});
