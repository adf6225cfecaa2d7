/** What a pod at work tells, and when: nothing before the log has it. */
import { assertEquals } from "@std/assert";
import { Pod } from "../../../src/log/pod.ts";
import { UnreachableLog } from "../../helpers/unreachable_log.ts";
import { PodWorker } from "../../../src/worker/pod_worker.ts";
import { Recorder } from "../../../src/worker/recorder.ts";
import type { Acknowledgement, OutputMessage } from "../../../src/worker/ports.ts";
import type { Answered, Span } from "../../../src/worker/observer.ts";
import { LogLines } from "../../helpers/log_lines.ts";
import { messageOf, subjects } from "../../helpers/memory_log.ts";

/** A log that takes outputs and says so when the test wants it. */
class SlowLog extends UnreachableLog {
  readonly sent: OutputMessage[] = [];
  readonly #waiting: ((acknowledgement: Acknowledgement) => void)[] = [];

  override record(message: OutputMessage): Promise<Acknowledgement> {
    this.sent.push(message);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async acknowledge(seq: number): Promise<void> {
    this.#waiting.shift()?.({ seq, isDuplicate: false });
    await new Promise((resolve) => setTimeout(resolve));
  }
}

function setUp({ span = null, isLeading = true }: { span?: Span | null; isLeading?: boolean } = {}) {
  const log = new SlowLog();
  const logger = new LogLines();
  const told: (Answered | string)[] = [];
  const fatal = (error: unknown): never => {
    throw error;
  };
  const recorder = new Recorder({
    log,
    logger,
    inFlightMax: 10,
    beforeSend: () => true,
    beforeRetry: () => Promise.resolve(),
    onRoom: () => {},
    fatal,
  });
  const pod = new PodWorker({
    log,
    logger,
    subjects,
    recorder,
    replyRule: "inbox",
    observer: {
      answered: (what) => void told.push(what),
      replayed: () => {},
      saved: () => {},
      led: () => {},
    },
    tracer: { begin: () => span },
    load: (id) => Promise.resolve({ pod: new Pod(id), revision: 0, source: "checkpoint" }),
    mayDecide: () => isLeading,
    isTurnOf: () => true,
    changed: (id) => void told.push(`changed ${id}`),
    fatal,
  }, "p");
  const publish = (seq: number, subject: string): void => {
    const message = messageOf(seq, "tasks.p.in.call.TaskCreate", {
      call_id: `c${seq}`,
      arguments: { subject },
    });
    pod.take(message, { pod: "p", direction: "in", rest: "call.TaskCreate" });
  };
  return { log, pod, told, publish };
}

const created = { kind: "call", tool: "TaskCreate", refusal: null, rejection: null } as const;

Deno.test("a board and the observer learn of an answer when the log has it, in order", async () => {
  const { log, pod, told, publish } = setUp();
  publish(1, "one");
  publish(2, "two");
  assertEquals([log.sent.length, pod.recorded?.store.tasks.length, told], [2, 0, []]);
  await log.acknowledge(3);
  assertEquals([pod.recorded?.store.tasks.length, told], [1, ["changed p", created]]);
  await log.acknowledge(4);
  assertEquals([pod.recorded?.store.tasks.length, told], [2, ["changed p", created, "changed p", created]]);
});

Deno.test("a span gives its headers to the output and ends when the log has it", async () => {
  const ended: number[] = [];
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const span: Span = {
    headers: new Map([["traceparent", traceparent]]),
    end: (outputSeq) => void ended.push(outputSeq),
  };
  const { log, publish } = setUp({ span });
  publish(1, "one");
  const { "Tasuki-Input": inputSeq, traceparent: given } = Object.fromEntries(log.sent[0]?.headers ?? []);
  assertEquals([inputSeq, given, ended], ["1", traceparent, []]);
  await log.acknowledge(2);
  assertEquals(ended, [2]);
});

Deno.test("a board learns that its pod is not served any more, once", () => {
  const { pod, told, publish } = setUp({ isLeading: false });
  publish(1, "one");
  const output = messageOf(2, "tasks.p.out.result", { v: 99 }, { "Tasuki-Input": "1" });
  pod.take(output, { pod: "p", direction: "out", rest: "result" });
  publish(3, "two");

  assertEquals([typeof pod.notServed, told], ["string", ["changed p"]]);
});
