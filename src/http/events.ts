/**
 * What an open page is told: all pods and one board at first, then what has changed. Of several changes in a short time
 * only the last state is told, and a page that takes nothing costs nothing.
 */
import type { TaskStore } from "../tasks/store.ts";
import type { Boards } from "../worker/status.ts";
import { changeBetween } from "./view.ts";

export interface Pace {
  /** Between two tellings, in milliseconds. */
  readonly tellEveryMs: number;
  /** After which a sign of life goes out where nothing changes, in milliseconds. */
  readonly beatEveryMs: number;
  /** Milliseconds since the epoch. */
  readonly nowMs: () => number;
}

/**
 * Events of `text/event-stream`, until the signal.
 *
 * @param shown the pod whose board is wanted, or null
 */
export async function* events(
  boards: Boards,
  shown: string | null,
  pace: Pace,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const changes = new Changes();
  using _watching = boards.watch((pod) => changes.add(pod));
  let known: TaskStore | null = null;
  let isFirst = true;
  while (!signal.aborted) {
    const { pods, isAll } = changes.take();
    if (isFirst || isAll) yield event("pods", pace, { isWhole: true, pods: await boards.list() });
    else if (pods.size > 0) {
      const found = await Promise.all([...pods].map((pod) => boards.find(pod)));
      const summaries = found.flatMap((board) => board?.summary ?? []);
      yield event("pods", pace, { isWhole: false, pods: summaries });
    }
    if (shown !== null && (isFirst || isAll || pods.has(shown))) {
      const board = await boards.find(shown);
      yield event("board", pace, {
        pod: shown,
        summary: board?.summary ?? null,
        ...(board ? changeBetween(isAll ? null : known, board.store) : { isWhole: true, cards: [] }),
      });
      known = board?.store ?? null;
    }
    isFirst = false;
    const hasChanged = await changes.within(pace.beatEveryMs, signal);
    if (!hasChanged && !signal.aborted) yield ": beat\n\n";
    await pause(pace.tellEveryMs, signal);
  }
}

function event(name: string, { nowMs }: Pace, data: { readonly [name: string]: unknown }): string {
  return `event: ${name}\ndata: ${JSON.stringify({ nowMs: nowMs(), ...data })}\n\n`;
}

/** The pods that have changed since somebody took them. */
class Changes {
  #pods = new Set<string>();
  #isAll = false;
  #wake = (): void => {};

  add(pod: string | null): void {
    if (pod === null) this.#isAll = true;
    else this.#pods.add(pod);
    this.#wake();
  }

  take(): { readonly pods: ReadonlySet<string>; readonly isAll: boolean } {
    const taken = { pods: this.#pods, isAll: this.#isAll };
    this.#pods = new Set();
    this.#isAll = false;
    return taken;
  }

  /** Whether there are any, as soon as there are, or when the time is over. */
  async within(limitMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.#pods.size === 0 && !this.#isAll) await pause(limitMs, signal, (wake) => this.#wake = wake);
    return this.#pods.size > 0 || this.#isAll;
  }
}

/** Ends at the signal, or when the function that `onWake` gets is called. */
async function pause(
  limitMs: number,
  signal: AbortSignal,
  onWake: (wake: () => void) => void = () => {},
): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = (): void => resolve();
  const timer = setTimeout(wake, limitMs);
  signal.addEventListener("abort", wake);
  onWake(wake);
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", wake);
}
