/** A checkpoint in memory, as a worker would save it. */
import { coveringKey, encodeCovering, encodePod, savedVersion } from "../../src/log/saved_pod.ts";
import type { ReadableBucket, Saved } from "../../src/worker/ports.ts";
import { podKey } from "../../src/worker/read_checkpoint.ts";
import { type MemoryLog, MemoryWorker, streamCreated } from "./memory_log.ts";

export class MemoryBucket implements ReadableBucket {
  readonly values = new Map<string, Uint8Array>();

  get(key: string): Promise<Saved> {
    const value = this.values.get(key) ?? null;
    return Promise.resolve({ value, revision: value === null ? 0 : 1 });
  }

  keys(prefix: string): Promise<readonly string[]> {
    return Promise.resolve([...this.values.keys()].filter((key) => key.startsWith(prefix)));
  }

  /**
   * Saves all pods as the log has them now.
   *
   * @param position of the covering record, which may lag behind
   */
  save(
    log: MemoryLog,
    position: number,
    { created = streamCreated, epoch = "epoch", endSeq = position } = {},
  ): void {
    const worker = new MemoryWorker(log);
    worker.read();
    for (const { pod } of worker.fold.pods.values()) {
      this.values.set(podKey(pod.id), encodePod(pod, pod, epoch));
    }
    const end = log.at(endSeq);
    if (!end) throw new Error(`Expected a message at seq ${endSeq}`);
    const ending = { seq: end.seq, subject: end.subject, time_ms: end.timeMs };
    this.values.set(
      coveringKey,
      encodeCovering({ v: savedVersion, epoch, position, created, end: ending }),
    );
  }
}
