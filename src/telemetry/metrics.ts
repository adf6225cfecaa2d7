/**
 * Metrics for Prometheus. Labels are words of closed sets (`worker/observer.ts`), never a text from outside, so their
 * number has a bound. Durations are in seconds, as Prometheus wants them.
 */
import process from "node:process";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Answered, Observer } from "../worker/observer.ts";
import type { WorkerStatus } from "../worker/status.ts";

const answerBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120];
const workBuckets = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300];

/** What is read when somebody asks. */
interface Readings {
  /** Null where there is no worker yet. */
  readonly status: WorkerStatus | null;
  /** Times that the connection came back. */
  readonly reconnectCount: number;
  /** Pages that are open. */
  readonly viewerCount: number;
}

export class Metrics implements Observer {
  readonly #registry = new Registry();
  readonly #inputs = this.#counter("inputs", "Inputs answered by this worker", ["kind", "tool"]);
  readonly #refusals = this.#counter("refusals", "Answers that are a reasoned no", ["code"]);
  readonly #rejections = this.#counter("rejected_inputs", "Inputs that could not be answered otherwise", [
    "reason",
  ]);
  readonly #answer = this.#histogram(
    "answer_seconds",
    "From the stream's time of an input to its recorded output",
    answerBuckets,
  );
  readonly #answerHere = this.#histogram(
    "answer_since_receipt_seconds",
    "From an input's arrival in this process to its recorded output",
    answerBuckets,
  );
  readonly #replay = this.#histogram("replay_seconds", "Rebuilding the stores from the log", workBuckets);
  readonly #checkpoint = this.#histogram("checkpoint_seconds", "Writing a checkpoint", workBuckets);
  readonly #changes = this.#counter("leadership_changes", "Times that this worker won or lost the lead", []);
  readonly #reconnects = this.#counter("reconnects", "Times that the connection to NATS came back", []);

  readonly #ready = this.#gauge("ready", "Whether this worker is ready");
  readonly #leading = this.#gauge("leading", "Whether this worker leads");
  readonly #lag = this.#gauge("lag_messages", "Messages of the stream that are not read yet, as last seen");
  readonly #inFlight = this.#gauge("outputs_in_flight", "Outputs published and not yet acknowledged");
  readonly #pods = this.#gauge("pods_in_memory", "Stores that are in memory");
  readonly #verified = this.#gauge("stream_verified_seconds", "Since the stream was last recognised");
  readonly #viewers = this.#gauge("page_viewers", "Pages that are open");

  readonly #cpu = this.#process(Counter, "cpu_seconds_total", "User and system time spent");
  readonly #resident = this.#process(Gauge, "resident_memory_bytes", "Resident memory");
  readonly #heap = this.#process(Gauge, "heap_bytes", "Heap in use");

  constructor(version: string) {
    const build = this.#gauge("build_info", "Always 1", ["version"]);
    build.set({ version }, 1);
    this.#process(Gauge, "start_time_seconds", "Start of the process since the epoch").set(
      performance.timeOrigin / 1_000,
    );
  }

  answered(
    { kind, tool, refusal, rejection }: Answered,
    sinceStreamMs: number,
    sinceReceiptMs: number,
  ): void {
    this.#inputs.inc({ kind: kind ?? "unknown", tool: tool ?? (kind === "call" ? "unknown" : "") });
    if (refusal !== null) this.#refusals.inc({ code: refusal });
    if (rejection !== null) this.#rejections.inc({ reason: rejection });
    this.#answer.observe(sinceStreamMs / 1_000);
    this.#answerHere.observe(sinceReceiptMs / 1_000);
  }

  replayed(tookMs: number): void {
    this.#replay.observe(tookMs / 1_000);
  }

  saved(tookMs: number): void {
    this.#checkpoint.observe(tookMs / 1_000);
  }

  led(_isLeading: boolean): void {
    this.#changes.inc();
  }

  readonly contentType = this.#registry.contentType;

  /** Everything, in the form of {@link contentType}. */
  async text({ status, reconnectCount, viewerCount }: Readings): Promise<string> {
    this.#ready.set(status !== null && status.notReady === null ? 1 : 0);
    this.#leading.set(status?.isLeading ? 1 : 0);
    this.#lag.set(status?.lagMessages ?? 0);
    this.#inFlight.set(status?.outputsInFlight ?? 0);
    this.#pods.set(status?.podsInMemory ?? 0);
    this.#verified.set(status?.verifiedMsAgo == null ? NaN : status.verifiedMsAgo / 1_000);
    this.#viewers.set(viewerCount);
    becomes(this.#reconnects, reconnectCount);
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = Deno.memoryUsage();
    becomes(this.#cpu, (user + system) / 1e6);
    this.#resident.set(rss);
    this.#heap.set(heapUsed);
    return await this.#registry.metrics();
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name: `tasuki_${name}_total`, help, labelNames, registers: [this.#registry] });
  }

  #gauge<Label extends string>(name: string, help: string, labelNames: Label[] = []): Gauge<Label> {
    return new Gauge({ name: `tasuki_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name: `tasuki_${name}`, help, buckets, registers: [this.#registry] });
  }

  #process<Metric>(
    make: new (options: { name: string; help: string; registers: Registry[] }) => Metric,
    name: string,
    help: string,
  ): Metric {
    return new make({ name: `process_${name}`, help, registers: [this.#registry] });
  }
}

/** For what somebody else counts. */
function becomes(counter: Counter, value: number): void {
  counter.reset();
  counter.inc(value);
}
