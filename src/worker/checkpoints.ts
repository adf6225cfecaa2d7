/**
 * Checkpoints (R16): the pods that changed, each under its own key, then one record that covers them all. They bound
 * what a start has to read and are disposable while the log is whole.
 *
 * Invariants:
 * 1. A saved pod is a state that the log has: never one that ran ahead of acknowledged outputs.
 * 2. The covering record is written last, and only when every pod's inputs up to its position are saved.
 * 3. Every write is a compare-and-set: a refused one means that somebody else leads.
 */
import {
  type Covering,
  decodeCovering,
  decodePod,
  encodeCovering,
  encodePod,
  savedVersion,
} from "../log/saved_pod.ts";
import { Pod } from "../log/pod.ts";
import type { Logger } from "../logger.ts";
import type { PodWorker, SavedPod } from "./pod_worker.ts";
import type { Bucket, Log, LogState } from "./ports.ts";

const coveringKey = "covering";
/** Pods that are written at the same time. */
const writesMax = 16;
/** Pods that a follower looks up at a time. */
const recognisedMax = 64;

const podPrefix = "pod.";

function podKey(pod: string): string {
  return podPrefix + pod;
}

export interface CheckpointsOptions {
  readonly bucket: Bucket;
  readonly log: Log;
  readonly logger: Logger;
  /** Whether to go on where the log has lost messages. */
  readonly acceptLoss: boolean;
}

export class Checkpoints {
  readonly #options: CheckpointsOptions;
  #epoch: string = crypto.randomUUID();
  #coveringRevision = 0;
  #position = 0;

  constructor(options: CheckpointsOptions) {
    this.#options = options;
  }

  /**
   * The position up to which saved pods may be used with this stream; 0 where there is nothing to use.
   *
   * @throws {TransientError} when the server does not answer
   */
  async open(stream: LogState): Promise<number> {
    this.#epoch = crypto.randomUUID();
    this.#position = 0;
    await this.refresh(stream);
    return this.#position;
  }

  /**
   * Goes on from what another leader has saved meanwhile.
   *
   * @throws {TransientError} when the server does not answer
   */
  async refresh(stream: LogState): Promise<void> {
    const { value, revision } = await this.#options.bucket.get(coveringKey);
    this.#coveringRevision = revision;
    if (value === null) return;
    const record = decodeCovering(value);
    const problem = record === null
      ? `it is not of format ${savedVersion}`
      : await this.#problem(record, stream);
    if (record === null || problem !== null) {
      this.#options.logger.error("the checkpoint is ignored: the log alone counts", { reason: problem });
      return;
    }
    this.#epoch = record.epoch;
    this.#position = record.position;
  }

  async #problem({ created, position, end }: Covering, stream: LogState): Promise<string | null> {
    if (created !== stream.created) {
      return `it is of a stream made at ${created}, this one was made at ${stream.created}`;
    }
    if (position > stream.lastSeq) return `it reaches seq ${position}, the stream only ${stream.lastSeq}`;
    const found = end === null ? null : await this.#options.log.get(end.seq);
    if (found === null || end === null) return null;
    const isSame = found.subject === end.subject && found.timeMs === end.time_ms;
    return isSame ? null : `another message is at seq ${end.seq}`;
  }

  /** @throws {TransientError} when the server does not answer */
  async load(id: string): Promise<SavedPod> {
    const { value, revision } = await this.#options.bucket.get(podKey(id));
    if (value === null) return { pod: new Pod(id), revision, source: "checkpoint" };
    const pod = decodePod(id, value, this.#epoch);
    if (pod !== null) return { pod, revision, source: "checkpoint" };
    const { firstSeq } = await this.#options.log.state();
    const isLost = firstSeq > 1 && !this.#options.acceptLoss;
    this.#options.logger.error("the saved pod is foreign or broken", { pod: id, is_lost: isLost });
    return { pod: new Pod(id), revision, source: isLost ? "lost" : "log" };
  }

  /**
   * The pods that were ever saved.
   *
   * @throws {TransientError} when the server does not answer
   */
  async pods(): Promise<readonly string[]> {
    const keys = await this.#options.bucket.keys(podPrefix);
    return keys.map((key) => key.slice(podPrefix.length));
  }

  /**
   * The saved pod; null where there is none that belongs to this checkpoint.
   *
   * @throws {TransientError} when the server does not answer
   */
  async peek(id: string): Promise<Pod | null> {
    const { value } = await this.#options.bucket.get(podKey(id));
    return value && decodePod(id, value, this.#epoch);
  }

  /**
   * Marks idle pods of which another leader has saved all that we know.
   *
   * @throws {TransientError} when the server does not answer
   */
  async recognise(pods: readonly PodWorker[]): Promise<void> {
    for (const worker of pods.filter((pod) => pod.isIdle && pod.unsaved !== null).slice(0, recognisedMax)) {
      const { pod, revision } = await this.load(worker.id);
      if (pod.inputSeq >= worker.inputSeq) worker.savedAt(pod.inputSeq, revision);
    }
  }

  /**
   * Saves what has changed, then the record that covers it.
   *
   * @param pods all that are in memory; the others are saved already
   * @param cursorSeq up to where the inputs have been taken
   * @returns the position of the covering record
   * @throws {ConflictError} when somebody else leads
   * @throws {TransientError} when the server does not answer: what was written stays usable
   */
  async save(pods: Iterable<PodWorker>, cursorSeq: number, stream: LogState): Promise<number> {
    const all = [...pods];
    const openSeqs = all.flatMap((pod) => pod.firstOpenSeq ?? []);
    const position = openSeqs.reduce((least, seq) => Math.min(least, seq - 1), cursorSeq);
    const unsaved = all.filter((pod) => pod.unsaved !== null);
    for (let first = 0; first < unsaved.length; first += writesMax) {
      await Promise.all(unsaved.slice(first, first + writesMax).map((pod) => this.#savePod(pod)));
    }
    if (position > this.#position) await this.#cover(position, stream);
    return this.#position;
  }

  async #savePod(worker: PodWorker): Promise<void> {
    const { bucket } = this.#options;
    const known = worker.unsaved;
    if (known === null) return;
    const revision = known.revision ?? (await bucket.get(podKey(worker.id))).revision;
    const { pod, state } = worker.unsaved ?? known;
    const written = await bucket.put(podKey(worker.id), encodePod(pod, state, this.#epoch), revision);
    worker.savedAt(state.inputSeq, written);
  }

  async #cover(position: number, stream: LogState): Promise<void> {
    const { bucket, log } = this.#options;
    const end = await log.get(position);
    if (end === null) return;
    const record = encodeCovering({
      v: savedVersion,
      epoch: this.#epoch,
      position,
      created: stream.created,
      end: { seq: end.seq, subject: end.subject, time_ms: end.timeMs },
    });
    this.#coveringRevision = await bucket.put(coveringKey, record, this.#coveringRevision);
    this.#position = position;
  }
}
