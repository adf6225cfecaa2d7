/** The checker of every other test here, checked itself: against logs that misbehave. */
import { assertEquals, assertRejects } from "@std/assert";
import { startFileServer } from "../helpers/file_server.ts";
import { Pod } from "../helpers/pod.ts";
import {
  everyInputHasOneOutput,
  outputProblems,
  readLog,
  untilAnswered,
  withConnection,
} from "../helpers/session_log.ts";
import { startWorker } from "../helpers/worker_in_process.ts";
import { patiently } from "../helpers/within.ts";

const server = await startFileServer();

/** A stream of its own for one test, with what is published to it by hand. */
async function doctoredLog(
  prefix: string,
  messages: readonly [subject: string, inputSeq?: number][],
): Promise<string> {
  await withConnection(server, async (nc) => {
    const manager = await nc.jetstreamManager(patiently);
    await manager.streams.add({ name: prefix, subjects: [`${prefix}.>`] });
    await using pod = await Pod.join(server, { prefix });
    for (const [subject, inputSeq] of messages) {
      await pod.publish(
        `${prefix}.${subject}`,
        "{}",
        inputSeq === undefined ? {} : { "Tasuki-Input": String(inputSeq) },
      );
    }
  });
  return prefix;
}

/** Long enough for some readings of a short log. */
function someReadings(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 100));
}

Deno.test("everyInputHasOneOutput() is content with what a worker recorded", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  await pod.call("TaskCreate", { subject: "a" });
  await pod.compact("c1");

  await everyInputHasOneOutput(server);
  assertEquals((await readLog(server)).map(({ direction, rest }) => `${direction}.${rest}`), [
    "in.call.TaskCreate",
    "out.result",
    "in.compact.started",
    "out.snapshot",
    "in.compact.finished",
    "out.inject",
  ]);
});

Deno.test("everyInputHasOneOutput() finds an input without an output", async () => {
  const stream = await doctoredLog("lonely", [["p.in.call.TaskList"], ["p.in.call.TaskGet"], [
    "p.out.result",
    1,
  ]]);

  await assertRejects(
    () => everyInputHasOneOutput(server, { stream, waitMs: 100 }),
    Error,
    "inputs without exactly one output: input 2 (lonely.p.in.call.TaskGet) has 0 outputs",
  );
});

Deno.test("everyInputHasOneOutput() reads again where an output is on its way", async () => {
  const stream = await doctoredLog("late", [["p.in.call.TaskList"]]);
  const waiting = everyInputHasOneOutput(server, { stream });
  await using pod = await Pod.join(server);
  await someReadings();
  await pod.publish("late.p.out.result", "{}", { "Tasuki-Input": "1" });
  await waiting;
});

Deno.test("outputProblems() finds outputs that are doubled, early, another pod's, or nobody's", async () => {
  const stream = await doctoredLog("doctored", [
    ["p.in.call.TaskList"],
    ["p.out.result", 1],
    ["p.out.result", 1],
    ["p.out.result", 5],
    ["p.in.call.TaskList"],
    ["q.out.result", 5],
    ["p.out.result", 99],
    ["p.out.result"],
    ["bad*token.in.call.TaskList"],
    ["_.out.rejected", 9],
  ]);

  assertEquals(outputProblems(await readLog(server, stream)), [
    "output 4 lies before its input 5",
    "output 6 of pod q answers input 5 of p",
    "output 7 answers no input: it names 99",
    "output 8 answers no input: it names undefined",
    "input 1 (doctored.p.in.call.TaskList) has 2 outputs",
    "input 5 (doctored.p.in.call.TaskList) has 0 outputs",
  ]);
});

Deno.test("untilAnswered() resolves when the last output is recorded", async () => {
  const stream = await doctoredLog("slow", [["p.in.call.TaskList"], ["p.out.result", 1], [
    "p.in.call.TaskList",
  ]]);
  const waiting = untilAnswered(server, [1, 3], stream);
  let isDone = false;
  waiting.then(() => isDone = true);
  await using pod = await Pod.join(server);
  await pod.publish("slow.q.out.result", "{}", { "Tasuki-Input": "3" });
  await untilAnswered(server, [1], stream);
  await someReadings();
  assertEquals(isDone, false);

  await pod.publish("slow.p.out.result", "{}", { "Tasuki-Input": "3" });
  await waiting;
});
