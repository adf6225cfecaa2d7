/** Boards in memory, which a test changes by hand. */
import type { TaskStore } from "../../src/tasks/store.ts";
import type { Board, Boards, PodSummary } from "../../src/worker/status.ts";

export class MemoryBoards implements Boards {
  readonly #boards = new Map<string, Board>();
  readonly #watchers = new Set<(pod: string | null) => void>();

  /** @param changedMs when its last input came */
  put(pod: string, store: TaskStore, changedMs = 0, notServed: string | null = null): void {
    const lastMs = store.tasks.reduce((latest, task) => Math.max(latest, task.changedMs), 0);
    const summary = { pod, counts: store.counts, changedMs: lastMs || changedMs, notServed };
    this.#boards.set(pod, { summary, store });
    for (const tell of this.#watchers) tell(pod);
  }

  /** All are gone, as when the stream is another one. */
  clear(): void {
    this.#boards.clear();
    for (const tell of this.#watchers) tell(null);
  }

  get watcherCount(): number {
    return this.#watchers.size;
  }

  list(): Promise<readonly PodSummary[]> {
    const all = [...this.#boards.values()].map(({ summary }) => summary);
    return Promise.resolve(all.sort((a, b) => b.changedMs - a.changedMs));
  }

  find(pod: string): Promise<Board | null> {
    return Promise.resolve(this.#boards.get(pod) ?? null);
  }

  watch(changed: (pod: string | null) => void): Disposable {
    this.#watchers.add(changed);
    return { [Symbol.dispose]: () => void this.#watchers.delete(changed) };
  }
}
