/**
 * Which stream the stores were built from, and whether the log still is that one (R18): known by its creation time and
 * by the last messages that were taken from it and recorded in it.
 */
import { TransientError } from "../errors.ts";
import { headerNames, type LogMessage } from "../log/log_message.ts";
import type { Log, LogState } from "./ports.ts";

/** How long a server of a cluster that was cut off may go on believing that it leads the stream, and then some. */
const staleMsMax = 15_000;

/** The stream is not the one that the stores were built from. */
export class StreamReplaced extends Error {
  override readonly name = "StreamReplaced";
}

interface StreamIdentityOptions {
  readonly log: Log;
  /** The output that lies furthest in the log, of those recorded here. */
  readonly lastRecorded: () => { readonly seq: number; readonly inputSeq: number } | null;
}

export class StreamIdentity {
  readonly #options: StreamIdentityOptions;
  #stream: LogState | null = null;
  #lastTaken: LogMessage | null = null;
  #firstSeq = 0;
  #lastSeq = 0;
  #verifiedMs: number | null = null;
  /** Since when every answer says that the stream was rewound. */
  #doubtedMs: number | null = null;

  constructor(options: StreamIdentityOptions) {
    this.#options = options;
  }

  /** The stream as it was when the building began; null where none is bound. */
  get stream(): LogState | null {
    return this.#stream;
  }

  /** The stream's first seq, as last seen. */
  get firstSeq(): number {
    return this.#firstSeq;
  }

  /** The stream's last seq, as last seen. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Milliseconds since the stream was last found to be this one; null before the first time. */
  get verifiedMsAgo(): number | null {
    return this.#verifiedMs === null ? null : Math.round(performance.now() - this.#verifiedMs);
  }

  /** Stores are built from this stream from now on. @param lastTaken the message that they begin after */
  bind(stream: LogState, lastTaken: LogMessage | null): void {
    this.#stream = stream;
    this.#lastTaken = lastTaken;
    this.#verified(stream);
  }

  drop(): void {
    this.#stream = null;
    this.#lastTaken = null;
    this.#verifiedMs = null;
    this.#doubtedMs = null;
  }

  taken(message: LogMessage): void {
    this.#lastTaken = message;
  }

  /**
   * The last message that is known here; of one that is gone from the log since only where it was taken.
   *
   * @throws {StreamReplaced} when the stream is another one, or was rewound
   * @throws {TransientError} when the server does not answer, or no stream is bound
   */
  async end(): Promise<LogMessage | null> {
    const taken = this.#lastTaken;
    const recorded = this.#options.lastRecorded();
    const isFurther = recorded !== null && recorded.seq > (taken?.seq ?? 0);
    const end = isFurther ? await this.#options.log.get(recorded.seq) ?? taken : taken;
    // It may be another message than ours, or gone, in a log that was rewound meanwhile.
    await this.verify();
    return end;
  }

  /**
   * @throws {StreamReplaced} when the stream is another one, or was rewound
   * @throws {TransientError} when the server does not answer, or no stream is bound
   */
  async verify(): Promise<void> {
    const built = this.#stream;
    if (built === null) throw new TransientError("The stream is not open");
    const taken = this.#lastTaken;
    const recorded = this.#options.lastRecorded();
    const state = await this.#options.log.state();
    if (state.created !== built.created) {
      throw new StreamReplaced(
        `The stream was recreated: it was made at ${built.created}, now at ${state.created}`,
      );
    }
    const reached = Math.max(taken?.seq ?? 0, recorded?.seq ?? 0);
    if (state.lastSeq < reached) {
      const reason = `The stream was rewound: it had reached seq ${reached}, now ${state.lastSeq}`;
      if (this.#isDoubtful(state)) throw new TransientError(`${reason}, or a server has old news`);
      throw new StreamReplaced(reason);
    }
    await this.#compare(taken, (found) => found.timeMs === taken?.timeMs);
    await this.#compare(
      recorded,
      (found) => found.header(headerNames.input) === String(recorded?.inputSeq),
    );
    this.#verified(state);
  }

  #verified({ firstSeq, lastSeq }: LogState): void {
    this.#firstSeq = firstSeq;
    this.#lastSeq = lastSeq;
    this.#verifiedMs = performance.now();
    this.#doubtedMs = null;
  }

  /** Of a cluster's servers one that comes back tells what it had, until it hears of a new leader. */
  #isDoubtful({ isReplicated }: LogState): boolean {
    if (!isReplicated) return false;
    this.#doubtedMs ??= performance.now();
    return performance.now() - this.#doubtedMs < staleMsMax;
  }

  /** A message that is no longer there tells nothing. */
  async #compare(
    known: { readonly seq: number } | null,
    isSame: (found: LogMessage) => boolean,
  ): Promise<void> {
    const found = known && await this.#options.log.get(known.seq);
    if (found && !isSame(found)) {
      throw new StreamReplaced(`The stream was rewound: another message is at seq ${found.seq}`);
    }
  }
}
