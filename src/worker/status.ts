/** What a worker says of itself and of its pods, to whoever shows it. */
import type { Counts, TaskStore } from "../tasks/store.ts";

export interface WorkerStatus {
  /** Why it is not ready, without a full stop; null where it is (R17). */
  readonly notReady: string | null;
  readonly isLeading: boolean;
  /** Up to which seq everything was read. */
  readonly cursorSeq: number;
  /** The stream's last seq, as last seen. */
  readonly streamLastSeq: number;
  /** How far the cursor, or our own last output where that lies further, is behind it. */
  readonly lagMessages: number;
  /** Since the stream was last found to be the one that the stores were built from; null before the first time. */
  readonly verifiedMsAgo: number | null;
  readonly podsInMemory: number;
  /** Outputs that are published and not yet acknowledged. */
  readonly outputsInFlight: number;
}

export interface PodSummary {
  readonly pod: string;
  readonly counts: Counts;
  /** When a task last changed; in an empty store, when its last input came: milliseconds since the epoch. */
  readonly changedMs: number;
  /** Why this version cannot serve the pod; null where it can. */
  readonly notServed: string | null;
}

export interface Board {
  readonly summary: PodSummary;
  readonly store: TaskStore;
}

/** The pods as the log has them: nothing shown here is ahead of it. */
export interface Boards {
  /**
   * The pods there are, the last changed first: all that are in memory, and some thousand of those that only the
   * checkpoint has.
   */
  list(): Promise<readonly PodSummary[]>;
  /** Null where there is no such pod, or nobody can say now. */
  find(pod: string): Promise<Board | null>;
  /** Calls back with the pod whose board is another one now, or with null where any may be, until it is disposed. */
  watch(changed: (pod: string | null) => void): Disposable;
}
