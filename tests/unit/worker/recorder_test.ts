import { assertEquals } from "@std/assert";
import type { Acknowledgement } from "../../../src/worker/ports.ts";
import { Lane, Recorder } from "../../../src/worker/recorder.ts";
import { LogLines } from "../../helpers/log_lines.ts";
import { UnreachableLog } from "../../helpers/unreachable_log.ts";
import { within } from "../../helpers/within.ts";

class TakingLog extends UnreachableLog {
  override record(): Promise<Acknowledgement> {
    return Promise.resolve({ seq: 2, isDuplicate: false });
  }
}

Deno.test("an error of whoever is told that an output is recorded is heard", async () => {
  const failed = Promise.withResolvers<unknown>();
  const recorder = new Recorder({
    log: new TakingLog(),
    logger: new LogLines(),
    inFlightMax: 10,
    beforeSend: () => true,
    beforeRetry: () => Promise.resolve(),
    onRoom: () => {},
    fatal: failed.resolve,
  });
  recorder.bindTo({ created: "c", duplicateWindowMs: 120_000 });
  const error = new Error("a fault of ours");
  recorder.record({
    lane: new Lane("p", failed.reject),
    inputSeq: 1,
    message: { subject: "tasks.p.out.result", headers: new Map(), data: new Uint8Array() },
    recorded: () => {
      throw error;
    },
    refused: failed.reject,
  });

  assertEquals(await within(failed.promise, "the error"), error);
  recorder.close();
});
