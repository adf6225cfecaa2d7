/**
 * Checkpoints (R16): the pods that changed, each under its own key, then one record that covers them all. They bound
 * what a start has to read and are disposable while the log is whole.
 *
 * Invariants:
 * 1. A saved pod is a state that the log has: never one that ran ahead of acknowledged outputs.
 * 2. The covering record is written last, and only when every pod's inputs up to its position are saved. It names the
 *    epoch of the saved pods: a new epoch begins with a record at position 0, before any pod is written.
 *    It ends at the last message that was known: a log that lacks one of their outputs is not the one it fits.
 * 3. Every write is a compare-and-set: a refused one means that somebody else leads. A saved pod is never replaced by
 *    an earlier state.
 */
import { TransientError } from "../errors.ts";
import type { LogMessage } from "../log/log_message.ts";
import { Pod } from "../log/pod.ts";
import {
  type Covering,
  coveringKey,
  decodeCovering,
  decodePod,
  encodeCovering,
  encodePod,
  isOfAnotherEpoch,
  savedVersion,
} from "../log/saved_pod.ts";
import type { Logger } from "../logger.ts";
import type { PodWorker, SavedPod } from "./pod_worker.ts";
import { type Bucket, type Log, UnrecordableError } from "./ports.ts";
import { findCovering, isInLog, podKey, savedPodIds } from "./read_checkpoint.ts";

/** Pods that are written at the same time. */
const writesMax = 16;
/** Pods that a follower looks up at a time. */
const recognisedMax = 64;

/** What was saved is not in the bucket any more: it was deleted, emptied, or put back to an older copy. */
export class CheckpointLost extends Error {
  override readonly name = "CheckpointLost";
}

/** The lease lapsed while a save was under way: whoever leads saves. */
export class LeaseLapsed extends Error {
  override readonly name = "LeaseLapsed";
}

interface CheckpointsOptions {
  readonly bucket: Bucket;
  readonly log: Log;
  readonly logger: Logger;
  /** Whether to go on where the log has lost messages. */
  readonly acceptLoss: boolean;
  /** Whether this worker leads at this moment. */
  readonly mayWrite: () => boolean;
  /** The last message of the log that is known; throws where the log is not the one that the pods were built from. */
  readonly logEnd: () => Promise<LogMessage | null>;
}

export class Checkpoints {
  readonly #options: CheckpointsOptions;
  /** The identity of the stream; empty before the first. */
  #created = "";
  #epoch: string = crypto.randomUUID();
  #position = 0;
  #coveringRevision = 0;
  /** Whether the bucket has a covering record of our epoch, as far as we know. */
  #isBegun = false;
  /** Rises with each stream: what was begun for an earlier one writes nothing any more. */
  #streams = 0;
  /** Ids of pods whose saved state the bucket was too small for. */
  readonly #tooLarge = new Set<string>();
  /** The revision of a covering record that was ignored. */
  #ignoredRevision = 0;

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
    this.#streams++;
    this.#created = created;
    this.#epoch = crypto.randomUUID();
    this.#position = 0;
    this.#isBegun = false;
    return await this.refresh();
  }

  /**
   * Goes on from what another leader has saved meanwhile; the position that is known then.
   *
   * @throws {CheckpointLost} when what was known of it is gone
   * @throws {TransientError} when the server does not answer
   */
  async refresh(): Promise<number> {
    const { bucket, log } = this.#options;
    const { record, problem, revision } = await findCovering(bucket, log, this.#created);
    if (record === null && problem === null && this.#isReliedOn) {
      throw new CheckpointLost("The bucket holds no checkpoint any more");
    }
    this.#coveringRevision = revision;
    if (problem !== null) this.#ignore(revision, problem);
    if (record !== null) this.#checkNotRewound(record);
    this.#isBegun = record !== null;
    if (record === null) return this.#position;
    this.#epoch = record.epoch;
    this.#position = record.position;
    return this.#position;
  }

  /** Once for each record. */
  #ignore(revision: number, reason: string): void {
    if (revision === this.#ignoredRevision) return;
    this.#ignoredRevision = revision;
    this.#options.logger.error("the checkpoint is ignored: the log alone counts", { reason });
  }

  /**
   * @throws {CheckpointLost} when the checkpoint is gone, so that it says nothing of the pod
   * @throws {TransientError} when the server does not answer
   */
  async load(id: string): Promise<SavedPod> {
    const { value, revision } = await this.#options.bucket.get(podKey(id));
    if (value === null) {
      await this.verify();
      return { pod: new Pod(id), revision, source: "checkpoint" };
    }
    const pod = await this.#decode(id, value);
    if (pod !== null) return { pod, revision, source: "checkpoint" };
    const source = await this.#sourceInstead(id, value);
    return { pod: new Pod(id), revision, source };
  }

  /** Null where it is of no use. */
  async #decode(id: string, value: Uint8Array): Promise<Pod | null> {
    let pod = decodePod(id, value, this.#epoch);
    if (pod === null && !this.#options.mayWrite()) {
      // While we follow, another leader may have begun an epoch since we looked.
      await this.refresh();
      pod = decodePod(id, value, this.#epoch);
    }
    return pod !== null && await isInLog(pod, this.#position, this.#options.log) ? pod : null;
  }

  /**
   * As long as the bucket is the one that we know, a pod that it lacks has no inputs up to the position, and one that
   * it has is the last that was saved.
   *
   * @throws {CheckpointLost} when it is not
   * @throws {TransientError} when the server does not answer
   */
  async verify(): Promise<void> {
    if (!this.#isReliedOn) return;
    const { value } = await this.#options.bucket.get(coveringKey);
    if (value === null) throw new CheckpointLost("The bucket holds no checkpoint any more");
    const record = decodeCovering(value);
    if (record !== null) this.#checkNotRewound(record);
  }

  get #isReliedOn(): boolean {
    return this.#position > 0 || this.#isBegun;
  }

  #checkNotRewound({ epoch, position }: Covering): void {
    if (!this.#isReliedOn) return;
    if (epoch !== this.#epoch) throw new CheckpointLost("Another worker has begun the checkpoint anew");
    if (position >= this.#position) return;
    throw new CheckpointLost(`The checkpoint had reached seq ${this.#position}, now ${position}`);
  }

  /** Where a pod is to be had from of which the bucket holds what is of no use. */
  async #sourceInstead(pod: string, value: Uint8Array): Promise<SavedPod["source"]> {
    const { acceptLoss, log, logger } = this.#options;
    const { firstSeq, deletedCount } = await log.state();
    const isWhole = firstSeq <= 1 && deletedCount === 0;
    // Left from an earlier stream: of this one, what its log no longer has would be saved in our epoch.
    if (isOfAnotherEpoch(value, this.#epoch)) return isWhole ? "log" : "checkpoint";
    const isLost = !isWhole && !acceptLoss;
    const isReadable = decodePod(pod, value, this.#epoch) !== null;
    const reason = isReadable ? "the log lacks what it includes" : "it is broken";
    logger.error("the saved pod is of no use", { pod, reason, is_lost: isLost });
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
    const pod = value && decodePod(id, value, this.#epoch);
    return pod && await isInLog(pod, this.#position, this.#options.log) ? pod : null;
  }

  /**
   * Marks idle pods of which another leader has saved all that we know.
   *
   * @throws {CheckpointLost} when what was known of it is gone
   * @throws {TransientError} when the server does not answer
   */
  async recognise(pods: readonly PodWorker[]): Promise<void> {
    await this.refresh();
    const unsaved = pods.filter((pod) => pod.isIdle && pod.unsaved !== null).slice(0, recognisedMax);
    for (const worker of unsaved) await this.#recognise(worker);
  }

  async #recognise(worker: PodWorker): Promise<void> {
    const { value, revision } = await this.#options.bucket.get(podKey(worker.id));
    const saved = value && await this.#decode(worker.id, value);
    worker.savedAt(saved?.inputSeq ?? 0, revision);
  }

  /**
   * Saves what has changed, then the record that covers it.
   *
   * @param pods all that are in memory; the others are saved already
   * @param cursorSeq up to where the inputs have been taken
   * @returns the position of the covering record
   * @throws {ConflictError} when somebody else leads
   * @throws {LeaseLapsed} when it may not be known any more whether somebody else leads
   * @throws {CheckpointLost} when what was known of it is gone
   * @throws {TransientError} when the server does not answer: what was written stays usable
   */
  async save(pods: Iterable<PodWorker>, cursorSeq: number): Promise<number> {
    const all = [...pods];
    const openSeqs = all.flatMap((pod) => pod.firstOpenSeq ?? []);
    const position = openSeqs.reduce((least, seq) => Math.min(least, seq - 1), cursorSeq);
    const unsaved = all.flatMap((pod) => pod.unsaved ? [{ pod, inputSeq: pod.unsaved.state.inputSeq }] : []);
    const streams = this.#streams;
    if (!this.#isBegun) await this.#begin(streams);
    for (let first = 0; first < unsaved.length; first += writesMax) {
      await this.#saveTogether(unsaved.slice(first, first + writesMax).map(({ pod }) => pod), streams);
    }
    // A pod that is built again meanwhile was not saved.
    const isWhole = unsaved.every(({ pod, inputSeq }) => pod.savedInputSeq >= inputSeq);
    if (isWhole && position > this.#position) await this.#cover(position, streams);
    return this.#position;
  }

  /** The covering record at position 0, where there is none that can be gone on from. */
  async #begin(streams: number): Promise<void> {
    await this.refresh();
    if (!this.#isBegun) await this.#write(0, null, streams);
  }

  /** Ends when all of them have ended, well or not. */
  async #saveTogether(pods: readonly PodWorker[], streams: number): Promise<void> {
    const results = await Promise.allSettled(pods.map((pod) => this.#savePod(pod, streams)));
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }

  async #savePod(worker: PodWorker, streams: number): Promise<void> {
    if (worker.savedRevision === null) await this.#recognise(worker);
    const { unsaved, savedRevision } = worker;
    if (unsaved === null || savedRevision === null) return;
    const { pod, state } = unsaved;
    const value = encodePod(pod, state, this.#epoch);
    this.#checkMayWrite(streams);
    try {
      const revision = await this.#options.bucket.put(podKey(worker.id), value, savedRevision);
      worker.savedAt(state.inputSeq, revision);
      this.#tooLarge.delete(worker.id);
    } catch (error) {
      if (error instanceof UnrecordableError) return this.#leaveUnsaved(worker.id, value.length, error);
      worker.forgetSaved();
      throw error;
    }
  }

  /** The position, and with it the log, waits for the pod. Said once, until it is saved again. */
  #leaveUnsaved(pod: string, bytes: number, { message }: UnrecordableError): void {
    if (this.#tooLarge.has(pod)) return;
    this.#tooLarge.add(pod);
    this.#options.logger.error("a pod cannot be saved: no checkpoint goes past it", {
      pod,
      bytes,
      reason: message,
    });
  }

  /** To be called right before a write: what went before may have taken its time. */
  #checkMayWrite(streams: number): void {
    if (streams !== this.#streams) throw new TransientError("The stream was replaced while it was saved");
    if (!this.#options.mayWrite()) throw new LeaseLapsed("The lease ran out during a save");
  }

  async #cover(position: number, streams: number): Promise<void> {
    await this.#write(position, await this.#options.logEnd(), streams);
  }

  async #write(position: number, end: LogMessage | null, streams: number): Promise<void> {
    const { bucket } = this.#options;
    const record = encodeCovering({
      v: savedVersion,
      epoch: this.#epoch,
      position,
      created: this.#created,
      end: end && { seq: end.seq, subject: end.subject, time_ms: end.timeMs },
    });
    this.#checkMayWrite(streams);
    // Where no answer comes, nobody knows which record is there.
    this.#isBegun = false;
    const revision = await bucket.put(coveringKey, record, this.#coveringRevision);
    if (streams !== this.#streams) return;
    this.#coveringRevision = revision;
    this.#position = position;
    this.#isBegun = true;
  }
}
