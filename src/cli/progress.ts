/** How far a long reading has come, on a terminal only. */
import type { SideOutput } from "./ports.ts";

const quietMs = 500;
const shownEveryMs = 100;

interface ProgressOptions {
  readonly err: SideOutput;
  /** What is counted: `messages`. */
  readonly unit: string;
  /** Null where it is not known. */
  readonly total: number | null;
  readonly nowMs: () => number;
}

/** Says nothing for the first half second, then how far it is; disposing clears the line. */
export class Progress implements Disposable {
  readonly #options: ProgressOptions;
  #nextMs: number;
  #isShown = false;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#nextMs = options.nowMs() + quietMs;
  }

  reached(done: number): void {
    const { err, unit, total, nowMs } = this.#options;
    if (!err.isTerminal || nowMs() < this.#nextMs) return;
    this.#nextMs = nowMs() + shownEveryMs;
    this.#isShown = true;
    const format = new Intl.NumberFormat("en");
    const of = total === null ? "" : ` of ${format.format(total)}`;
    err.write(`\r\x1b[K${format.format(done)}${of} ${unit}`);
  }

  [Symbol.dispose](): void {
    if (this.#isShown) this.#options.err.write("\r\x1b[K");
  }
}
