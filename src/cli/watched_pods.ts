/** The pods of the log while somebody watches: what each message did to them. */
import { Fold } from "../log/fold.ts";
import type { LogMessage } from "../log/log_message.ts";
import type { Pod } from "../log/pod.ts";
import type { Subjects } from "../log/subjects.ts";
import { emptyStore } from "../tasks/store.ts";
import type { Board } from "./board.ts";
import { eventLines } from "./event_lines.ts";
import { type TaskChange, taskChanges } from "./task_changes.ts";

/** What one message did. */
interface Event {
  readonly pod: string;
  readonly changes: readonly TaskChange[];
  /** For a person, fit for a terminal; none where there is nothing to say. */
  readonly lines: readonly string[];
}

export class WatchedPods {
  readonly #subjects: Subjects;
  #fold: Fold;

  constructor(subjects: Subjects) {
    this.#subjects = subjects;
    this.#fold = new Fold(subjects);
  }

  /** Forgets everything, and has these pods. */
  begin(pods: readonly Pod[]): void {
    this.#fold = new Fold(this.#subjects, pods);
  }

  /** Takes a message of the past, about which nothing is to be said. */
  take(message: LogMessage): void {
    this.#fold.take(message);
  }

  /** Null where the message is none of ours. */
  takeNew(message: LogMessage): Event | null {
    const parsed = this.#subjects.parse(message.subject);
    if (parsed === null) return null;
    const before = this.#fold.pods.get(parsed.pod)?.pod.store ?? emptyStore();
    const after = this.#fold.take(message)?.pod.store ?? before;
    const changes = taskChanges(before, after);
    return { pod: parsed.pod, changes, lines: eventLines(message, parsed, changes) };
  }

  has(pod: string): boolean {
    return this.#fold.pods.has(pod);
  }

  board(pod: string): Board {
    return boardOf(this.#fold, pod);
  }
}

/** An empty one of a pod that the log does not have. */
export function boardOf({ pods }: Fold, id: string): Board {
  const { pod, waitingCount = 0, notServed = null } = pods.get(id) ?? {};
  return { pod: id, store: pod?.store ?? emptyStore(), waitingCount, notServed };
}
