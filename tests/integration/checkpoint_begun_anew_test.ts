/** A checkpoint is begun anew, with nothing saved yet, while a worker relies on the one before: the log alone counts. */
import { assertEquals } from "@std/assert";
import { TransientError } from "../../src/errors.ts";
import { untilCovered } from "../helpers/checkpoint.ts";
import { Gate, hooked } from "../helpers/gate.ts";
import { Pod } from "../helpers/pod.ts";
import { bucketStream, deleteStream } from "../helpers/streams.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { startWorker } from "../helpers/worker_in_process.ts";

const subjectsOf = async (pod: Pod) => (await pod.tasks()).map(({ subject }) => subject);

Deno.test("a follower takes over from a leader that died as it began a checkpoint anew, and loses no task", async () => {
  await using server = await startTestServer();
  const first = await startWorker(server, { checkpointInputs: 1 });
  await using pod = await Pod.join(server);
  await pod.call("TaskCreate", { subject: "a" });
  const { body } = await pod.call("TaskCreate", { subject: "b" });
  await untilCovered(server, body.input_seq);
  await first.stop();

  using saving = new Gate();
  const dying = await startWorker(
    server,
    { checkpointInputs: 1, checkpointEveryMs: 100 },
    hooked({
      put: async (key, put) => {
        if (!key.startsWith("pod.")) return await put();
        await saving.pass();
        throw new TransientError("it dies here");
      },
    }),
  );
  await dying.log.logged("leading");
  let isAway = false;
  await using heir = await startWorker(
    server,
    {},
    hooked({ get: (_key, get) => isAway ? Promise.reject(new TransientError("away")) : get() }),
  );
  isAway = true;
  saving.close();
  await deleteStream(server, bucketStream);
  await saving.whenHeld();
  saving.open();
  isAway = false;
  await dying.stop();
  await heir.log.logged("leading");
  const next = await pod.call("TaskCreate", { subject: "c" });

  assertEquals(next.body.changes[0].taskid, 3);
  assertEquals(await subjectsOf(pod), ["a", "b", "c"]);
});
