/**
 * Shortens the log where the configuration asks for it: the only place where anything of it is thrown away.
 *
 * Invariants:
 * 1. Never past the covering checkpoint: what is thrown away is in the saved pods.
 * 2. Inputs go together with their outputs: the cut lies where no answer on one side belongs to the other.
 */
import { headerNames } from "../log/log_message.ts";
import type { Logger } from "../logger.ts";
import type { Log, LogState } from "./ports.ts";
import { readChunk } from "./read_to_end.ts";

export interface RetentionSettings {
  /** Milliseconds that messages are kept at least; 0 for ever. */
  readonly keepAgeMs: number;
  /** The last messages that are kept at least; 0 for all. */
  readonly keepMessages: number;
}

export interface RetentionOptions {
  readonly log: Log;
  readonly logger: Logger;
  readonly settings: RetentionSettings;
  /** Milliseconds since the epoch: the stream's timestamps are compared with it. */
  readonly now: () => number;
}

/** Messages behind a cut that are searched for answers to inputs before it: more than can be in flight. */
const searchedMax = 4_096;
/** Cuts that are tried in one go, each before the inputs that crossed the last one. */
const cutsMax = 16;

export class Retention {
  readonly #options: RetentionOptions;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /**
   * Throws away what is old enough and saved.
   *
   * @param position of the covering checkpoint
   * @throws {TransientError} when the server does not answer
   */
  async shorten(position: number): Promise<void> {
    const { log, logger } = this.#options;
    const state = await log.state();
    const wanted = Math.min(position, await this.#lastUnwanted(state));
    if (wanted < Math.max(1, state.firstSeq)) return;
    const cut = await this.#cutAtOrBefore(wanted, state.firstSeq);
    if (cut === null) return;
    await log.shorten(cut + 1);
    logger.info("the log was shortened", { first_seq: cut + 1 });
  }

  /** The last seq that none of the settings keeps. */
  async #lastUnwanted(state: LogState): Promise<number> {
    const { keepAgeMs, keepMessages } = this.#options.settings;
    if (keepAgeMs === 0 && keepMessages === 0) return 0;
    const byCount = keepMessages === 0 ? state.lastSeq : state.lastSeq - keepMessages;
    return keepAgeMs === 0 ? byCount : Math.min(byCount, await this.#lastOlderThan(keepAgeMs, state));
  }

  /** Messages are in the order of their time: halves the log until the place is found. */
  async #lastOlderThan(ageMs: number, { firstSeq, lastSeq }: LogState): Promise<number> {
    const limitMs = this.#options.now() - ageMs;
    let older = firstSeq - 1;
    let newer = lastSeq + 1;
    while (newer - older > 1) {
      const middle = Math.floor((older + newer) / 2);
      const message = await this.#options.log.get(middle);
      // A deleted message says nothing: count it as new, so that less is thrown away.
      if (message && message.timeMs < limitMs) older = middle;
      else newer = middle;
    }
    return older;
  }

  /** Null where no place was found at which inputs and outputs part. */
  async #cutAtOrBefore(wanted: number, firstSeq: number): Promise<number | null> {
    let cut = wanted;
    for (let tries = 0; tries < cutsMax && cut >= firstSeq; tries++) {
      const crossing = await this.#firstCrossingInput(cut);
      if (crossing === null) return cut;
      cut = crossing - 1;
    }
    return null;
  }

  /** The first input up to `cut` whose answer lies after it. */
  async #firstCrossingInput(cut: number): Promise<number | null> {
    const options = { afterSeq: cut, only: "everything" } as const;
    const { lastSeq } = await this.#options.log.state();
    if (lastSeq <= cut) return null;
    const behind = await readChunk(this.#options.log, options, searchedMax);
    const answered = behind.map((message) => Number(message.header(headerNames.input) ?? Infinity));
    const first = Math.min(...answered.filter((inputSeq) => inputSeq <= cut));
    return Number.isFinite(first) ? first : null;
  }
}
