/** Watching one pod's list on a terminal, drawn again in place. */
import type { TransientError } from "../errors.ts";
import type { LogMessage } from "../log/log_message.ts";
import type { Pod } from "../log/pod.ts";
import { timeOfDay } from "./age.ts";
import type { BoardLines } from "./board.ts";
import type { Follower } from "./follow.ts";
import { notYetThere } from "./known_pod.ts";
import { LiveRegion } from "./live_region.ts";
import type { Line } from "./painted_line.ts";
import type { World } from "./ports.ts";
import { lineForTerminal } from "./terminal_text.ts";
import { WatchedPods } from "./watched_pods.ts";

/** For how long a changed task is marked, in milliseconds. */
const freshMs = 5_000;
/** What happened last, below the list. */
const eventLinesMax = 3;
/** A small terminal has room for the list above all. */
const linesPerEvent = 5;

export class BoardFollower implements Follower {
  readonly #world: World;
  readonly #pod: string;
  readonly #linesOf: BoardLines;
  readonly #pods: WatchedPods;
  readonly #region: LiveRegion;
  /** Keyed by taskid: until when the task is marked. */
  readonly #freshUntilMs = new Map<number, number>();
  #events: readonly string[] = [];
  #isLive = false;
  #interruption: string | null = null;

  constructor(world: World, pod: string, linesOf: BoardLines) {
    this.#world = world;
    this.#pod = pod;
    this.#linesOf = linesOf;
    this.#pods = new WatchedPods(world.subjects);
    this.#region = new LiveRegion(world);
  }

  begin(pods: readonly Pod[]): void {
    this.#pods.begin(pods);
    this.#freshUntilMs.clear();
    this.#events = [];
    this.#isLive = false;
  }

  take(message: LogMessage): void {
    if (!this.#isLive) return this.#pods.take(message);
    const { changes, lines } = this.#pods.takeNew(message) ?? { changes: [], lines: [] };
    const untilMs = this.#world.nowMs() + freshMs;
    for (const { after } of changes) this.#freshUntilMs.set(after.taskid, untilMs);
    const timed = lines.map((line) => `${timeOfDay(message.timeMs)} ${line}`);
    this.#events = [...this.#events, ...timed].slice(-eventLinesMax);
  }

  async caughtUp(): Promise<void> {
    this.#isLive = true;
    this.#interruption = null;
    await this.tick();
  }

  async tick(): Promise<void> {
    const size = this.#world.terminalSize();
    await this.#region.draw(this.#lines(size.rows - 1), size);
  }

  async interrupted(error: TransientError): Promise<void> {
    this.#interruption = `interrupted, trying again: ${lineForTerminal(error.message)}`;
    await this.tick();
  }

  /** Leaves the list as it was last, without what was typed. */
  async stopped(): Promise<void> {
    await this.#region.redraw(this.#world.terminalSize());
  }

  #lines(linesMax: number): readonly Line[] {
    const nowMs = this.#world.nowMs();
    for (const [taskid, untilMs] of this.#freshUntilMs) {
      if (untilMs < nowMs) this.#freshUntilMs.delete(taskid);
    }
    const eventsMax = Math.min(this.#events.length, Math.floor(linesMax / linesPerEvent));
    const notices: readonly Line[] = [
      ...(this.#pods.has(this.#pod) ? [] : [[{ text: notYetThere(this.#pod), style: "dim" } as const]]),
      ...this.#events.slice(this.#events.length - eventsMax).map((text): Line => [{ text, style: "dim" }]),
      ...(this.#interruption === null ? [] : [[{ text: this.#interruption, style: "red" } as const]]),
    ];
    const fresh = new Set(this.#freshUntilMs.keys());
    const board = this.#linesOf(this.#pods.board(this.#pod), {
      nowMs,
      linesMax: linesMax - notices.length,
      fresh,
    });
    return [...board, ...notices].slice(0, linesMax);
  }
}
