/**
 * The worker: rebuilds the keyed map of pods from the log, then answers what is unanswered and what comes.
 *
 * Invariants:
 * 1. Nothing is decided before the end that the log had at the start is read (R13, R17).
 * 2. The cursor moves after a message is taken, never before.
 * 3. Stores belong to one stream: where it was deleted, recreated or rewound, all of them are dropped (R18).
 */
import { TransientError } from "../errors.ts";
import { headerNames, type LogMessage } from "../log/log_message.ts";
import { Pod } from "../log/pod.ts";
import { PodLog } from "../log/pod_log.ts";
import type { ParsedSubject, Subjects } from "../log/subjects.ts";
import type { Logger } from "../logger.ts";
import { PodWorker } from "./pod_worker.ts";
import type { Log, LogReader, LogState, ReadLane } from "./ports.ts";
import { answerRead } from "./read_lane.ts";
import { readToEnd } from "./read_to_end.ts";
import { Recorder } from "./recorder.ts";
import type { ReplyRule } from "./reply.ts";

export interface WorkerOptions {
  readonly log: Log;
  readonly readLane: ReadLane;
  readonly logger: Logger;
  readonly subjects: Subjects;
  readonly replyRule: ReplyRule;
  /** Outputs published and not yet acknowledged at which no more inputs are taken. */
  readonly inFlightMax: number;
}

/** The stream is not the one that the stores were built from. */
class StreamReplaced extends Error {
  override readonly name = "StreamReplaced";
}

class Stopped extends Error {
  override readonly name = "Stopped";
}

const identityCheckEveryMs = 2_000;
const drainMs = 5_000;
const firstPauseMs = 100;
const longestPauseMs = 5_000;

export class Worker {
  readonly #options: WorkerOptions;
  readonly #recorder: Recorder;
  /** Keyed by pod id. */
  readonly #pods = new Map<string, PodWorker>();
  /** The stream that the pods were built from; null before the first. */
  #stream: LogState | null = null;
  /** Up to which seq everything was read. */
  #cursorSeq = 0;
  /** The last message that was taken: what the stream is recognised by. */
  #lastTaken: { readonly seq: number; readonly timeMs: number } | null = null;
  #isCaughtUp = false;
  #reader: LogReader | null = null;
  #stopReading: (() => void) | null = null;
  #ending: Error | null = null;
  #onReady: () => void = () => {};

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#recorder = new Recorder({
      log: options.log,
      logger: options.logger,
      inFlightMax: options.inFlightMax,
      beforeRetry: () => this.#checkStream(),
      fatal: (error) => this.#end(error),
    });
  }

  /** Resolves when the replay has first reached the end of the log. */
  readonly ready: Promise<void> = new Promise((resolve) => {
    this.#onReady = resolve;
  });

  /**
   * Works until the signal; then takes no new input, waits for what is in flight, and returns.
   *
   * @throws {Fault} and whatever else nobody here can mend
   */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#end(new Stopped("Stopped"));
    signal.addEventListener("abort", stop);
    const identityTimer = setInterval(() => {
      if (this.#reader) this.#checkStream().catch((error) => this.#passing(error));
    }, identityCheckEveryMs);
    try {
      if (signal.aborted) stop();
      await this.#workUntilEnd();
    } finally {
      signal.removeEventListener("abort", stop);
      clearInterval(identityTimer);
      await this.#leave();
    }
    if (!(this.#ending instanceof Stopped)) throw this.#ending;
  }

  #end(error: unknown): void {
    this.#ending ??= error instanceof Error ? error : new Error(String(error));
    this.#reader?.fail(this.#ending);
  }

  #passing(error: unknown): void {
    if (error instanceof TransientError) {
      this.#options.logger.debug("the stream could not be checked", { error });
    } else this.#end(error);
  }

  async #workUntilEnd(): Promise<void> {
    let pauseMs = firstPauseMs;
    while (this.#ending === null) {
      try {
        await this.#work(() => pauseMs = firstPauseMs);
      } catch (error) {
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
  async #work(progress: () => void): Promise<never> {
    const { log } = this.#options;
    const state = await log.state();
    if (this.#stream === null) {
      this.#stream = state;
      this.#recorder.bindTo(state);
    } else await this.#compareStream();
    if (!this.#isCaughtUp) await this.#catchUp(state);
    const reader = await log.read({ afterSeq: this.#cursorSeq, only: "inputs" });
    this.#reader = reader;
    try {
      if (this.#ending !== null) throw this.#ending;
      for (;;) {
        for (const message of await reader.next()) {
          this.#take(message);
          if (this.#recorder.inFlightCount >= this.#options.inFlightMax) await this.#recorder.hasRoom();
        }
        progress();
      }
    } finally {
      this.#reader = null;
      await reader.close();
    }
  }

  async #catchUp(state: LogState): Promise<void> {
    const { log, logger, subjects, readLane } = this.#options;
    const startedMs = performance.now();
    const options = { afterSeq: this.#cursorSeq, only: "everything" } as const;
    this.#cursorSeq = await readToEnd(log, subjects, options, (message) => this.#take(message));
    this.#isCaughtUp = true;
    for (const pod of this.#pods.values()) pod.startDeciding();
    this.#stopReading = readLane.serve((request) =>
      answerRead(request, subjects, (id) => this.#pods.get(id))
    );
    logger.info("ready", {
      stream_created: state.created,
      last_seq: this.#cursorSeq,
      pods: this.#pods.size,
      replay_ms: Math.round(performance.now() - startedMs),
    });
    this.#onReady();
  }

  #take(message: LogMessage): void {
    const parsed = this.#options.subjects.parse(message.subject);
    if (parsed) this.#podOf(parsed).take(message, parsed);
    this.#cursorSeq = message.seq;
    this.#lastTaken = message;
  }

  #podOf({ pod }: ParsedSubject): PodWorker {
    const known = this.#pods.get(pod);
    if (known) return known;
    const { log, logger, subjects, replyRule } = this.#options;
    const surroundings = {
      log,
      logger,
      subjects,
      recorder: this.#recorder,
      replyRule,
      readPod: (id: string) => this.#readPod(id),
      fatal: (error: unknown) => this.#end(error),
    };
    const fresh = new PodWorker(surroundings, new PodLog(new Pod(pod)));
    this.#pods.set(pod, fresh);
    if (this.#isCaughtUp) fresh.startDeciding();
    return fresh;
  }

  async #readPod(pod: string): Promise<PodLog> {
    const { log, subjects } = this.#options;
    const podLog = new PodLog(new Pod(pod));
    await readToEnd(log, subjects, { afterSeq: 0, only: { pod } }, (message) => {
      const parsed = subjects.parse(message.subject);
      if (parsed) podLog.take(message, parsed);
    });
    return podLog;
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
    for (const pod of this.#pods.values()) pod.close();
    this.#pods.clear();
    this.#stream = null;
    this.#cursorSeq = 0;
    this.#lastTaken = null;
    this.#isCaughtUp = false;
  }

  async #leave(): Promise<void> {
    this.#stopReading?.();
    const isDrained = await this.#recorder.drain(drainMs);
    if (!isDrained) {
      this.#options.logger.warn("left with answers on the way: the next start gives them", {
        in_flight: this.#recorder.inFlightCount,
      });
    }
    for (const pod of this.#pods.values()) pod.close();
    this.#recorder.close();
  }
}
