/** What is missing in the log as it was read (R16); kept over interruptions, since the cursor is past it then. */

const shownMax = 5;

export class Gaps {
  readonly #ranges: string[] = [];
  #lastSeq = 0;

  /** Nothing where the range is empty. */
  add(firstSeq: number, lastSeq: number): void {
    if (firstSeq > lastSeq) return;
    this.#ranges.push(`${firstSeq}–${lastSeq}`);
    this.#lastSeq = lastSeq;
  }

  get isEmpty(): boolean {
    return this.#ranges.length === 0;
  }

  /** The last seq that is missing. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  clear(): void {
    this.#ranges.length = 0;
  }

  toString(): string {
    return this.#ranges.slice(0, shownMax).join(", ") + (this.#ranges.length > shownMax ? ", …" : "");
  }
}
