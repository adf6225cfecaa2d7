/**
 * Shortens the log where the configuration asks for it: the only place where anything of it is thrown away.
 *
 * Invariants:
 * 1. Never past the covering checkpoint: what is thrown away is in the saved pods.
 * 2. Inputs go together with their outputs: the cut lies where every input before it is answered before it. Where
 *    calls never cease there may be no such place: then the log is kept until there is one.
 */
import { headerNames, type LogMessage } from "../log/log_message.ts";
import type { Subjects } from "../log/subjects.ts";
import type { Logger } from "../logger.ts";
import type { Log, LogState } from "./ports.ts";

export interface RetentionSettings {
  /** Milliseconds that messages are kept at least; 0 for ever. */
  readonly keepAgeMs: number;
  /** The last messages that are kept at least; 0 for all. */
  readonly keepMessages: number;
}

interface RetentionOptions {
  readonly log: Log;
  readonly logger: Logger;
  readonly subjects: Subjects;
  readonly settings: RetentionSettings;
  /** Milliseconds since the epoch: the stream's timestamps are compared with it. */
  readonly now: () => number;
}

/** Messages that are searched for a cut in one go: the next checkpoint waits for that. */
const searchedMax = 50_000;
const readAheadMax = 4_000;

export class Retention {
  readonly #options: RetentionOptions;
  /** The stream that was searched. */
  #created = "";
  #searchedSeq = 0;
  /** The last place found at which inputs and outputs part. */
  #cutSeq = 0;
  /** Seqs of inputs up to `#searchedSeq` that are answered behind it. */
  readonly #open = new Set<number>();

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
    const { log, logger, settings } = this.#options;
    if (settings.keepAgeMs === 0 && settings.keepMessages === 0) return;
    const state = await log.state();
    const wanted = Math.min(position, await this.#lastUnwanted(state));
    if (wanted < state.firstSeq) return;
    await this.#search(wanted, state);
    if (this.#cutSeq < state.firstSeq) return;
    await log.shorten(this.#cutSeq + 1);
    logger.info("the log was shortened", { first_seq: this.#cutSeq + 1 });
  }

  /** The last seq that none of the settings keeps. */
  async #lastUnwanted(state: LogState): Promise<number> {
    const { keepAgeMs, keepMessages } = this.#options.settings;
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

  /** Goes on from what was searched before, where that is still there; the log begins at a cut. */
  async #search(wanted: number, { created, firstSeq }: LogState): Promise<void> {
    const isAnother = created !== this.#created || wanted < this.#searchedSeq;
    if (isAnother || firstSeq > this.#searchedSeq + 1) {
      this.#created = created;
      this.#searchedSeq = firstSeq - 1;
      this.#cutSeq = firstSeq - 1;
      this.#open.clear();
    }
    await this.#forgetErased();
    const endSeq = Math.min(wanted, this.#searchedSeq + searchedMax);
    if (this.#searchedSeq < endSeq) await this.#searchUpTo(endSeq);
  }

  /** An input that was erased meanwhile (see `purge`) waits for no output: the oldest ones are looked up. */
  async #forgetErased(): Promise<void> {
    for (const seq of this.#open) {
      if (await this.#options.log.get(seq) !== null) return;
      this.#open.delete(seq);
    }
    this.#cutSeq = this.#searchedSeq;
  }

  async #searchUpTo(endSeq: number): Promise<void> {
    const afterSeq = this.#searchedSeq;
    const messagesMax = Math.min(endSeq - afterSeq, readAheadMax);
    const reader = await this.#options.log.read({ afterSeq, only: "everything", messagesMax });
    try {
      while (this.#searchedSeq < endSeq && reader.pending > 0) {
        for (const message of await reader.next()) {
          if (message.seq <= endSeq) this.#note(message);
        }
      }
    } finally {
      await reader.close();
    }
  }

  #note(message: LogMessage): void {
    const direction = this.#options.subjects.parse(message.subject)?.direction;
    if (direction === "in") this.#open.add(message.seq);
    else this.#open.delete(Number(message.header(headerNames.input)));
    this.#searchedSeq = message.seq;
    if (this.#open.size === 0) this.#cutSeq = message.seq;
  }
}
