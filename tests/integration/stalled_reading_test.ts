/** A reader that gives nothing although there is more, as on a server of a cluster that lacks what the others have. */
import { assertEquals } from "@std/assert";
import type { LogReader } from "../../src/worker/ports.ts";
import { recordByHand } from "../helpers/by_hand.ts";
import { startFileServer } from "../helpers/file_server.ts";
import { hooked } from "../helpers/gate.ts";
import { Pod } from "../helpers/pod.ts";
import { within } from "../helpers/within.ts";
import { beginWorker, startWorker } from "../helpers/worker_in_process.ts";

const server = await startFileServer();

class StalledReader implements LogReader {
  readonly pending = 1;
  readonly #failed = Promise.withResolvers<never>();
  isOpen = true;

  next(): Promise<never> {
    return this.#failed.promise;
  }

  fail(error: Error): void {
    this.isOpen = false;
    this.#failed.reject(error);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Leaves something to be replayed. */
async function fillLog(): Promise<void> {
  await using _worker = await startWorker(server, { checkpointEveryMs: 3_600_000 });
  await using pod = await Pod.join(server);
  await pod.call("TaskCreate", { subject: "a" });
  await pod.sendCall("TaskCreate", { subject: "b" });
}

Deno.test("a worker that waits for the rest of the log is stopped at once", async () => {
  await fillLog();
  const reading = Promise.withResolvers<void>();
  const read = (): Promise<LogReader> => {
    reading.resolve();
    return Promise.resolve(new StalledReader());
  };
  const worker = await beginWorker(server, {}, hooked({ read }));
  worker.ready.catch(() => {});
  await using pod = await Pod.join(server);
  await pod.sendCall("TaskCreate", { subject: "c" });
  await within(reading.promise, "a read of the log");

  await within(worker.stop(), "the stop");
  assertEquals(worker.log.of("reading was interrupted"), []);
});

Deno.test("a worker reads anew where nothing comes although there is more", async () => {
  await fillLog();
  await using pod = await Pod.join(server);
  await pod.sendCall("TaskCreate", { subject: "c" });
  let reads = 0;
  const read = (open: () => Promise<LogReader>): Promise<LogReader> =>
    ++reads === 1 ? Promise.resolve(new StalledReader()) : open();
  await using worker = await startWorker(server, {}, hooked({ read }));

  assertEquals(worker.log.complaints, ["reading was interrupted"]);
  assertEquals((await pod.tasks()).map(({ subject }) => subject), ["c"]);
});

Deno.test("a leader reads anew where nothing comes any more although the log goes on", async () => {
  const first = await startWorker(server);
  let isToStall = false;
  const read = (open: () => Promise<LogReader>): Promise<LogReader> => {
    if (!isToStall) return open();
    isToStall = false;
    return Promise.resolve(new StalledReader());
  };
  await using worker = await startWorker(server, {}, hooked({ read }));
  isToStall = true;
  await first.stop();
  await worker.log.logged("leading");
  await using pod = await Pod.join(server);
  await pod.call("TaskCreate", { subject: "d" });

  assertEquals(isToStall, false);
  assertEquals(worker.log.reasonsOf("reading was interrupted"), [
    "warn: TransientError: nothing was read although there is more",
  ]);
});

Deno.test("a leader goes on reading where the log ends with an output of another, which it does not read", async () => {
  await using worker = await startWorker(server);
  await worker.log.logged("leading");
  await using pod = await Pod.join(server);
  const { body } = await pod.call("TaskCreate", { subject: "e" });
  await recordByHand(pod, body.input_seq, { messageId: "another" });
  // A check of the stream, and what nothing may come for.
  await new Promise((resolve) => setTimeout(resolve, 9_000));

  assertEquals([worker.status().lagMessages, worker.log.complaints], [1, []]);
});
