/** Watching as lines that are added one after the other: of all pods, or of one where no terminal shows them. */
import type { TransientError } from "../errors.ts";
import type { LogMessage } from "../log/log_message.ts";
import type { Pod } from "../log/pod.ts";
import { timeOfDay } from "./age.ts";
import type { Board, BoardLines } from "./board.ts";
import type { Follower } from "./follow.ts";
import { notYetThere } from "./known_pod.ts";
import { paint } from "./painted_line.ts";
import type { Part } from "./part.ts";
import type { World } from "./ports.ts";
import { lineForTerminal } from "./terminal_text.ts";
import { WatchedPods } from "./watched_pods.ts";

export class LineFollower implements Follower {
  readonly #world: World;
  readonly #part: Part;
  readonly #linesOf: BoardLines;
  readonly #pods: WatchedPods;
  #isLive = false;
  #isInterrupted = false;
  #unwritten = "";

  constructor(world: World, part: Part, linesOf: BoardLines) {
    this.#world = world;
    this.#part = part;
    this.#linesOf = linesOf;
    this.#pods = new WatchedPods(world.subjects);
  }

  begin(pods: readonly Pod[], reason: string | null): void {
    this.#pods.begin(pods);
    this.#isLive = false;
    if (reason !== null) this.#world.err.write(`${reason}: starting over\n`);
  }

  take(message: LogMessage): void {
    if (!this.#isLive) return this.#pods.take(message);
    const { pod, lines } = this.#pods.takeNew(message) ?? { pod: "", lines: [] };
    const whose = this.#part === null ? ` ${pod}` : "";
    this.#unwritten += lines.map((line) => `${timeOfDay(message.timeMs)}${whose} ${line}\n`).join("");
  }

  async caughtUp(): Promise<void> {
    if (this.#isInterrupted) this.#world.err.write("Connected again\n");
    this.#isInterrupted = false;
    if (!this.#isLive && this.#part === null) this.#world.err.write("Waiting for changes\n");
    if (!this.#isLive && this.#part !== null) {
      if (!this.#pods.has(this.#part)) this.#world.err.write(`${notYetThere(this.#part)}\n`);
      this.#unwritten += boardText(this.#pods.board(this.#part), this.#linesOf, this.#world);
    }
    this.#isLive = true;
    await this.tick();
  }

  async tick(): Promise<void> {
    const text = this.#unwritten;
    this.#unwritten = "";
    if (text !== "") await this.#world.out.write(text);
  }

  async interrupted(error: TransientError): Promise<void> {
    await this.tick();
    if (!this.#isInterrupted) this.#world.err.write(`Interrupted: ${lineForTerminal(error.message)}\n`);
    this.#isInterrupted = true;
  }
}

/** The whole list, uncut. */
export function boardText(board: Board, linesOf: BoardLines, { isColored, nowMs }: World): string {
  const view = { nowMs: nowMs(), linesMax: Infinity, fresh: new Set<number>() };
  return linesOf(board, view).map((line) => `${paint(line, isColored)}\n`).join("");
}
