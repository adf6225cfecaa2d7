/**
 * When checkpoints are made: in passing and one at a time, while the worker goes on (R16). A leader saves what changed
 * and throws away what the log needs no longer; a follower drops what the leader has saved.
 */
import { TransientError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { CheckpointLost, type Checkpoints, LeaseLapsed } from "./checkpoints.ts";
import type { Observer } from "./observer.ts";
import type { Pods } from "./pods.ts";
import { ConflictError } from "./ports.ts";
import type { Retention } from "./retention.ts";
import type { WorkerOptions } from "./worker_options.ts";

const turnEveryMs = 50;

interface CheckpointTurnsOptions {
  readonly settings: Pick<WorkerOptions["settings"], "checkpointInputs" | "checkpointEveryMs">;
  readonly checkpoints: Checkpoints;
  readonly pods: Pods;
  readonly retention: Retention;
  readonly observer: Observer;
  readonly logger: Logger;
  /** Whether this worker leads at this moment. */
  readonly isLeading: () => boolean;
  /** Whether it has replayed the log. */
  readonly isCaughtUp: () => boolean;
  /** Throws where the log is not the one that the pods were built from, or not reachable. */
  readonly checkStream: () => Promise<void>;
  /** Goes past what was erased at the beginning of the log: that is not to be taken any more. */
  readonly skipErased: () => void;
  /** Up to where the inputs have been taken. */
  readonly cursorSeq: () => number;
  readonly loseLease: (reason: string) => void;
  /** Has the worker start over. */
  readonly interrupt: (error: CheckpointLost) => void;
  /** Takes an error that nobody here can mend. */
  readonly fatal: (error: unknown) => void;
}

export class CheckpointTurns {
  readonly #options: CheckpointTurnsOptions;
  #messagesSinceSaved = 0;
  #savedMs = performance.now();
  #current: Promise<void> | null = null;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(options: CheckpointTurnsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.#take(), turnEveryMs);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** A message was taken: there is something to save. */
  messageTaken(): void {
    this.#messagesSinceSaved++;
  }

  /** Waits for what is under way, then saves once more. @param isDrained whether nothing is in flight */
  async finish(isDrained: boolean): Promise<void> {
    await this.#current;
    if (this.#options.isLeading() && isDrained) await this.#passing(() => this.#save());
  }

  #take(): void {
    const { settings: { checkpointInputs, checkpointEveryMs }, pods, isLeading, isCaughtUp } = this.#options;
    const isDue = this.#messagesSinceSaved >= checkpointInputs || pods.hasTooMany ||
      (this.#messagesSinceSaved > 0 && performance.now() - this.#savedMs >= checkpointEveryMs);
    if (!isDue || this.#current !== null) return;
    if (isLeading()) this.#current = this.#passing(() => this.#save());
    else if (isCaughtUp() && pods.hasTooMany) this.#current = this.#passing(() => this.#dropSaved());
  }

  /** What cannot be done now is done the next time. */
  async #passing(task: () => Promise<void>): Promise<void> {
    const { logger, loseLease, interrupt, fatal } = this.#options;
    try {
      await task();
    } catch (error) {
      if (error instanceof ConflictError) loseLease(error.message);
      else if (error instanceof CheckpointLost) interrupt(error);
      else if (error instanceof LeaseLapsed) logger.debug("no checkpoint now", { error });
      else if (error instanceof TransientError) logger.warn("no checkpoint now", { error });
      else fatal(error);
    } finally {
      this.#current = null;
    }
  }

  async #save(): Promise<void> {
    const { checkpoints, pods, retention, observer, isLeading, checkStream, skipErased } = this.#options;
    const startedMs = performance.now();
    this.#savedMs = startedMs;
    // Something to save is left, unless all goes well.
    this.#messagesSinceSaved = 1;
    await checkStream();
    if (!isLeading()) return;
    skipErased();
    const cursorSeq = this.#options.cursorSeq();
    const position = await checkpoints.save(pods.all(), cursorSeq);
    if (position === cursorSeq && this.#options.cursorSeq() === cursorSeq) this.#messagesSinceSaved = 0;
    observer.saved(performance.now() - startedMs);
    pods.evict();
    await retention.shorten(position);
  }

  /** A follower writes nothing: it drops what the leader has saved. */
  async #dropSaved(): Promise<void> {
    const { checkpoints, pods } = this.#options;
    await checkpoints.recognise(pods.all());
    pods.evict();
  }
}
