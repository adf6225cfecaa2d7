/** A stream whose limit was lowered under a worker: an answer that it will never take is a rejection (R3). */
import { assertEquals } from "@std/assert";
import { Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput } from "../helpers/session_log.ts";
import { withManager } from "../helpers/streams.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { startWorker } from "../helpers/worker_in_process.ts";

/** So many that the call fits below the limit and its answer does not. */
const descriptions = Array.from({ length: 5 }, (_, index) => `${index}`.repeat(16_000));
const limitBytes = 80_400;

Deno.test("an answer that the stream does not take is a rejection, and what comes behind it is decided without its effect", async () => {
  await using server = await startTestServer();
  const worker = await startWorker(server);
  await using pod = await Pod.join(server);
  await pod.call("TaskCreate", { subject: "first" });
  await withManager(server, async ({ streams }) => {
    await streams.update("TASKS", { max_msg_size: limitBytes });
  });
  const large = { tasks: descriptions.map((description) => ({ subject: "s", description })) };
  const seqs = await Promise.all([
    pod.sendCall("TaskCreate", large),
    pod.sendCall("TaskCreate", { subject: "second" }),
    pod.sendCall("TaskUpdate", { taskid: 2, status: "completed" }),
  ]);
  // By the log: whoever listens has also heard the answer that the stream did not take.
  const outputs = await Promise.all(seqs.map((seq) => pod.recorded(seq)));
  const bodies = outputs.map(({ data }) => JSON.parse(new TextDecoder().decode(data)));

  assertEquals(outputs.map(({ rest }) => rest), ["rejected", "result", "result"]);
  assertEquals(bodies.map(({ reason, changes }) => reason ?? changes), [
    "too_large",
    [{ taskid: 2, status: "pending", subject: "second", description: "" }],
    [{ taskid: 2, status: "completed" }],
  ]);
  const tasks = async () => (await pod.tasks()).map(({ subject, status }) => [subject, status]);
  const expected = [["first", "pending"], ["second", "completed"]];
  assertEquals(await tasks(), expected);
  await worker.stop();
  await withManager(server, async ({ streams }) => {
    await streams.update("TASKS", { max_msg_size: -1 });
  });
  await using _again = await startWorker(server);
  assertEquals(await tasks(), expected);
  await everyInputHasOneOutput(server);
});
