/** Servers and workers that die in the middle: no acknowledged call is lost, none takes effect twice (SPEC §12). */
import { assertEquals } from "@std/assert";
import { Crowd } from "../helpers/crowd.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { awaitedLater } from "../helpers/within.ts";
import { startWorker } from "../helpers/worker_in_process.ts";
import { spawnWorker } from "../helpers/worker_process.ts";

/** A whole number from 0 to below `limit`: moments differ from run to run. */
function below(limit: number): number {
  return Math.floor(Math.random() * limit);
}

Deno.test("a server that is killed and started again in the middle of a run loses and doubles nothing", async () => {
  await using server = await startTestServer();
  await using worker = await startWorker(server);
  await using crowd = await Crowd.join(server, 4);
  const sending = crowd.send(150);
  for (const [kills, moment] of [100, 300].entries()) {
    await crowd.whenAcknowledged(moment + below(100));
    await server.kill();
    await server.start();
    await worker.log.logged("connected to NATS again", kills);
  }
  await sending;

  await crowd.assertAnswered();
  assertEquals(worker.log.of("disconnected from NATS").length, 2);
});

Deno.test("a worker that is killed at random moments loses and doubles nothing", async () => {
  await using server = await startTestServer();
  await using crowd = await Crowd.join(server, 4);
  for (let round = 0; round < 4; round++) {
    await using worker = await spawnWorker(server);
    const sending = crowd.send(75);
    await crowd.whenAcknowledged(300 * round + below(300));
    await worker.kill();
    await sending;
  }
  await using _last = await startWorker(server);

  await crowd.assertAnswered();
});

Deno.test("worker and server killed together lose and double nothing", async () => {
  await using server = await startTestServer();
  await using crowd = await Crowd.join(server, 4);
  for (let round = 0; round < 2; round++) {
    await using worker = await spawnWorker(server);
    const sending = crowd.send(75);
    await crowd.whenAcknowledged(300 * round + below(300));
    await Promise.all([server.kill(), worker.kill()]);
    await server.start();
    await sending;
  }
  await using _last = await startWorker(server);

  await crowd.assertAnswered();
});

Deno.test("a worker that is stopped for a while answers what came meanwhile, in order", async () => {
  await using server = await startTestServer();
  await using worker = await spawnWorker(server);
  await using crowd = await Crowd.join(server, 3);
  const sending = crowd.send(100);
  await crowd.whenAcknowledged(50 + below(100));
  await worker.pause();
  await sending;
  worker.resume();

  await crowd.assertAnswered();
});

Deno.test("a server that answers nobody for a while is waited for", async () => {
  await using server = await startTestServer();
  await using _worker = await startWorker(server);
  await using crowd = await Crowd.join(server, 3);
  const sending = crowd.send(100);
  await crowd.whenAcknowledged(50);
  await server.pause();
  // Longer than an acknowledgement may take: the worker sends its outputs again.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  server.resume();
  await sending;

  await crowd.assertAnswered();
});

Deno.test("a worker started before its server waits for it", async () => {
  await using server = await startTestServer();
  await server.kill();
  const starting = awaitedLater(startWorker(server));
  await server.start();
  await using _worker = await starting;
  await using crowd = await Crowd.join(server, 1);
  await crowd.send(3);

  await crowd.assertAnswered();
});
