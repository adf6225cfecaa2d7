/**
 * Lines at the bottom of a terminal that are drawn again in place, below whatever was there before.
 *
 * Invariants:
 * 1. Between two draws the cursor is visible and stands at the beginning of the line below the region, so whatever
 *    ends the process leaves the terminal as it was.
 * 2. A draw is one write: the terminal never shows half of one.
 */
import { cutLine, type Line, lineWidth, paint } from "./painted_line.ts";
import type { TerminalSize, TextOutput } from "./ports.ts";

/** Synchronized update (DEC mode 2026, ignored where it is not known), no cursor (25), no wrapping (7). */
const beginFrame = "\x1b[?2026h\x1b[?25l\x1b[?7l";
const endFrame = "\x1b[?7h\x1b[?25h\x1b[?2026l";
const clearToLineEnd = "\x1b[K";
const clearBelow = "\x1b[J";

interface LiveRegionOptions {
  readonly out: TextOutput;
  readonly isColored: boolean;
}

export class LiveRegion {
  readonly #options: LiveRegionOptions;
  /** What stands there now. */
  #drawn: readonly Line[] = [];
  #columns = 0;
  #frame = "";

  constructor(options: LiveRegionOptions) {
    this.#options = options;
  }

  /**
   * Replaces what stands there by these lines, which must be fewer than the terminal's rows. Each is cut to what fits
   * before the last column: with the cursor on it, clearing to the line's end would take a character along. Nothing is
   * written where nothing differs.
   */
  async draw(lines: readonly Line[], { columns }: TerminalSize): Promise<void> {
    const { out, isColored } = this.#options;
    const cut = lines.map((line) => cutLine(line, columns - 1));
    const frame = cut.map((line) => `${paint(line, isColored)}${clearToLineEnd}\r\n`).join("");
    if (frame === this.#frame && columns === this.#columns) return;
    const start = `${upBy(this.#rowsAt(columns))}\r`;
    this.#drawn = cut;
    this.#columns = columns;
    this.#frame = frame;
    await out.write(`${beginFrame}${start}${frame}${clearBelow}${endFrame}`);
  }

  /** Draws it once more, over what was typed meanwhile. */
  async redraw(size: TerminalSize): Promise<void> {
    this.#frame = "";
    await this.draw(this.#drawn, size);
  }

  /** Rows that the region takes now: a terminal that became narrower has wrapped its lines. */
  #rowsAt(columns: number): number {
    return this.#drawn.reduce((rows, line) => rows + Math.max(1, Math.ceil(lineWidth(line) / columns)), 0);
  }
}

function upBy(rows: number): string {
  return rows === 0 ? "" : `\x1b[${rows}A`;
}
