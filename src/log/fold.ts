/** The keyed map of pods, rebuilt from the log (R13): feed it the messages of the stream in their order. */
import type { LogMessage } from "./log_message.ts";
import { Pod } from "./pod.ts";
import { PodLog } from "./pod_log.ts";
import type { Subjects } from "./subjects.ts";

export class Fold {
  /** Keyed by pod id; `_` for inputs whose pod token is not legal. */
  readonly pods = new Map<string, PodLog>();
  readonly #subjects: Subjects;

  /** @param pods that are there already: of the log, what they do not include is taken */
  constructor(subjects: Subjects, pods: Iterable<Pod> = []) {
    this.#subjects = subjects;
    for (const pod of pods) this.pods.set(pod.id, new PodLog(pod));
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
