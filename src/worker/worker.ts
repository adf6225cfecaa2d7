/**
 * The worker: rebuilds the keyed map of pods from the checkpoint and the log, follows the log, and while it leads
 * answers what is unanswered and what comes.
 *
 * Invariants:
 * 1. Nothing is decided before the end that the log had after this worker won the lease is read (R13, SPEC §12).
 * 2. The cursor moves after a message is taken, never before.
 * 3. Stores belong to one stream: where it was deleted, recreated or rewound, all of them are dropped (R18).
 */
import { OperatorError, TransientError } from "../errors.ts";
import { headerNames, type LogMessage } from "../log/log_message.ts";
import type { Subjects } from "../log/subjects.ts";
import type { Logger } from "../logger.ts";
import { Checkpoints } from "./checkpoints.ts";
import { Lease } from "./lease.ts";
import { Pods } from "./pods.ts";
import {
  type Bucket,
  ConflictError,
  type Log,
  type LogReader,
  type LogState,
  type ReadLane,
} from "./ports.ts";
import { answerRead } from "./read_lane.ts";
import { readToEnd } from "./read_to_end.ts";
import { Recorder } from "./recorder.ts";
import type { ReplyRule } from "./reply.ts";
import { Retention, type RetentionSettings } from "./retention.ts";

export interface WorkerSettings extends RetentionSettings {
  /** Where replies may go. */
  readonly replies: ReplyRule;
  /** Outputs published and not yet acknowledged at which no more inputs are taken. */
  readonly inFlightMax: number;
  /** Idle pods above this many leave memory once the checkpoint has them. */
  readonly podsInMemoryMax: number;
  /** A checkpoint is written after this many inputs, … */
  readonly checkpointInputs: number;
  /** … and at least this often where there is something to save, in milliseconds. */
  readonly checkpointEveryMs: number;
  /** Whether to go on where the log has lost messages. */
  readonly acceptLoss: boolean;
}

export interface WorkerOptions {
  readonly log: Log;
  readonly readLane: ReadLane;
  readonly bucket: Bucket;
  readonly logger: Logger;
  readonly subjects: Subjects;
  readonly settings: WorkerSettings;
}

/** The stream is not the one that the stores were built from. */
class StreamReplaced extends Error {
  override readonly name = "StreamReplaced";
}

/** The lease was won or lost: read another part of the log. */
class RoleChanged extends Error {
  override readonly name = "RoleChanged";
}

class Stopped extends Error {
  override readonly name = "Stopped";
}

const identityCheckEveryMs = 2_000;
const checkpointTurnMs = 50;
const drainMs = 5_000;
const firstPauseMs = 50;
const longestPauseMs = 1_000;

export class Worker {
  readonly #options: WorkerOptions;
  readonly #recorder: Recorder;
  readonly #checkpoints: Checkpoints;
  readonly #lease: Lease;
  readonly #pods: Pods;
  readonly #retention: Retention;
  /** The stream that the pods were built from; null before the first. */
  #stream: LogState | null = null;
  /** Up to which seq everything was read. */
  #cursorSeq = 0;
  /** The last message that was taken: what the stream is recognised by. */
  #lastTaken: LogMessage | null = null;
  #isCaughtUp = false;
  /** Whether we have read up to the end that the log had after we won the lease, and have not lost it since. */
  #isLeading = false;
  #reader: LogReader | null = null;
  #stopReading: (() => void) | null = null;
  #inputsSinceCheckpoint = 0;
  #checkpointedMs = performance.now();
  #checkpoint: Promise<void> | null = null;
  #ending: Error | null = null;
  #onReady: () => void = () => {};

  constructor(options: WorkerOptions) {
    const { log, bucket, logger, settings } = options;
    const fatal = (error: unknown): void => this.#end(error);
    this.#options = options;
    this.#recorder = new Recorder({
      log,
      logger,
      inFlightMax: settings.inFlightMax,
      beforeSend: () => this.#lease.isValid,
      beforeRetry: () => this.#checkStream(),
      fatal,
    });
    this.#checkpoints = new Checkpoints({ bucket, log, logger, acceptLoss: settings.acceptLoss });
    this.#retention = new Retention({ log, logger, settings, now: Date.now });
    this.#lease = new Lease({
      bucket,
      logger,
      holder: crypto.randomUUID(),
      onChange: () => this.#reader?.fail(new RoleChanged("the lease changed hands")),
      onResumed: () => this.#pods.advance(),
      fatal,
    });
    this.#pods = new Pods({
      ...options,
      replyRule: settings.replies,
      podsInMemoryMax: settings.podsInMemoryMax,
      recorder: this.#recorder,
      load: (pod) => this.#checkpoints.load(pod),
      mayDecide: () => this.#isLeading && this.#lease.isValid,
      fatal,
    });
  }

  /** Resolves when the replay has first reached the end of the log. */
  readonly ready: Promise<void> = new Promise((resolve) => {
    this.#onReady = resolve;
  });

  get isLeading(): boolean {
    return this.#isLeading && this.#lease.isValid;
  }

  /**
   * Works until the signal; then takes no new input, waits for what is in flight, saves, and returns.
   *
   * @throws {OperatorError} when messages are missing in the log and the loss was not accepted
   * @throws {Error} whatever else nobody here can mend
   */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#end(new Stopped("Stopped"));
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    const identityTimer = setInterval(() => this.#checkStreamInPassing(), identityCheckEveryMs);
    const checkpointTimer = setInterval(() => this.#checkpointInPassing(), checkpointTurnMs);
    this.#lease.start();
    try {
      await this.#workUntilEnd();
    } finally {
      signal.removeEventListener("abort", stop);
      clearInterval(identityTimer);
      clearInterval(checkpointTimer);
      await this.#leave();
    }
    if (!(this.#ending instanceof Stopped)) throw this.#ending;
  }

  #end(error: unknown): void {
    this.#ending ??= error instanceof Error ? error : new Error(String(error));
    this.#reader?.fail(this.#ending);
  }

  async #workUntilEnd(): Promise<void> {
    let pauseMs = firstPauseMs;
    while (this.#ending === null) {
      try {
        await this.#work(() => pauseMs = firstPauseMs);
      } catch (error) {
        if (error instanceof RoleChanged) continue;
        if (error instanceof StreamReplaced) this.#startOver(error);
        else if (error instanceof TransientError) {
          this.#options.logger.warn("reading was interrupted", { error, retry_in_ms: pauseMs });
          await new Promise((resolve) => setTimeout(resolve, pauseMs));
          pauseMs = Math.min(2 * pauseMs, longestPauseMs);
        } else this.#end(error);
      }
    }
  }

  /** Reads on from the cursor until something interrupts it. */
  async #work(progress: () => void): Promise<void> {
    if (this.#stream === null) await this.#bind();
    else await this.#compareStream();
    if (!this.#isCaughtUp) await this.#catchUp();
    if (this.#isLeading && !this.#lease.isOurs) this.#follow();
    if (!this.#isLeading && this.#lease.isOurs) await this.#lead();
    const only = this.#isLeading ? "inputs" : "everything";
    const reader = await this.#options.log.read({ afterSeq: this.#cursorSeq, only });
    this.#reader = reader;
    try {
      while (this.#ending === null && this.#isLeading === this.#lease.isOurs) {
        for (const message of await reader.next()) {
          const room = this.#take(message);
          if (room) await room;
          if (this.#recorder.isFull) await this.#recorder.hasRoom();
        }
        progress();
      }
    } finally {
      this.#reader = null;
      await reader.close();
    }
  }

  /** Stores are built from this stream from now on: from the checkpoint where it fits, else from the beginning. */
  async #bind(): Promise<void> {
    const stream = await this.#options.log.state();
    this.#cursorSeq = await this.#checkpoints.open(stream);
    this.#lastTaken = this.#cursorSeq > 0 ? await this.#options.log.get(this.#cursorSeq) : null;
    this.#stream = stream;
    this.#recorder.bindTo(stream);
    this.#pods.reset(this.#cursorSeq > 0);
  }

  async #catchUp(): Promise<void> {
    const { logger } = this.#options;
    const startedMs = performance.now();
    const fromSeq = this.#cursorSeq;
    await this.#readToEnd();
    this.#isCaughtUp = true;
    logger.info("ready", {
      from_seq: fromSeq,
      last_seq: this.#cursorSeq,
      pods: this.#pods.size,
      replay_ms: Math.round(performance.now() - startedMs),
    });
    this.#onReady();
  }

  /** Reads all of the log from the cursor to the end that it has now; says what is missing there (R16). */
  async #readToEnd(): Promise<void> {
    const { log, subjects, settings } = this.#options;
    const options = { afterSeq: this.#cursorSeq, only: "everything" } as const;
    const gaps: string[] = [];
    let nextSeq = this.#cursorSeq + 1;
    const endSeq = await readToEnd(log, subjects, options, (message) => {
      if (message.seq > nextSeq) gaps.push(`${nextSeq}–${message.seq - 1}`);
      nextSeq = message.seq + 1;
      return this.#take(message);
    });
    if (endSeq >= nextSeq) gaps.push(`${nextSeq}–${endSeq}`);
    this.#cursorSeq = endSeq;
    if (gaps.length === 0) return;
    const missing = `messages ${gaps.slice(0, 5).join(", ")}${gaps.length > 5 ? ", …" : ""}`;
    if (settings.acceptLoss) {
      this.#options.logger.error("the log has lost messages; going on as told", { missing });
    } else {
      throw new OperatorError(
        `Cannot rebuild the stores: the log has lost ${missing}: restore stream and bucket from one backup, ` +
          "or start with --accept-loss to go on without them",
      );
    }
  }

  /** A promise where the reading is to wait. */
  #take(message: LogMessage): Promise<void> | null {
    const parsed = this.#options.subjects.parse(message.subject);
    const room = parsed ? this.#pods.take(message, parsed) : null;
    this.#cursorSeq = message.seq;
    this.#lastTaken = message;
    this.#inputsSinceCheckpoint++;
    return room;
  }

  // Leading and following.

  /** Reads what was recorded until we won, then decides what is unanswered. */
  async #lead(): Promise<void> {
    const { readLane, subjects, logger } = this.#options;
    await this.#readToEnd();
    if (this.#stream) await this.#checkpoints.refresh(this.#stream);
    if (!this.#lease.isOurs) return;
    this.#isLeading = true;
    this.#stopReading = readLane.serve((request) =>
      answerRead(request, subjects, (id) => this.#pods.find(id))
    );
    logger.info("leading", { last_seq: this.#cursorSeq, pods: this.#pods.size });
    this.#pods.advance();
  }

  /**
   * Follows whoever leads now. What was open here may have been answered by another meanwhile, at a place that only
   * the pod's own log shows.
   */
  #follow(): void {
    this.#isLeading = false;
    this.#stopReading?.();
    this.#stopReading = null;
    for (const pod of this.#pods.all()) if (pod.firstOpenSeq !== null) pod.rebuild("another worker leads");
    this.#options.logger.info("following", { last_seq: this.#cursorSeq });
  }

  // The stream's identity.

  #checkStreamInPassing(): void {
    if (this.#reader === null) return;
    this.#checkStream().catch((error) => {
      if (error instanceof TransientError) {
        this.#options.logger.debug("the stream was not checked", { error });
      } else this.#end(error);
    });
  }

  /** Interrupts the reading where the stream was replaced; whoever asked has to wait. */
  async #checkStream(): Promise<void> {
    try {
      await this.#compareStream();
    } catch (error) {
      if (!(error instanceof StreamReplaced)) throw error;
      this.#reader?.fail(error);
      throw new TransientError(error.message);
    }
  }

  /** @throws {StreamReplaced} when the stream is not the one that the stores were built from (R18) */
  async #compareStream(): Promise<void> {
    const built = this.#stream;
    if (built === null) return;
    const taken = this.#lastTaken;
    const recorded = this.#recorder.lastRecorded;
    const state = await this.#options.log.state();
    if (state.created !== built.created) {
      throw new StreamReplaced(
        `The stream was recreated: it was made at ${built.created}, now at ${state.created}`,
      );
    }
    const reached = Math.max(taken?.seq ?? 0, recorded?.seq ?? 0);
    if (state.lastSeq < reached) {
      throw new StreamReplaced(`The stream was rewound: it had reached seq ${reached}, now ${state.lastSeq}`);
    }
    await this.#compareMessage(taken, (found) => found.timeMs === taken?.timeMs);
    await this.#compareMessage(
      recorded,
      (found) => found.header(headerNames.input) === String(recorded?.inputSeq),
    );
  }

  /** A message that is no longer there tells nothing. */
  async #compareMessage(
    known: { readonly seq: number } | null,
    isSame: (found: LogMessage) => boolean,
  ): Promise<void> {
    const found = known && await this.#options.log.get(known.seq);
    if (found && !isSame(found)) {
      throw new StreamReplaced(`The stream was rewound: another message is at seq ${found.seq}`);
    }
  }

  /** Drops everything and replays from what is there. */
  #startOver(reason: StreamReplaced): void {
    this.#options.logger.error("the stream is another one: all stores are dropped and replayed", {
      error: reason,
    });
    this.#stopReading?.();
    this.#stopReading = null;
    this.#recorder.abandon(null);
    this.#pods.reset(false);
    this.#stream = null;
    this.#cursorSeq = 0;
    this.#lastTaken = null;
    this.#isCaughtUp = false;
    this.#isLeading = false;
  }

  // Checkpoints.

  #checkpointInPassing(): void {
    const { checkpointInputs, checkpointEveryMs } = this.#options.settings;
    const isDue = this.#inputsSinceCheckpoint >= checkpointInputs || this.#pods.hasTooMany ||
      (this.#inputsSinceCheckpoint > 0 && performance.now() - this.#checkpointedMs >= checkpointEveryMs);
    if (!isDue || this.#checkpoint !== null) return;
    if (this.isLeading) this.#checkpoint = this.#passing(() => this.#save());
    else if (this.#isCaughtUp && this.#pods.hasTooMany) {
      this.#checkpoint = this.#passing(() => this.#dropSaved());
    }
  }

  /** What cannot be done now is done the next time. */
  async #passing(task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      if (error instanceof ConflictError) this.#lease.lose(error.message);
      else if (error instanceof TransientError) this.#options.logger.warn("no checkpoint now", { error });
      else this.#end(error);
    } finally {
      this.#checkpoint = null;
    }
  }

  async #save(): Promise<void> {
    if (this.#stream === null) return;
    this.#inputsSinceCheckpoint = 0;
    this.#checkpointedMs = performance.now();
    const position = await this.#checkpoints.save(this.#pods.all(), this.#cursorSeq, this.#stream);
    this.#pods.evict();
    await this.#retention.shorten(position);
  }

  /** A follower writes nothing: it drops what the leader has saved. */
  async #dropSaved(): Promise<void> {
    if (this.#stream === null) return;
    await this.#checkpoints.refresh(this.#stream);
    await this.#checkpoints.recognise(this.#pods.all());
    this.#pods.evict();
  }

  async #leave(): Promise<void> {
    this.#stopReading?.();
    const isDrained = await this.#recorder.drain(drainMs);
    if (!isDrained) {
      this.#options.logger.warn("left with answers on the way: the next leader gives them", {
        in_flight: this.#recorder.inFlightCount,
      });
    }
    await this.#checkpoint;
    if (this.isLeading && isDrained) await this.#passing(() => this.#save());
    this.#isLeading = false;
    this.#pods.reset(false);
    this.#recorder.close();
    await this.#lease.release();
  }
}
