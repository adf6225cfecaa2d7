/**
 * Reads a part of the log to its end and goes on with what comes, over interruptions: from the last message taken, or
 * from the beginning where the stream is another one.
 */
import { TransientError } from "../errors.ts";
import type { LogMessage } from "../log/log_message.ts";
import type { Log, LogReader, LogState } from "../worker/ports.ts";
import { readToEnd } from "../worker/read_to_end.ts";
import { Bell } from "./bell.ts";
import { isOf, type Part, readOf } from "./part.ts";
import type { Remote, World } from "./ports.ts";
import { Progress } from "./progress.ts";
import { warnOfGaps } from "./read_log.ts";

/** Who follows. Nothing more is taken until a promise that it gives is resolved. */
export interface Follower {
  take(message: LogMessage): void;
  /** All that was there is taken; called again after each interruption. */
  caughtUp(): Promise<void>;
  /** Called after each batch of messages, and every quarter of a second while there are none. */
  tick(): Promise<void>;
  /** The server does not answer: everything stays as it is meanwhile. */
  interrupted(error: TransientError): Promise<void>;
  /** The stream was deleted, recreated or rewound: everything taken so far is void. */
  startedOver(): void;
}

const tickMs = 250;
const retryPauseMs = 1_000;

/** Resolves when the world says stop. */
export async function follow(
  world: World,
  { log }: Pick<Remote, "log">,
  part: Part,
  follower: Follower,
): Promise<void> {
  const following = new Following(world, log, part, follower);
  while (!world.stop.aborted) {
    try {
      await following.readOn();
    } catch (error) {
      if (world.stop.aborted && error === world.stop.reason) return;
      if (!(error instanceof TransientError)) throw error;
      await follower.interrupted(error);
      await following.pause(retryPauseMs);
    }
  }
}

class Following {
  readonly #world: World;
  readonly #log: Log;
  readonly #part: Part;
  readonly #follower: Follower;
  readonly #bell = new Bell();
  #cursorSeq = 0;
  /** When the stream that was read from was created; null before the first. */
  #created: string | null = null;

  constructor(world: World, log: Log, part: Part, follower: Follower) {
    this.#world = world;
    this.#log = log;
    this.#part = part;
    this.#follower = follower;
    world.stop.addEventListener("abort", () => this.#bell.ring());
  }

  /** Until it is stopped. @throws {TransientError} when it is interrupted */
  async readOn(): Promise<void> {
    const state = await this.#log.state();
    this.#recognise(state);
    await this.#catchUp(state.lastSeq);
    await this.#follower.caughtUp();
    const reader = await this.#log.read({ afterSeq: this.#cursorSeq, only: readOf(this.#part) });
    try {
      await this.#takeWhatComes(reader);
    } finally {
      await reader.close();
    }
  }

  async pause(limitMs: number): Promise<void> {
    if (!this.#world.stop.aborted) await this.#bell.wait(limitMs);
  }

  #recognise(state: LogState): void {
    const { created, lastSeq } = state;
    if (created !== this.#created) warnOfGaps(state, this.#world.err);
    if (this.#created !== null && (created !== this.#created || lastSeq < this.#cursorSeq)) {
      this.#cursorSeq = 0;
      this.#follower.startedOver();
    }
    this.#created = created;
  }

  async #catchUp(lastSeq: number): Promise<void> {
    const { err, nowMs, subjects, stop } = this.#world;
    using progress = new Progress({ err, unit: "messages of the log", total: lastSeq, nowMs });
    const options = { afterSeq: this.#cursorSeq, only: readOf(this.#part) };
    this.#cursorSeq = await readToEnd(this.#log, subjects, options, (message) => {
      stop.throwIfAborted();
      this.#take(message);
      progress.reached(message.seq);
    });
  }

  async #takeWhatComes(reader: LogReader): Promise<void> {
    let arrived: readonly LogMessage[] = [];
    let failure: unknown = null;
    const ask = (): void => {
      reader.next().then((messages) => arrived = messages, (error) => failure = error)
        .then(() => this.#bell.ring());
    };
    ask();
    while (!this.#world.stop.aborted) {
      await this.#bell.wait(tickMs);
      if (failure !== null) throw failure;
      for (const message of arrived) this.#take(message);
      if (arrived.length > 0) {
        arrived = [];
        ask();
      }
      await this.#follower.tick();
    }
  }

  #take(message: LogMessage): void {
    if (isOf(this.#part, message, this.#world.subjects)) this.#follower.take(message);
    this.#cursorSeq = message.seq;
  }
}
