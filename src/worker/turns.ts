/**
 * Who decides next where more waits than may be in flight, or than there is time for: one pod after the other, in the
 * order in which they asked, so that none of them keeps all room, or all time, to itself.
 */

/** For how long pods decide before everything else is heard: acknowledgements, the lease, what comes. */
const roundMsMax = 20;
/** An input that took longer is dear: its pod rests as long as that took, and leaves the time to the others. */
const dearMs = 50;
const restMsMax = 1_000;

interface Waiting {
  advance(): void;
}

export class Turns {
  readonly #isFull: () => boolean;
  /** In the order of asking. */
  readonly #waiting = new Set<Waiting>();
  /** With what ends their rest. */
  readonly #resting = new Map<Waiting, ReturnType<typeof setTimeout>>();
  #served: Waiting | null = null;
  /** Who was last told to decide, and has not asked again. */
  #deciding: { readonly one: Waiting; readonly sinceMs: number } | null = null;
  /** Whether it is looked at as soon as what runs now is over: what runs later is not the decider's time. */
  #isWatching = false;
  /** Ends the round that began at `#beganMs`, as soon as everything else was heard; null where none has begun. */
  #timer: ReturnType<typeof setTimeout> | null = null;
  #beganMs = 0;

  /** @param isFull whether no more may be in flight */
  constructor(isFull: () => boolean) {
    this.#isFull = isFull;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Whether it is this one's turn to decide one input; if not, it is advanced when it is. */
  isTurnOf(one: Waiting): boolean {
    this.#decided();
    if (this.#resting.has(one)) return false;
    const isNext = this.#waiting.size === 0 || this.#served === one;
    if (!isNext || this.#isFull() || this.#isTimeUp()) {
      this.#waiting.add(one);
      return false;
    }
    this.#deciding = { one, sinceMs: performance.now() };
    this.#watch();
    return true;
  }

  #watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    queueMicrotask(() => {
      this.#isWatching = false;
      this.#decided();
    });
  }

  /** Gives what room and time there is to those who wait. */
  serve(): void {
    while (this.#served === null && !this.#isFull()) {
      const [next] = this.#waiting;
      if (next === undefined || this.#isTimeUp()) return;
      this.#waiting.delete(next);
      this.#served = next;
      try {
        next.advance();
      } finally {
        this.#served = null;
        this.#decided();
      }
    }
  }

  #isTimeUp(): boolean {
    if (this.#timer === null) {
      this.#beganMs = performance.now();
      this.#timer = setTimeout(() => this.#nextRound(), 0);
    }
    return performance.now() - this.#beganMs >= roundMsMax;
  }

  #nextRound(): void {
    this.#timer = null;
    this.#decided();
    this.serve();
  }

  /** Sends who took long to rest. */
  #decided(): void {
    if (this.#deciding === null) return;
    const { one, sinceMs } = this.#deciding;
    this.#deciding = null;
    const tookMs = performance.now() - sinceMs;
    if (tookMs < dearMs) return;
    this.#waiting.delete(one);
    this.#resting.set(one, setTimeout(() => this.#rested(one), Math.min(tookMs, restMsMax)));
  }

  #rested(one: Waiting): void {
    this.#resting.delete(one);
    this.#waiting.add(one);
    this.serve();
  }

  clear(): void {
    this.#waiting.clear();
    for (const timer of this.#resting.values()) clearTimeout(timer);
    this.#resting.clear();
    this.#deciding = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
