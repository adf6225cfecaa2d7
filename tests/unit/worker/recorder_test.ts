import { assertEquals } from "@std/assert";
import type { Acknowledgement } from "../../../src/worker/ports.ts";
import { podInFlightMax, runAheadBytesMax } from "../../../src/worker/limits.ts";
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

const bytes = new Uint8Array(runAheadBytesMax + 1);

/** An output of so many bytes that was sent; recorded where it has a seq. */
function sent(
  lane: Lane,
  inputSeq: number,
  length: number,
  outputSeq: number | null = null,
): Parameters<Lane["add"]>[0] {
  const message = { subject: "tasks.p.out.result", headers: new Map(), data: bytes.subarray(0, length) };
  const asked = { recorded: () => {}, refused: () => {} };
  return {
    ...{ lane, inputSeq, message, ...asked },
    ...{ firstSentMs: 0, foreignIds: 0, wasMissing: false, outputSeq },
  };
}

Deno.test("Lane is full with 128 outputs, however small, until one is recorded", () => {
  const lane = new Lane("p", () => {});
  const full = Array.from({ length: podInFlightMax }, (_, index) => {
    lane.add(sent(lane, index + 1, 0, index === 0 ? 200 : null));
    return lane.isFull;
  });
  lane.settle();
  assertEquals([full.indexOf(true), lane.isFull, lane.firstInputSeq], [127, false, 2]);
});

for (
  const [about, happens] of [
    ["that is recorded", (lane: Lane) => lane.settle()],
    ["a smaller one takes its place", (lane: Lane) => lane.replace(sent(lane, 2, runAheadBytesMax))],
    ["it is abandoned", (lane: Lane) => lane.abandon()],
  ] as const
) {
  Deno.test(`Lane is full behind an output of more than 64 KiB until ${about}`, () => {
    const lane = new Lane("p", () => {});
    const full = [runAheadBytesMax, runAheadBytesMax + 1].map((length, index) => {
      lane.add(sent(lane, index + 1, length, index + 3));
      return lane.isFull;
    });
    happens(lane);
    assertEquals([full, lane.isFull], [[false, true], false]);
  });
}

Deno.test("Lane hands on in their order what is recorded, and knows the first that is not", () => {
  const lane = new Lane("p", () => {});
  lane.add(sent(lane, 1, 1));
  lane.add(sent(lane, 2, 1, 4));
  lane.settle();
  const before = lane.firstInputSeq;
  lane.replace(sent(lane, 1, 1, 3));
  lane.settle();
  assertEquals([before, lane.firstInputSeq], [1, undefined]);
});
