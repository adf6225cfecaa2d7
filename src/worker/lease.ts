/**
 * Who leads: a lease in the bucket that the leader renews. Times are each process's own monotonic clock; clocks are
 * never compared.
 *
 * Invariants:
 * 1. A holder counts as such only for `leaseMs - marginMs` after it *sent* its last successful renewal.
 * 2. Nobody takes a lease before it has seen it unchanged for `leaseMs`, or given up by its holder.
 * 3. Every write is a compare-and-set: one that fails means that somebody else leads.
 */
import { TransientError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { type Bucket, ConflictError } from "./ports.ts";

const leaseKey = "lease";
const leaseMs = 2_000;
const marginMs = 300;
/** How often the holder renews, and the others look. */
const turnEveryMs = 200;
const renewEveryMs = 500;
const complainEveryMs = 10_000;
const unknownRevision = -1;

interface LeaseOptions {
  readonly bucket: Bucket;
  readonly logger: Logger;
  /** Unique for this worker, and shown to the others. */
  readonly holder: string;
  /** Whether we could lead as soon as we have the lease. */
  readonly mayTake: () => boolean;
  /** Called when the lease was won, and when it is known to be another's. */
  readonly onChange: () => void;
  /** Called when a lapsed lease is valid again, without anybody else having held it. */
  readonly onResumed: () => void;
  readonly fatal: (error: unknown) => void;
}

export class Lease {
  readonly #options: LeaseOptions;
  /** Whether the last word of the bucket was that we hold it. */
  #isOurs = false;
  #validUntilMs = 0;
  #revision = unknownRevision;
  /** Whom we were last said to follow. */
  #followed: string | null = null;
  /** Since when the others' lease has not changed. */
  #unchangedSinceMs = 0;
  #renewedMs = 0;
  #complainedMs = -complainEveryMs;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #turn: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** Rises when the lease is lost: a write that was begun before says nothing any more. */
  #losses = 0;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** Whether we lead, as the bucket last said; whether we may act now is another question. */
  get isOurs(): boolean {
    return this.#isOurs;
  }

  /** Whether we may act as the leader at this very moment. */
  get isValid(): boolean {
    return this.#isOurs && performance.now() < this.#validUntilMs;
  }

  start(): void {
    this.#next(0);
  }

  /** Looks now rather than at the next turn: what kept us from taking it is over. */
  hurry(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#next(0);
  }

  #next(afterMs: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#turn = this.#takeTurn().catch(this.#options.fatal).finally(() => this.#next(turnEveryMs));
    }, afterMs);
  }

  async #takeTurn(): Promise<void> {
    try {
      if (!this.#isOurs) await this.#look();
      else if (performance.now() - this.#renewedMs >= renewEveryMs) await this.#renew();
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
      this.#complain(error);
    }
  }

  /** Once in a while: an outage of the server fails many turns. */
  #complain(error: TransientError): void {
    if (performance.now() - this.#complainedMs < complainEveryMs) return;
    this.#complainedMs = performance.now();
    this.#options.logger.warn("the lease could not be read or renewed", { error });
  }

  async #look(): Promise<void> {
    const { bucket } = this.#options;
    const { value, revision } = await bucket.get(leaseKey);
    const now = performance.now();
    if (revision !== this.#revision) {
      if (this.#revision !== unknownRevision) this.#sayFollowing(holderOf(value));
      this.#revision = revision;
      this.#unchangedSinceMs = now;
    }
    if (isHeld(value) && now - this.#unchangedSinceMs < leaseMs) return;
    if (!this.#options.mayTake()) return;
    await this.#write(() => this.#options.onChange());
  }

  /** Once for each that was seen to take or renew the lease, and so lives. */
  #sayFollowing(leader: string | null): void {
    if (leader === null || leader === this.#followed || !this.#options.mayTake()) return;
    this.#followed = leader;
    this.#options.logger.info("following", { leader });
  }

  async #renew(): Promise<void> {
    await this.#write((hadLapsed) => {
      if (hadLapsed) this.#options.onResumed();
    });
  }

  /** @param then told whether the lease was not valid when the answer came: it may have lapsed on the way */
  async #write(then: (hadLapsed: boolean) => void): Promise<void> {
    const { bucket, holder } = this.#options;
    const sentMs = performance.now();
    const losses = this.#losses;
    try {
      const revision = await bucket.put(
        leaseKey,
        new TextEncoder().encode(leaseText(holder)),
        this.#revision,
      );
      if (losses !== this.#losses) return;
      this.#revision = revision;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      return await this.#lookAgain();
    }
    const hadLapsed = !this.isValid;
    this.#renewedMs = sentMs;
    this.#validUntilMs = sentMs + leaseMs - marginMs;
    this.#isOurs = true;
    this.#followed = null;
    then(hadLapsed);
  }

  /** The revision is another than we thought: by a write of ours whose answer was lost, or by somebody else. */
  async #lookAgain(): Promise<void> {
    const { value, revision } = await this.#options.bucket.get(leaseKey);
    const isOwn = this.#isOurs && value !== null && textOf(value) === leaseText(this.#options.holder);
    if (isOwn) this.#revision = revision;
    else if (value === null) this.lose("the lease is gone from the bucket");
    else this.lose("somebody else has taken the lease");
  }

  /** Gives up what is known to be another's. */
  lose(reason: string): void {
    this.#unchangedSinceMs = performance.now();
    this.#revision = unknownRevision;
    this.#losses++;
    if (!this.#isOurs) return;
    this.#isOurs = false;
    this.#options.logger.warn("no longer leading", { reason });
    this.#options.onChange();
  }

  /** Hands the lease on, so that another worker takes over at once. */
  async release(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#turn;
    if (!this.#isOurs) return;
    this.#isOurs = false;
    try {
      await this.#options.bucket.put(leaseKey, new TextEncoder().encode(leaseText(null)), this.#revision);
    } catch (error) {
      if (!(error instanceof ConflictError) && !(error instanceof TransientError)) throw error;
      this.#options.logger.debug("the lease could not be handed on: it runs out by itself", { error });
    }
  }
}

function leaseText(holder: string | null): string {
  return JSON.stringify({ holder });
}

function textOf(value: Uint8Array): string {
  return new TextDecoder().decode(value);
}

/** Null where nobody holds the lease, or what is there cannot be read. */
function holderOf(value: Uint8Array | null): string | null {
  if (value === null) return null;
  try {
    const { holder } = JSON.parse(textOf(value));
    return typeof holder === "string" ? holder : null;
  } catch {
    return null;
  }
}

/** Whether somebody holds the lease; what cannot be read is held, until it has not changed for long enough. */
function isHeld(value: Uint8Array | null): boolean {
  return value !== null && textOf(value) !== leaseText(null);
}
