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
import { CheckpointTurns } from "./checkpoint_turns.ts";
import { CheckpointLost, Checkpoints } from "./checkpoints.ts";
import { Gaps } from "./gaps.ts";
import { CheckpointAhead, isReasonToStartOver, RoleChanged, sayStartOver, Stopped } from "./interruption.ts";
import { Lease } from "./lease.ts";
import { noObserver, noTracer, type Observer } from "./observer.ts";
import { PodBoards } from "./pod_boards.ts";
import type { SavedPod } from "./pod_worker.ts";
import { Pods } from "./pods.ts";
import type { LogReader } from "./ports.ts";
import { answerRead } from "./read_lane.ts";
import { reasonNotReady } from "./readiness.ts";
import { isToCome, readToEnd } from "./read_to_end.ts";
import { Recorder } from "./recorder.ts";
import { Retention } from "./retention.ts";
import type { Boards, WorkerStatus } from "./status.ts";
import { StreamIdentity, StreamReplaced } from "./stream_identity.ts";
import { TimelyReading } from "./timely_reading.ts";
import { isDoneWithin } from "./until_done.ts";
import type { WorkerOptions } from "./worker_options.ts";

const identityCheckEveryMs = 2_000;
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
  readonly #checkpointTurns: CheckpointTurns;
  readonly #identity: StreamIdentity;
  readonly #boards: PodBoards;
  readonly #gaps = new Gaps();
  readonly #reading = new TimelyReading();
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
    this.#checkpointTurns = new CheckpointTurns({
      settings,
      checkpoints: this.#checkpoints,
      pods: this.#pods,
      retention: new Retention({ ...options, now: Date.now }),
      observer: this.#observer,
      logger,
      isLeading: () => this.isLeading,
      isCaughtUp: () => this.#isCaughtUp,
      checkStream: () => this.#checkStream(),
      skipErased: () => this.#skipErased(),
      cursorSeq: () => this.#cursorSeq,
      loseLease: (reason) => this.#lease.lose(reason),
      interrupt: (error) => this.#interrupt(error),
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

  status(): WorkerStatus {
    const { stream, lastSeq: streamLastSeq, verifiedMsAgo } = this.#identity;
    const position = { cursorSeq: this.#cursorSeq, streamLastSeq, verifiedMsAgo };
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
      lagMessages: Math.max(0, streamLastSeq - this.#reachedSeq),
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
    this.#checkpointTurns.start();
    this.#lease.start();
    try {
      await this.#workUntilEnd();
    } finally {
      signal.removeEventListener("abort", stop);
      clearInterval(identityTimer);
      this.#checkpointTurns.stop();
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
        for (const message of await this.#reading.next(reader)) {
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
    const counting = this.#countSaved();
    await this.#readToEnd();
    const tookMs = performance.now() - startedMs;
    this.#isCaughtUp = true;
    this.#observer.replayed(tookMs);
    const fields = {
      from_seq: fromSeq,
      last_seq: this.#cursorSeq,
      pods_in_memory: this.#pods.size,
      replay_ms: Math.round(tookMs),
    };
    // Only the line waits for the bucket, not the work.
    counting.then((pods_saved) => logger.info("ready", { ...fields, pods_saved }));
    this.#onReady();
    this.#lease.hurry();
  }

  /** Null where that cannot be had now. */
  async #countSaved(): Promise<number | null> {
    try {
      return this.#cursorSeq === 0 ? 0 : (await this.#checkpoints.pods()).length;
    } catch (error) {
      if (!(error instanceof TransientError)) this.#end(error);
      return null;
    }
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
    this.#checkpointTurns.messageTaken();
    return room;
  }

  /** What was erased is not to be taken any more. */
  #skipErased(): void {
    this.#cursorSeq = Math.max(this.#cursorSeq, this.#identity.firstSeq - 1);
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
    const checking = async (): Promise<void> => {
      await this.#checkStream();
      if (await this.#hasMore()) this.#reading.expectMore();
    };
    checking().catch((error) => {
      if (error instanceof TransientError) {
        this.#options.logger.debug("the stream was not checked", { error });
      } else this.#end(error);
    });
  }

  /** Whether there is something to be read: another's output at the end is none to a leader, who reads inputs only. */
  async #hasMore(): Promise<boolean> {
    const { log, subjects } = this.#options;
    const { lastSeq } = this.#identity;
    if (lastSeq <= this.#reachedSeq) return false;
    const only = this.#isLeading ? "inputs" : "everything";
    // It may have come meanwhile.
    return await isToCome(log, subjects, { only }, lastSeq) && lastSeq > this.#reachedSeq;
  }

  /** Up to where everything was read, or recorded by us. */
  get #reachedSeq(): number {
    return Math.max(this.#cursorSeq, this.#recorder.lastRecorded?.seq ?? 0);
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
    await this.#checkpointTurns.finish(isDrained);
    await this.#lease.release();
  }
}
