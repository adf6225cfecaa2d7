/** Wakes whoever waits. */

export class Bell {
  #isRung = false;
  #wake: () => void = () => {};

  /** Ends the wait, or the next one where nobody waits now. */
  ring(): void {
    this.#isRung = true;
    this.#wake();
  }

  /** Resolves when it rings, at the latest after so many milliseconds. */
  async wait(limitMs: number): Promise<void> {
    if (!this.#isRung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, limitMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#isRung = false;
  }
}
