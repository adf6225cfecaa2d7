/** The folder of the streams is put back to an older copy under a worker (R18). */
import { assertEquals } from "@std/assert";
import { readAnsweredLog } from "../helpers/calm_log.ts";
import { untilCovered } from "../helpers/checkpoint.ts";
import { Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput, type Server } from "../helpers/session_log.ts";
import { copyStore, type Part } from "../helpers/store_copy.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { startWorker } from "../helpers/worker_in_process.ts";
import { spawnWorker } from "../helpers/worker_process.ts";

const replaced = "the stream is another one: all stores are dropped and replayed";
const ignored = "the checkpoint is ignored: the log alone counts";

const subjectsOf = async (pod: Pod) => (await pod.tasks()).map(({ subject }) => subject);

/** By a pod that knows nothing of what the server was before. */
async function createAs(server: Server, id: string, ...subjects: string[]): Promise<void> {
  await using pod = await Pod.join(server, { id });
  for (const subject of subjects) await pod.call("TaskCreate", { subject });
}

for (const part of ["everything", "log"] satisfies Part[]) {
  Deno.test(`a log that is shorter than what was read (put back: ${part}) is replayed from what is there`, async () => {
    await using server = await startTestServer();
    const worker = await startWorker(server, { checkpointInputs: 1 });
    const id = "p";
    await createAs(server, id, "kept 1", "kept 2");
    await using copy = await copyStore(server);
    await createAs(server, id, "lost 1", "lost 2");
    // The input of the last.
    await untilCovered(server, 7);
    await copy.putBack(part);
    await worker.log.logged(replaced);
    await using pod = await Pod.join(server, { id });
    const { body } = await pod.call("TaskCreate", { subject: "new" });

    assertEquals(body.changes, [{ taskid: 3, status: "pending", subject: "new", description: "" }]);
    assertEquals(await subjectsOf(pod), ["kept 1", "kept 2", "new"]);
    assertEquals(worker.log.reasonsOf(replaced), [
      "error: StreamReplaced: The stream was rewound: it had reached seq 8, now 4",
    ]);
    assertEquals(worker.log.of(ignored).length > 0, part === "log");
    await worker.stop();
    await using again = await startWorker(server);
    assertEquals(await subjectsOf(pod), ["kept 1", "kept 2", "new"]);
    assertEquals(again.log.complaints, []);
    await everyInputHasOneOutput(server);
  });

  Deno.test(`a log that has grown again past what was read (put back: ${part}) is found out by the message there`, async () => {
    await using server = await startTestServer();
    await using worker = await spawnWorker(server, { TASUKI_CHECKPOINT_INPUTS: "1" });
    const id = "p";
    await createAs(server, id, "kept");
    await using copy = await copyStore(server);
    await createAs(server, id, "lost 1", "lost 2");
    await worker.pause();
    await copy.putBack(part);
    await using pod = await Pod.join(server, { id });
    for (const n of [1, 2, 3, 4, 5, 6]) await pod.sendCall("TaskCreate", { subject: `new ${n}` });
    worker.resume();

    const subjects = ["kept", "new 1", "new 2", "new 3", "new 4", "new 5", "new 6"];
    assertEquals(await subjectsOf(pod), subjects);
    assertEquals(worker.log.reasonsOf(replaced), [
      "error: StreamReplaced: The stream was rewound: another message is at seq 5",
    ]);
    await worker.stop();
    await using _again = await startWorker(server);
    assertEquals(await subjectsOf(pod), subjects);
    await everyInputHasOneOutput(server);
  });
}

/** A worker has answered input 3 by output 4, which the copy lacks; gives why it found the log rewound. */
async function loseLastOutput(
  part: Part,
  meanwhile: (other: Pod) => Promise<unknown> = () => Promise.resolve(),
): Promise<string[]> {
  await using server = await startTestServer();
  await using worker = await spawnWorker(server, { TASUKI_CHECKPOINT_INPUTS: "1" });
  await using pod = await Pod.join(server);
  await using other = await Pod.join(server);
  await pod.call("TaskCreate", { subject: "a" });
  await worker.pause();
  const seq = await pod.sendCall("TaskCreate", { subject: "b" });
  await using copy = await copyStore(server);
  worker.resume();
  const { data } = await pod.recorded(seq);
  await untilCovered(server, seq);
  await worker.pause();
  await copy.putBack(part);
  await meanwhile(other);
  worker.resume();
  await worker.log.logged(replaced);

  assertEquals((await pod.recorded(seq)).data, data);
  assertEquals(await subjectsOf(pod), ["a", "b"]);
  await readAnsweredLog(server);
  await everyInputHasOneOutput(server);
  return worker.log.reasonsOf(replaced);
}

for (const part of ["everything", "log"] satisfies Part[]) {
  Deno.test(`where the older copy (of ${part}) lacks only the last output, its input is answered again, with the same`, async () => {
    assertEquals(await loseLastOutput(part), [
      "error: StreamReplaced: The stream was rewound: it had reached seq 4, now 3",
    ]);
  });

  Deno.test(`where something else stands in the place of the last output (put back: ${part}), its input is answered again, with the same`, async () => {
    assertEquals(
      await loseLastOutput(part, (other) => other.sendCall("TaskCreate", { subject: "elsewhere" })),
      [
        "error: StreamReplaced: The stream was rewound: another message is at seq 4",
      ],
    );
  });
}
