/** What a server of a cluster says that was cut off and does not know it: nothing is concluded from it at once. */
import { assertEquals } from "@std/assert";
import { TransientError } from "../../../src/errors.ts";
import { headerNames, type LogMessage } from "../../../src/log/log_message.ts";
import type { Acknowledgement, LogState, OutputMessage } from "../../../src/worker/ports.ts";
import { Lane, Recorder } from "../../../src/worker/recorder.ts";
import { StreamIdentity, StreamReplaced } from "../../../src/worker/stream_identity.ts";
import { LogLines } from "../../helpers/log_lines.ts";
import { UnreachableLog } from "../../helpers/unreachable_log.ts";
import { within } from "../../helpers/within.ts";

function state(lastSeq: number, isReplicated: boolean): LogState {
  return {
    created: "2026-01-01T00:00:00Z",
    firstSeq: 1,
    lastSeq,
    deletedCount: 0,
    duplicateWindowMs: 120_000,
    isReplicated,
    problems: [],
  };
}

function message(seq: number, inputSeq = 0): LogMessage {
  return {
    seq,
    timeMs: seq,
    subject: "tasks.p1.out.result",
    data: new Uint8Array(),
    header: (name) => name === headerNames.input ? String(inputSeq) : null,
  };
}

class KnownLog extends UnreachableLog {
  now = state(9, true);

  override state(): Promise<LogState> {
    return Promise.resolve(this.now);
  }

  override get(seq: number): Promise<LogMessage | null> {
    return Promise.resolve(message(seq));
  }
}

/** What a worker that has read to seq 9 says of a stream that ends at 4, and then of one that ends at 9 again. */
async function said(isReplicated: boolean): Promise<readonly unknown[]> {
  const log = new KnownLog();
  const identity = new StreamIdentity({ log, lastRecorded: () => null });
  identity.bind(log.now, null);
  identity.taken(message(9));
  const verify = (): Promise<unknown> =>
    identity.verify().then(() => "the same", (error) => error.constructor);
  log.now = state(4, isReplicated);
  const first = await verify();
  log.now = state(9, isReplicated);
  return [first, await verify()];
}

Deno.test("a replicated stream that looks rewound is asked for again", async () => {
  assertEquals(await said(true), [TransientError, "the same"]);
});

Deno.test("a stream that one server has is what that server says", async () => {
  assertEquals(await said(false), [StreamReplaced, "the same"]);
});

Deno.test("an output that a server does not find, though another has acknowledged it, is looked for again", async () => {
  const sent: string[] = [];
  let lookups = 0;
  class ForgetfulLog extends KnownLog {
    override record({ messageId }: OutputMessage): Promise<Acknowledgement> {
      sent.push(messageId);
      return Promise.resolve({ seq: 8, isDuplicate: true });
    }

    override get(seq: number): Promise<LogMessage | null> {
      return Promise.resolve(++lookups === 1 ? null : message(seq, 7));
    }
  }
  const recorded = Promise.withResolvers<number>();
  const recorder = new Recorder({
    log: new ForgetfulLog(),
    logger: new LogLines(),
    inFlightMax: 10,
    beforeSend: () => true,
    beforeRetry: () => Promise.resolve(),
    onRoom: () => {},
    fatal: recorded.reject,
  });
  recorder.bindTo({ created: "c", duplicateWindowMs: 120_000 });
  recorder.record({
    lane: new Lane("p1", recorded.reject),
    inputSeq: 7,
    message: { subject: "tasks.p1.out.result", headers: new Map(), data: new Uint8Array() },
    recorded: recorded.resolve,
    refused: recorded.reject,
  });

  assertEquals(await within(recorded.promise, "the output is recorded"), 8);
  assertEquals(sent, ["out-c-7", "out-c-7"]);
  recorder.close();
});
