/**
 * Reads a part of the log to its end and goes on with what comes, over interruptions: from the last message taken, or
 * from the starting point again where the stream is another one, or was shortened past that message.
 */
import { TransientError } from "../errors.ts";
import type { LogMessage } from "../log/log_message.ts";
import type { Pod } from "../log/pod.ts";
import type { LogReader, LogState } from "../worker/ports.ts";
import { Bell } from "./bell.ts";
import { isOf, type Part, readOf } from "./part.ts";
import type { LogAndCheckpoint, World } from "./ports.ts";
import { readAfter } from "./read_log.ts";
import { isWholeAfter, startingPoint } from "./starting_point.ts";

/** Who follows. Nothing more is taken until a promise that it gives is resolved. */
export interface Follower {
  /**
   * Begins with these pods, before the first message and wherever all that was taken is void.
   *
   * @param reason why it is; null the first time
   */
  begin(pods: readonly Pod[], reason: string | null): void;
  take(message: LogMessage): void;
  /** All that was there is taken; called again after each interruption. */
  caughtUp(): Promise<void>;
  /** Called after each batch of messages, and every quarter of a second while there are none. */
  tick(): Promise<void>;
  /** The server does not answer: everything stays as it is meanwhile. */
  interrupted(error: TransientError): Promise<void>;
}

const tickMs = 250;
const retryPauseMs = 1_000;

/** Resolves when the world says stop. */
export async function follow(
  world: World,
  remote: LogAndCheckpoint,
  part: Part,
  follower: Follower,
): Promise<void> {
  const following = new Following(world, remote, part, follower);
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
  readonly #remote: LogAndCheckpoint;
  readonly #part: Part;
  readonly #follower: Follower;
  readonly #bell = new Bell();
  #cursorSeq = 0;
  /** When the stream that was read from was created; null before the first. */
  #created: string | null = null;

  constructor(world: World, remote: LogAndCheckpoint, part: Part, follower: Follower) {
    this.#world = world;
    this.#remote = remote;
    this.#part = part;
    this.#follower = follower;
    world.stop.addEventListener("abort", () => this.#bell.ring());
  }

  /** Until it is stopped. @throws {TransientError} when it is interrupted */
  async readOn(): Promise<void> {
    await this.#catchUp();
    await this.#follower.caughtUp();
    const reader = await this.#remote.log.read({ afterSeq: this.#cursorSeq, only: readOf(this.#part) });
    try {
      await this.#takeWhatComes(reader);
    } finally {
      await reader.close();
    }
  }

  async pause(limitMs: number): Promise<void> {
    if (!this.#world.stop.aborted) await this.#bell.wait(limitMs);
  }

  /** Takes all that is there: once more from the starting point where the log was shortened meanwhile. */
  async #catchUp(): Promise<void> {
    for (;;) {
      await this.#begin(await this.#remote.log.state());
      const fromSeq = this.#cursorSeq;
      const take = (message: LogMessage): void => this.#take(message);
      const endSeq = await readAfter(this.#world, this.#remote, this.#part, fromSeq, take);
      const isWhole = await isWholeAfter(this.#remote.log, fromSeq);
      this.#cursorSeq = isWhole ? endSeq : fromSeq;
      if (isWhole) return;
    }
  }

  /** Nothing where what was taken still counts, and what follows it is there. */
  async #begin(state: LogState): Promise<void> {
    const reason = this.#created === null ? null : this.#whyVoid(state);
    if (this.#created !== null && reason === null) return;
    const start = await startingPoint(this.#world.err, this.#remote, state, this.#part);
    this.#cursorSeq = start.afterSeq;
    this.#created = state.created;
    this.#follower.begin(start.pods, reason);
  }

  #whyVoid({ created, firstSeq, lastSeq }: LogState): string | null {
    if (created !== this.#created || lastSeq < this.#cursorSeq) return "The stream is another one";
    return firstSeq > this.#cursorSeq + 1 ? "The log was shortened" : null;
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
