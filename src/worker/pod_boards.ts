/**
 * The boards of all pods, those in memory and those that only the checkpoint has. Reading one takes no pod into memory
 * and puts none to work.
 */
import { TransientError } from "../errors.ts";
import type { PodState } from "../log/saved_pod.ts";
import { noPod } from "../log/subjects.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { podReadsMax, savedPodsListedMax } from "./limits.ts";
import type { Pods } from "./pods.ts";
import type { Board, Boards, PodSummary } from "./status.ts";

export class PodBoards implements Boards {
  readonly #pods: Pods;
  readonly #checkpoints: Checkpoints;
  readonly #watchers = new Set<(pod: string | null) => void>();
  /** Of pods that were not in memory when they were read, until they change; keyed by pod id. */
  readonly #saved = new Map<string, PodSummary>();

  constructor(pods: Pods, checkpoints: Checkpoints) {
    this.#pods = pods;
    this.#checkpoints = checkpoints;
  }

  /** @param pod null where all are dropped */
  changed(pod: string | null): void {
    if (pod === null) this.#saved.clear();
    else this.#saved.delete(pod);
    for (const tell of this.#watchers) tell(pod);
  }

  watch(changed: (pod: string | null) => void): Disposable {
    const tell = (pod: string | null): void => changed(pod);
    this.#watchers.add(tell);
    return { [Symbol.dispose]: () => void this.#watchers.delete(tell) };
  }

  async list(): Promise<readonly PodSummary[]> {
    const saved = await this.#savedSummaries();
    const inMemory = this.#pods.all().flatMap(({ id }) => this.#inMemory(id)?.summary ?? []);
    const known = new Set(inMemory.map(({ pod }) => pod));
    return [...inMemory, ...saved.filter(({ pod }) => !known.has(pod))]
      .sort((a, b) => b.changedMs - a.changedMs || (a.pod < b.pod ? -1 : 1));
  }

  async find(pod: string): Promise<Board | null> {
    const known = this.#inMemory(pod);
    if (known !== null) return known;
    const saved = await this.#fromCheckpoint(pod);
    return this.#inMemory(pod) ?? saved;
  }

  #inMemory(id: string): Board | null {
    const pod = id === noPod ? undefined : this.#pods.inMemory(id);
    return pod?.recorded ? boardOf(id, pod.recorded, pod.notServed) : null;
  }

  /** Those that can be read now; the others come the next time. */
  async #savedSummaries(): Promise<readonly PodSummary[]> {
    const ids = (await this.#unlessAway(() => this.#checkpoints.pods())) ?? [];
    const asleep = ids.filter((id) => this.#pods.inMemory(id) === undefined).slice(0, savedPodsListedMax);
    const unread = asleep.filter((id) => !this.#saved.has(id));
    for (let first = 0; first < unread.length; first += podReadsMax) {
      await Promise.all(unread.slice(first, first + podReadsMax).map((id) => this.#fromCheckpoint(id)));
    }
    return asleep.flatMap((id) => this.#saved.get(id) ?? []);
  }

  async #fromCheckpoint(id: string): Promise<Board | null> {
    const pod = await this.#unlessAway(() => this.#checkpoints.peek(id));
    if (pod === null) return null;
    const board = boardOf(id, pod, null);
    if (this.#pods.inMemory(id) === undefined) this.#saved.set(id, board.summary);
    return board;
  }

  /** A page shows less while the server is away. */
  async #unlessAway<T>(read: () => Promise<T>): Promise<T | null> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof TransientError) return null;
      throw error;
    }
  }
}

function boardOf(pod: string, { store, changedMs }: PodState, notServed: string | null): Board {
  const lastMs = store.tasks.reduce((latest, task) => Math.max(latest, task.changedMs), 0);
  const summary = { pod, counts: store.counts, changedMs: lastMs || changedMs, notServed };
  return { summary, store };
}
