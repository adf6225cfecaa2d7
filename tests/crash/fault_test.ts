/** An input at which a worker fails, and what is broken in log and bucket, take down no worker, and no other pod (R19). */
import { assertEquals } from "@std/assert";
import type { LogMessage } from "../../src/log/log_message.ts";
import { readAnsweredLog } from "../helpers/calm_log.ts";
import { hooked } from "../helpers/gate.ts";
import { Pod } from "../helpers/pod.ts";
import { withConnection } from "../helpers/session_log.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { patiently } from "../helpers/within.ts";
import { startWorker } from "../helpers/worker_in_process.ts";

/** An input whose bytes cannot be had at the first try of each worker: as if reading it were a bug of ours. */
function failing(message: LogMessage): LogMessage {
  const { seq, timeMs, subject, data } = message;
  if (!subject.endsWith(".in.call.TaskCreate") || !new TextDecoder().decode(data).includes("bomb")) {
    return message;
  }
  let tries = 0;
  return {
    seq,
    timeMs,
    subject,
    header: (name) => message.header(name),
    get data() {
      // Only where it is decided: the queues count its bytes before.
      const isDecided = new Error().stack?.includes("decideLogged") === true;
      if (isDecided && tries++ === 0) throw new RangeError("a bug of ours");
      return data;
    },
  };
}

Deno.test("an input at which every worker fails is rejected once, and all go on, also those that follow", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server);
  await using other = await Pod.join(server);
  await using leader = await startWorker(server, {}, hooked({ message: failing }));
  await leader.log.logged("leading");
  await using follower = await startWorker(server, {}, hooked({ message: failing }));
  await pod.call("TaskCreate", { subject: "before" });
  const { kind, body } = await pod.call("TaskCreate", { subject: "bomb" });
  await pod.call("TaskCreate", { subject: "after" });
  await other.call("TaskCreate", { subject: "elsewhere" });
  await leader.stop();
  const again = await pod.call("TaskCreate", { subject: "another bomb" });
  await pod.call("TaskCreate", { subject: "last" });

  assertEquals([kind, body.reason, again.kind, again.body.reason], [
    "rejected",
    "fault",
    "rejected",
    "fault",
  ]);
  assertEquals((await pod.tasks()).map(({ taskid, subject }) => `${taskid} ${subject}`), [
    "1 before",
    "2 after",
    "3 last",
  ]);
  assertEquals((await other.tasks()).length, 1);
  assertEquals(
    [leader, follower].map(({ log }) => log.of("fault while answering an input").length),
    [1, 1],
  );
  await readAnsweredLog(server);
});

Deno.test("a saved pod that is broken is built from the log, and takes nobody down", async () => {
  await using server = await startTestServer();
  await using pod = await Pod.join(server);
  await using other = await Pod.join(server);
  await using before = await startWorker(server);
  for (const one of [pod, other]) await one.call("TaskCreate", { subject: "a" }, { callId: "a" });
  await before.stop();
  await withConnection(server, async (nc) => {
    const bucket = await nc.jetstream(patiently).views.kv("TASKS_CHECKPOINT");
    const saved = (await bucket.get(`pod.${pod.id}`))?.json<{ readonly tasks: [] }>();
    // Of the right form and epoch, and none that can be: a task without a subject.
    await bucket.put(
      `pod.${pod.id}`,
      JSON.stringify({ ...saved, tasks: [[{ taskid: 1, status: "pending" }, 0, 0]] }),
    );
  });
  await using after = await startWorker(server);
  const repeats = await Promise.all(
    [pod, other].map((one) => one.call("TaskCreate", { subject: "a" }, { callId: "a" })),
  );

  assertEquals(repeats.map(({ body }) => body.duplicate), [true, true]);
  assertEquals(after.log.complaints, ["the saved pod is of no use"]);
});
