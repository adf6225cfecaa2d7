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
  coveringKey,
  decodePod,
  encodeCovering,
  encodePod,
  isOfAnotherEpoch,
  savedVersion,
} from "../log/saved_pod.ts";
import { Pod } from "../log/pod.ts";
import type { Logger } from "../logger.ts";
import type { PodWorker, SavedPod } from "./pod_worker.ts";
import type { Bucket, Log, LogState } from "./ports.ts";
import { findCovering, podKey, savedPodIds } from "./read_checkpoint.ts";

/** Pods that are written at the same time. */
const writesMax = 16;
/** Pods that a follower looks up at a time. */
const recognisedMax = 64;

/** What was saved is not in the bucket any more: it was deleted, emptied, or put back to an older copy. */
export class CheckpointLost extends Error {
  override readonly name = "CheckpointLost";
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
  /** Whether pods were saved since the checkpoint was opened. */
  #hasSaved = false;

  constructor(options: CheckpointsOptions) {
    this.#options = options;
  }

  /**
   * The position up to which saved pods may be used with this stream; 0 where there is nothing to use.
   *
   * @param created the stream's identity
   * @throws {TransientError} when the server does not answer
   */
  async open(created: string): Promise<number> {
    this.#epoch = crypto.randomUUID();
    this.#position = 0;
    this.#hasSaved = false;
    return await this.refresh(created);
  }

  /**
   * Goes on from what another leader has saved meanwhile; the position that is known then.
   *
   * @throws {CheckpointLost} when what was known of it is gone
   * @throws {TransientError} when the server does not answer
   */
  async refresh(created: string): Promise<number> {
    const { bucket, log, logger } = this.#options;
    const { record, problem, revision } = await findCovering(bucket, log, created);
    if (record === null && problem === null && (this.#position > 0 || this.#hasSaved)) {
      throw new CheckpointLost("The bucket holds no checkpoint any more");
    }
    this.#coveringRevision = revision;
    if (problem !== null) {
      logger.error("the checkpoint is ignored: the log alone counts", { reason: problem });
    }
    if (record === null) return this.#position;
    if (record.epoch === this.#epoch && record.position < this.#position) {
      throw new CheckpointLost(`The checkpoint had reached seq ${this.#position}, now ${record.position}`);
    }
    this.#epoch = record.epoch;
    this.#position = record.position;
    return this.#position;
  }

  /**
   * @throws {CheckpointLost} when the checkpoint is gone, so that it says nothing of the pod
   * @throws {TransientError} when the server does not answer
   */
  async load(id: string): Promise<SavedPod> {
    const { value, revision } = await this.#options.bucket.get(podKey(id));
    if (value === null) {
      await this.#assertThere();
      return { pod: new Pod(id), revision, source: "checkpoint" };
    }
    const pod = decodePod(id, value, this.#epoch);
    if (pod !== null) return { pod, revision, source: "checkpoint" };
    const source = await this.#sourceInstead(id, isOfAnotherEpoch(value, this.#epoch));
    return { pod: new Pod(id), revision, source };
  }

  /** A pod that the bucket does not have has no inputs up to the position, as long as the bucket is the one we know. */
  async #assertThere(): Promise<void> {
    if (this.#position === 0) return;
    const { value } = await this.#options.bucket.get(coveringKey);
    if (value === null) throw new CheckpointLost("The bucket holds no checkpoint any more");
  }

  /** Where a pod is to be had from of which the bucket holds what is of no use. */
  async #sourceInstead(pod: string, isForeign: boolean): Promise<SavedPod["source"]> {
    const { acceptLoss, log, logger } = this.#options;
    const { firstSeq, deletedCount } = await log.state();
    const isWhole = firstSeq <= 1 && deletedCount === 0;
    // Left from an earlier stream: of this one, what its log no longer has would be saved in our epoch.
    if (isForeign) return isWhole ? "log" : "checkpoint";
    const isLost = !isWhole && !acceptLoss;
    logger.error("the saved pod is broken", { pod, is_lost: isLost });
    return isLost ? "lost" : "log";
  }

  /**
   * The pods that were ever saved.
   *
   * @throws {TransientError} when the server does not answer
   */
  async pods(): Promise<readonly string[]> {
    return await savedPodIds(this.#options.bucket);
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
    this.#hasSaved = true;
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
