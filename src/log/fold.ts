/** The keyed map of pods, rebuilt from the log (R13): feed it the messages of the stream in their order. */
import type { LogMessage } from "./log_message.ts";
import { Pod } from "./pod.ts";
import { PodLog } from "./pod_log.ts";
import type { Subjects } from "./subjects.ts";

export class Fold {
  /** Keyed by pod id; `_` for inputs whose pod token is not legal. */
  readonly pods = new Map<string, PodLog>();
  readonly #subjects: Subjects;

  constructor(subjects: Subjects) {
    this.#subjects = subjects;
  }

  /** Takes one message and gives the pod that it belongs to; null where it is none of ours. */
  take(message: LogMessage): PodLog | null {
    const parsed = this.#subjects.parse(message.subject);
    if (parsed === null) return null;
    const podLog = this.pods.get(parsed.pod) ?? new PodLog(new Pod(parsed.pod));
    this.pods.set(parsed.pod, podLog);
    podLog.take(message, parsed);
    return podLog;
  }
}
