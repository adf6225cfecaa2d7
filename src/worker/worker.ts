/**
 * The worker: rebuilds the keyed map of pods from the checkpoint and the log, follows the log, and while it leads
 * answers what is unanswered and what comes.
 *
 * Invariants:
 * 1. Nothing is decided before the end that the log had after this worker won the lease is read (R13, SPEC §12), and
 *    nothing while the log cannot be read: when it can be again, it may be another one.
 * 2. The cursor moves after a message is taken, never before.
 * 3. Stores belong to one stream: where it was deleted, recreated or rewound, all of them are dropped (R18).
 */
import { OperatorError, TransientError } from "../errors.ts";
import type { LogMessage } from "../log/log_message.ts";
import { CheckpointLost, Checkpoints } from "./checkpoints.ts";
import { Gaps } from "./gaps.ts";
import { CheckpointAhead, isReasonToStartOver, RoleChanged, sayStartOver, Stopped } from "./interruption.ts";
import { Lease } from "./lease.ts";
import { LiveReading } from "./live_reading.ts";
import { noObserver, noTracer, type Observer } from "./observer.ts";
import { PodBoards } from "./pod_boards.ts";
import type { SavedPod } from "./pod_worker.ts";
import { Pods } from "./pods.ts";
import { ConflictError, type LogReader } from "./ports.ts";
import { answerRead } from "./read_lane.ts";
import { reasonNotReady } from "./readiness.ts";
import { readToEnd } from "./read_to_end.ts";
import { Recorder } from "./recorder.ts";
import { Retention } from "./retention.ts";
import type { Boards, WorkerStatus } from "./status.ts";
import { StreamIdentity, StreamReplaced } from "./stream_identity.ts";
import { isDoneWithin } from "./until_done.ts";
import type { WorkerOptions } from "./worker_options.ts";

const identityCheckEveryMs = 2_000;
const checkpointTurnMs = 50;
/** How long leaving may take in all: less than what process managers grant, of which the shortest is 10 s. */
const drainMs = 4_000;
const handOnMs = 3_000;
const firstPauseMs = 50;
const longestPauseMs = 1_000;

export class Worker {
  readonly #options: WorkerOptions;
  readonly #observer: Observer;
  readonly #recorder: Recorder;
  readonly #checkpoints: Checkpoints;
  readonly #lease: Lease;
  readonly #pods: Pods;
  readonly #retention: Retention;
  readonly #identity: StreamIdentity;
  readonly #boards: PodBoards;
  readonly #gaps = new Gaps();
  readonly #liveReading = new LiveReading();
  /** What all workers' log lines call this one: its process id, and what tells it from others that have the same. */
  readonly #id = `${Deno.pid}-${crypto.randomUUID().slice(0, 13)}`;
  /** Up to which seq everything was read. */
  #cursorSeq = 0;
  #isCaughtUp = false;
  /** Whether we have read up to the end that the log had after we won the lease, and have not lost it since. */
  #isLeading = false;
  #reader: LogReader | null = null;
  /** Ends what the reading waits for. */
  #interruptWait: (error: Error) => void = () => {};
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
    this.#observer = options.observer ?? noObserver;
    this.#recorder = new Recorder({
      log,
      logger,
      inFlightMax: settings.inFlightMax,
      beforeSend: () => this.#lease.isValid,
      beforeRetry: () => this.#checkStream(),
      onRoom: () => this.#pods.serve(),
      fatal,
    });
    this.#identity = new StreamIdentity({ log, lastRecorded: () => this.#recorder.lastRecorded });
    this.#checkpoints = new Checkpoints({
      bucket,
      log,
      logger,
      acceptLoss: settings.acceptLoss,
      mayWrite: () => this.#lease.isValid,
      logEnd: () => this.#unlessReplaced(() => this.#identity.end()),
    });
    this.#retention = new Retention({ ...options, now: Date.now });
    this.#lease = new Lease({
      bucket,
      logger,
      holder: this.#id,
      mayTake: () => this.#isCaughtUp,
      onChange: () => this.#interrupt(new RoleChanged("the lease changed hands")),
      onResumed: () => this.#pods.advance(),
      fatal,
    });
    this.#pods = new Pods({
      ...options,
      replyRule: settings.replies,
      podsInMemoryMax: settings.podsInMemoryMax,
      recorder: this.#recorder,
      observer: this.#observer,
      tracer: options.tracer ?? noTracer,
      load: (pod) => this.#load(pod),
      mayDecide: () => this.#ending === null && this.isLeading && this.#reader?.isOpen === true,
      changed: (pod) => this.#boards.changed(pod),
      fatal,
    });
    this.#boards = new PodBoards(this.#pods, this.#checkpoints);
  }

  /** Resolves when the replay has first reached the end of the log. */
  readonly ready: Promise<void> = new Promise((resolve) => {
    this.#onReady = resolve;
  });

  get isLeading(): boolean {
    return this.#isLeading && this.#lease.isValid;
  }

  status(): WorkerStatus {
    const { stream, lastSeq: streamLastSeq, verifiedMsAgo } = this.#identity;
    const position = { cursorSeq: this.#cursorSeq, streamLastSeq, verifiedMsAgo };
    const reachedSeq = Math.max(this.#cursorSeq, this.#recorder.lastRecorded?.seq ?? 0);
    const notReady = reasonNotReady({
      end: this.#ending && (this.#ending instanceof Stopped ? "stopping" : "failed"),
      isStreamOpen: stream !== null,
      isCaughtUp: this.#isCaughtUp,
      hasLapsed: this.#isLeading && !this.#lease.isValid,
      ...position,
    });
    return {
      ...position,
      notReady,
      isLeading: this.isLeading,
      lagMessages: Math.max(0, streamLastSeq - reachedSeq),
      podsInMemory: this.#pods.size,
      outputsInFlight: this.#recorder.inFlightCount,
    };
  }

  /** What may be shown of the pods. */
  get boards(): Boards {
    return this.#boards;
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
    this.#interrupt(this.#ending);
  }

  #interrupt(error: Error): void {
    this.#reader?.fail(error);
    this.#interruptWait(error);
  }

  /** @throws {Error} with which the reading is interrupted before the promise resolves */
  async #unlessInterrupted(promise: Promise<void>): Promise<void> {
    const interrupted = Promise.withResolvers<never>();
    this.#interruptWait = interrupted.reject;
    try {
      await Promise.race([promise, interrupted.promise]);
    } finally {
      this.#interruptWait = () => {};
    }
  }

  async #workUntilEnd(): Promise<void> {
    let pauseMs = firstPauseMs;
    let complaint = "";
    const progress = (): void => {
      pauseMs = firstPauseMs;
      complaint = "";
    };
    while (this.#ending === null) {
      try {
        await this.#work(progress);
      } catch (error) {
        if (error instanceof RoleChanged) continue;
        if (isReasonToStartOver(error)) {
          sayStartOver(error, this.#options.logger);
          this.#startOver();
        } else if (error instanceof TransientError) {
          const level = error.message === complaint ? "debug" : "warn";
          this.#options.logger[level]("reading was interrupted", { error, retry_in_ms: pauseMs });
          complaint = error.message;
          await new Promise((resolve) => setTimeout(resolve, pauseMs));
          pauseMs = Math.min(2 * pauseMs, longestPauseMs);
        } else this.#end(error);
      }
    }
  }

  /** Reads on from the cursor until something interrupts it. */
  async #work(progress: () => void): Promise<void> {
    if (this.#identity.stream === null) await this.#bind();
    else {
      // A server that was away may come back with other folders.
      await this.#identity.verify();
      await this.#checkpoints.verify();
    }
    if (!this.#isCaughtUp) await this.#catchUp();
    if (this.#isLeading && !this.#lease.isOurs) this.#follow();
    if (!this.#isLeading && this.#lease.isOurs) await this.#lead();
    const only = this.#isLeading ? "inputs" : "everything";
    const reader = await this.#options.log.read({ afterSeq: this.#cursorSeq, only });
    this.#reader = reader;
    try {
      if (this.#isLeading) this.#pods.advance();
      while (this.#ending === null && this.#isLeading === this.#lease.isOurs) {
        for (const message of await this.#liveReading.next(reader)) {
          if (only === "everything") this.#checkGap(message);
          const room = this.#take(message);
          if (room) await this.#unlessInterrupted(room);
          while (this.#pods.isCrowded) await this.#unlessInterrupted(this.#recorder.nextSettled());
        }
        progress();
      }
    } finally {
      this.#reader = null;
      await reader.close();
    }
  }

  /** A follower that lagged behind while the log was shortened has missed something. */
  #checkGap({ seq }: LogMessage): void {
    if (seq > this.#cursorSeq + 1) throw new CheckpointAhead();
  }

  /** Stores are built from this stream from now on: from the checkpoint where it fits, else from the beginning. */
  async #bind(): Promise<void> {
    const stream = await this.#options.log.state();
    if (stream.problems.length > 0) {
      throw new OperatorError(`Cannot use the stream: ${stream.problems.join("; ")}`);
    }
    this.#cursorSeq = await this.#checkpoints.open(stream.created);
    this.#identity.bind(stream, this.#cursorSeq > 0 ? await this.#options.log.get(this.#cursorSeq) : null);
    this.#gaps.clear();
    this.#recorder.bindTo(stream);
    this.#pods.reset(this.#cursorSeq > 0);
    this.#boards.changed(null);
  }

  async #catchUp(): Promise<void> {
    const { logger } = this.#options;
    const startedMs = performance.now();
    const fromSeq = this.#cursorSeq;
    await this.#readToEnd();
    const tookMs = performance.now() - startedMs;
    const podsSaved = fromSeq === 0 ? 0 : (await this.#checkpoints.pods()).length;
    this.#isCaughtUp = true;
    this.#observer.replayed(tookMs);
    logger.info("ready", {
      from_seq: fromSeq,
      last_seq: this.#cursorSeq,
      pods_in_memory: this.#pods.size,
      pods_saved: podsSaved,
      replay_ms: Math.round(tookMs),
    });
    this.#onReady();
    this.#lease.hurry();
  }

  /**
   * Reads all of the log from the cursor to the end that it has now; says what is missing there (R16). What was thrown
   * away behind the checkpoint, or erased there, is nobody's loss.
   */
  async #readToEnd(): Promise<void> {
    const { log, subjects, settings } = this.#options;
    const options = { afterSeq: this.#cursorSeq, only: "everything" } as const;
    const take = (message: LogMessage): Promise<void> | null => {
      if (this.#ending !== null) throw this.#ending;
      this.#gaps.add(this.#cursorSeq + 1, message.seq - 1);
      const room = this.#take(message);
      return room && this.#unlessInterrupted(room);
    };
    const endSeq = await readToEnd(log, subjects, options, take, (reader) => this.#reader = reader)
      .finally(() => this.#reader = null);
    this.#gaps.add(this.#cursorSeq + 1, endSeq);
    this.#cursorSeq = endSeq;
    if (this.#gaps.isEmpty) return;
    if (await this.#checkpoints.refresh() >= this.#gaps.lastSeq) {
      throw new CheckpointAhead();
    }
    const missing = `messages ${this.#gaps}`;
    if (!settings.acceptLoss) {
      throw new OperatorError(
        `Cannot rebuild the stores: the log has lost ${missing}: restore stream and bucket from one backup, ` +
          "or start with --accept-loss to go on without them",
      );
    }
    this.#options.logger.error("the log has lost messages; going on as told", { missing });
    this.#gaps.clear();
  }

  /** A promise where the reading is to wait. */
  #take(message: LogMessage): Promise<void> | null {
    const parsed = this.#options.subjects.parse(message.subject);
    const room = parsed ? this.#pods.take(message, parsed) : null;
    this.#cursorSeq = message.seq;
    this.#identity.taken(message);
    this.#inputsSinceCheckpoint++;
    return room;
  }

  // Leading and following.

  /** Reads what was recorded until we won, then decides what is unanswered. */
  async #lead(): Promise<void> {
    const { readLane, subjects, logger } = this.#options;
    await this.#readToEnd();
    await this.#checkpoints.refresh();
    if (!this.#lease.isOurs) return;
    this.#pods.forgetSaved();
    this.#setLeading(true);
    this.#stopReading = readLane.serve((request) => {
      // One that was paused finds requests that another has answered.
      if (this.isLeading) answerRead(request, subjects, (id) => this.#pods.find(id));
    });
    logger.info("leading", { worker: this.#id, last_seq: this.#cursorSeq, pods_in_memory: this.#pods.size });
    this.#pods.advance();
  }

  /**
   * Follows whoever leads now. What was open here may have been answered by another meanwhile, at a place that only
   * the pod's own log shows.
   */
  #follow(): void {
    this.#setLeading(false);
    this.#stopReading?.();
    this.#stopReading = null;
    for (const pod of this.#pods.all()) if (pod.firstOpenSeq !== null) pod.rebuild("another worker leads");
  }

  #setLeading(isLeading: boolean): void {
    if (isLeading !== this.#isLeading) this.#observer.led(isLeading);
    this.#isLeading = isLeading;
  }

  // The stream's identity.

  #checkStreamInPassing(): void {
    if (this.#reader === null) return;
    const checking = this.#checkStream().then(() => {
      if (this.status().lagMessages > 0) this.#liveReading.endStall();
    });
    checking.catch((error) => {
      if (error instanceof TransientError) {
        this.#options.logger.debug("the stream was not checked", { error });
      } else this.#end(error);
    });
  }

  async #checkStream(): Promise<void> {
    await this.#unlessReplaced(() => this.#identity.verify());
  }

  /** Interrupts the reading where the stream was replaced; whoever asked has to wait. */
  async #unlessReplaced<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof StreamReplaced)) throw error;
      this.#interrupt(error);
      throw new TransientError(error.message);
    }
  }

  /** Interrupts the reading where the checkpoint is gone; whoever asked has to wait. */
  async #load(pod: string): Promise<SavedPod> {
    try {
      return await this.#checkpoints.load(pod);
    } catch (error) {
      if (!(error instanceof CheckpointLost)) throw error;
      this.#interrupt(error);
      throw new TransientError(error.message);
    }
  }

  /** Drops everything and replays from what is there. */
  #startOver(): void {
    this.#setLeading(false);
    this.#isCaughtUp = false;
    this.#stopReading?.();
    this.#stopReading = null;
    this.#pods.reset(false);
    this.#recorder.abandon(null);
    this.#identity.drop();
    this.#cursorSeq = 0;
    this.#boards.changed(null);
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
      else if (error instanceof CheckpointLost) this.#interrupt(error);
      else if (error instanceof TransientError) this.#options.logger.warn("no checkpoint now", { error });
      else this.#end(error);
    } finally {
      this.#checkpoint = null;
    }
  }

  async #save(): Promise<void> {
    const startedMs = performance.now();
    this.#checkpointedMs = startedMs;
    // Something to save is left, unless all goes well.
    this.#inputsSinceCheckpoint = 1;
    await this.#checkStream();
    if (!this.isLeading) return;
    // What was erased is not to be taken any more.
    this.#cursorSeq = Math.max(this.#cursorSeq, this.#identity.firstSeq - 1);
    const cursorSeq = this.#cursorSeq;
    const position = await this.#checkpoints.save(this.#pods.all(), cursorSeq);
    if (position === cursorSeq && this.#cursorSeq === cursorSeq) this.#inputsSinceCheckpoint = 0;
    this.#observer.saved(performance.now() - startedMs);
    this.#pods.evict();
    await this.#retention.shorten(position);
  }

  /** A follower writes nothing: it drops what the leader has saved. */
  async #dropSaved(): Promise<void> {
    await this.#checkpoints.recognise(this.#pods.all());
    this.#pods.evict();
  }

  async #leave(): Promise<void> {
    const { logger } = this.#options;
    const role = this.#isLeading ? "leading" : this.#isCaughtUp ? "following" : "starting";
    this.#stopReading?.();
    const isDrained = await this.#recorder.drain(drainMs);
    if (!isDrained) {
      logger.warn("left with answers on the way: the next leader gives them", {
        in_flight: this.#recorder.inFlightCount,
      });
    }
    if (!await isDoneWithin(handOnMs, this.#handOn(isDrained))) {
      logger.warn("left without handing on the lease: it runs out by itself");
    }
    this.#setLeading(false);
    this.#pods.reset(false);
    this.#recorder.close();
    if (this.#ending instanceof Stopped) logger.info("stopped", { role, last_seq: this.#cursorSeq });
  }

  async #handOn(isDrained: boolean): Promise<void> {
    await this.#checkpoint;
    if (this.isLeading && isDrained) await this.#passing(() => this.#save());
    await this.#lease.release();
  }
}
