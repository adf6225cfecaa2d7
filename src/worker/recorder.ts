/**
 * Records outputs: each is published with acknowledgement until the stream has it, once (R2, R3).
 *
 * Invariants:
 * 1. An output that was sent is sent again only under the same message id and within the duplicate window; past
 *    that its pod is built again from the log, which knows whether it was recorded.
 * 2. Nothing is sent again before the stream's identity was checked (`beforeRetry`).
 * 3. `recorded` is called for an output after all earlier outputs of its pod, and only for what the log holds.
 */
import { TransientError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { headerNames, type LogMessage } from "../log/log_message.ts";
import { inFlightBytesMax, podInFlightMax, runAheadBytesMax } from "./limits.ts";
import { type Acknowledgement, type Log, type OutputMessage, UnrecordableError } from "./ports.ts";

/** An output on its way into the log. */
export interface Entry {
  readonly lane: Lane;
  readonly inputSeq: number;
  readonly message: Omit<OutputMessage, "messageId">;
  /** Called once the output and all before it are in the log. */
  readonly recorded: (outputSeq: number) => void;
  /** Called when the server will never take it: the caller records something else in its place. */
  readonly refused: (error: UnrecordableError) => void;
}

interface Sent extends Entry {
  readonly firstSentMs: number;
  /** How many foreign messages were found under this output's message ids. */
  foreignIds: number;
  /** Whether the log did not have the message that an acknowledgement named. */
  wasMissing: boolean;
  outputSeq: number | null;
}

/** It is about to be sent for the first time. */
function sentOf(entry: Entry): Sent {
  return { ...entry, firstSentMs: performance.now(), foreignIds: 0, wasMissing: false, outputSeq: null };
}

/** The outputs of one pod that are not yet in the log, in order. */
export class Lane {
  readonly pod: string;
  readonly #entries: Sent[] = [];
  /** Called when the log holds another's output, or may hold one that we cannot know: rebuild the pod. */
  readonly lost: (reason: string) => void;
  readonly #afterEntries: { entry: Sent; then: () => void }[] = [];

  constructor(pod: string, lost: (reason: string) => void) {
    this.pod = pod;
    this.lost = lost;
  }

  /** Of the first output that is in flight; undefined where none is. */
  get firstInputSeq(): number | undefined {
    return this.#entries[0]?.inputSeq;
  }

  /** Whether the pod has no more room among what is in flight, or has to wait for a large output. */
  get isFull(): boolean {
    const last = this.#entries.at(-1);
    return this.#entries.length >= podInFlightMax ||
      (last !== undefined && bytesOf(last) > runAheadBytesMax);
  }

  add(entry: Sent): void {
    this.#entries.push(entry);
  }

  /** Puts it in the place of what was to answer the same input. */
  replace(entry: Sent): void {
    const at = this.#entries.findIndex(({ inputSeq }) => inputSeq === entry.inputSeq);
    if (at < 0) throw new Error(`Cannot replace the output of input ${entry.inputSeq}: it is not in flight`);
    this.#entries[at] = entry;
  }

  /** Calls back once everything that is in flight now is in the log; at once where nothing is. */
  whenRecorded(then: () => void): void {
    const last = this.#entries.at(-1);
    if (last) this.#afterEntries.push({ entry: last, then });
    else then();
  }

  /** Hands on what is recorded at the head. */
  settle(): void {
    for (let head = this.#entries[0]; head && head.outputSeq !== null; head = this.#entries[0]) {
      const done = head;
      this.#entries.shift();
      done.recorded(head.outputSeq);
      for (let wait = this.#afterEntries[0]; wait?.entry === done; wait = this.#afterEntries[0]) {
        this.#afterEntries.shift();
        wait.then();
      }
    }
  }

  /** Forgets what is in flight; those who wait for it are called when the pod is built again. */
  abandon(): readonly (() => void)[] {
    this.#entries.length = 0;
    return this.#afterEntries.splice(0).map(({ then }) => then);
  }
}

function bytesOf({ message }: Pick<Entry, "message">): number {
  return message.data.length;
}

interface RecorderOptions {
  readonly log: Log;
  readonly logger: Logger;
  /** Outputs in flight at which `hasRoom` waits. */
  readonly inFlightMax: number;
  /** Whether this worker may publish at this moment; what it may not stays in flight and is sent later. */
  readonly beforeSend: () => boolean;
  /** Checks that the stream is still the one that the outputs belong to; throws where it is not or not reachable. */
  readonly beforeRetry: () => Promise<void>;
  /** Called when an output is no longer in flight. */
  readonly onRoom: () => void;
  /** Takes an error that nobody here can mend. */
  readonly fatal: (error: unknown) => void;
}

/** Between two rounds of sending again, in milliseconds. */
const retryEveryMs = 250;

export class Recorder {
  readonly #options: RecorderOptions;
  /** Outputs whose last sending failed. */
  readonly #failed = new Set<Sent>();
  /**
   * In the order of sending, in which nearly all are acknowledged. No set: it is made anew every few changes, and each
   * one thrown away refers to the next and to what was in flight then, so that V8 would keep all of that, call by call,
   * until it collects everything.
   */
  readonly #inFlight: Sent[] = [];
  #bytesInFlight = 0;
  #waiters: (() => void)[] = [];
  #retryTimer: ReturnType<typeof setTimeout> | null = null;
  #isRetrying = false;
  #isClosed = false;
  #lastRecorded: { readonly seq: number; readonly inputSeq: number } | null = null;
  #created = "";
  #duplicateWindowMs = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** @param created the identity of the stream that outputs belong to from now on */
  bindTo(stream: { readonly created: string; readonly duplicateWindowMs: number }): void {
    this.#lastRecorded = null;
    this.#created = stream.created;
    this.#duplicateWindowMs = stream.duplicateWindowMs;
  }

  /** The output that lies furthest in the log, of those recorded here. */
  get lastRecorded(): { readonly seq: number; readonly inputSeq: number } | null {
    return this.#lastRecorded;
  }

  get inFlightCount(): number {
    return this.#inFlight.length;
  }

  record(entry: Entry): void {
    const sent = sentOf(entry);
    entry.lane.add(sent);
    this.#sendFirst(sent);
  }

  /** Records something else in the place of an output that the server did not take. */
  replace(lane: Lane, inputSeq: number, instead: Pick<Entry, "message" | "recorded" | "refused">): void {
    const sent = sentOf({ lane, inputSeq, ...instead });
    lane.replace(sent);
    this.#sendFirst(sent);
  }

  #sendFirst(sent: Sent): void {
    this.#inFlight.push(sent);
    this.#bytesInFlight += bytesOf(sent);
    this.#send(sent);
  }

  get isFull(): boolean {
    return this.#inFlight.length >= this.#options.inFlightMax || this.#bytesInFlight >= inFlightBytesMax;
  }

  /** Resolves when an output is no longer in flight, or at the next `wake`. */
  nextSettled(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** Has those look again who wait for something to be settled. */
  wake(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  /** Resolves when everything is recorded; false where that takes longer than the limit. */
  async drain(limitMs: number): Promise<boolean> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.wake();
    }, limitMs);
    while (this.#inFlight.length > 0 && !isLate) await this.nextSettled();
    clearTimeout(timer);
    return this.#inFlight.length === 0;
  }

  /** Forgets the outputs of one pod, or of all. */
  abandon(lane: Lane | null): void {
    for (const sent of [...this.#inFlight]) if (lane === null || sent.lane === lane) this.#forget(sent);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer);
    this.#retryTimer = null;
    this.abandon(null);
  }

  #forget(sent: Sent): void {
    const at = this.#inFlight.indexOf(sent);
    if (at >= 0) {
      this.#inFlight.splice(at, 1);
      this.#bytesInFlight -= bytesOf(sent);
    }
    this.#failed.delete(sent);
    this.wake();
    this.#options.onRoom();
  }

  #send(sent: Sent): void {
    if (!this.#options.beforeSend()) {
      this.#failed.add(sent);
      this.#scheduleRetry();
      return;
    }
    const suffix = sent.foreignIds === 0 ? "" : `-${sent.foreignIds + 1}`;
    const messageId = `out-${this.#created}-${sent.inputSeq}${suffix}`;
    this.#options.log.record({ ...sent.message, messageId }).then((acknowledgement) =>
      this.#acknowledged(sent, acknowledgement)
    ).catch((error) => this.#notRecorded(sent, error));
  }

  /** Nothing is believed that the log does not say (R2). */
  async #acknowledged(sent: Sent, { seq, isDuplicate }: Acknowledgement): Promise<void> {
    if (!this.#inFlight.includes(sent)) return;
    if (!isDuplicate && seq > sent.inputSeq) return this.#recorded(sent, seq);
    if (!isDuplicate) {
      throw new TransientError(`The stream gave seq ${seq} to the answer of input ${sent.inputSeq}`);
    }
    const found = await this.#options.log.get(seq);
    if (!this.#inFlight.includes(sent)) return;
    if (found === null && !sent.wasMissing) {
      // A server of a cluster that was cut off may have said so: asked once more, after the stream was checked.
      sent.wasMissing = true;
      throw new TransientError(`The log does not have message ${seq}, which an acknowledgement named`);
    }
    if (found === null || !isOutputOf(found, sent)) {
      sent.foreignIds++;
      this.#send(sent);
    } else if (isSameOutput(found, sent)) this.#recorded(sent, seq);
    else sent.lane.lost(`another worker answered input ${sent.inputSeq}`);
  }

  #recorded(sent: Sent, seq: number): void {
    sent.outputSeq = seq;
    if (seq > (this.#lastRecorded?.seq ?? 0)) this.#lastRecorded = { seq, inputSeq: sent.inputSeq };
    this.#forget(sent);
    sent.lane.settle();
  }

  #notRecorded(sent: Sent, error: unknown): void {
    const isOutside = error instanceof TransientError || error instanceof UnrecordableError;
    if (!isOutside) return this.#options.fatal(error);
    if (!this.#inFlight.includes(sent)) return;
    if (error instanceof UnrecordableError) {
      this.#forget(sent);
      sent.refused(error);
      return;
    }
    this.#options.logger.debug("output not acknowledged", {
      pod: sent.lane.pod,
      input_seq: sent.inputSeq,
      error,
    });
    this.#failed.add(sent);
    this.#scheduleRetry();
  }

  #scheduleRetry(): void {
    if (this.#retryTimer !== null || this.#isRetrying || this.#isClosed || this.#failed.size === 0) return;
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = null;
      this.#retry().catch(this.#options.fatal);
    }, retryEveryMs);
  }

  async #retry(): Promise<void> {
    this.#isRetrying = true;
    try {
      await this.#options.beforeRetry();
      for (const sent of [...this.#failed]) {
        // Where its lane was lost, it is forgotten.
        if (this.#failed.delete(sent)) this.#sendAgain(sent);
      }
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
    } finally {
      this.#isRetrying = false;
      this.#scheduleRetry();
    }
  }

  #sendAgain(sent: Sent): void {
    const isKnownToServer = performance.now() - sent.firstSentMs < this.#duplicateWindowMs / 2;
    if (isKnownToServer) this.#send(sent);
    else sent.lane.lost(`input ${sent.inputSeq} was answered too long ago to send the answer again unseen`);
  }
}

function isOutputOf(found: LogMessage, sent: Sent): boolean {
  const lane = sent.message.subject.slice(0, sent.message.subject.lastIndexOf("."));
  return found.seq > sent.inputSeq && found.subject.startsWith(`${lane}.`) &&
    found.header(headerNames.input) === String(sent.inputSeq);
}

function isSameOutput(found: LogMessage, sent: Sent): boolean {
  const { subject, data } = sent.message;
  return found.subject === subject && found.data.length === data.length &&
    found.data.every((byte, index) => byte === data[index]);
}
