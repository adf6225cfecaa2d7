/** What a worker is made of, and what of it is configured. */
import type { Subjects } from "../log/subjects.ts";
import type { Logger } from "../logger.ts";
import type { Observer, Tracer } from "./observer.ts";
import type { Bucket, Log, ReadLane } from "./ports.ts";
import type { ReplyRule } from "./reply.ts";
import type { RetentionSettings } from "./retention.ts";

interface WorkerSettings extends RetentionSettings {
  /** Where replies may go. */
  readonly replies: ReplyRule;
  /** Outputs published and not yet acknowledged at which no more inputs are taken. */
  readonly inFlightMax: number;
  /** Idle pods above this many leave memory once the checkpoint has them. */
  readonly podsInMemoryMax: number;
  /** A checkpoint is written after this many inputs, … */
  readonly checkpointInputs: number;
  /** … and at least this often where there is something to save, in milliseconds. */
  readonly checkpointEveryMs: number;
  /** Whether to go on where the log has lost messages. */
  readonly acceptLoss: boolean;
}

export interface WorkerOptions {
  readonly log: Log;
  readonly readLane: ReadLane;
  readonly bucket: Bucket;
  readonly logger: Logger;
  readonly subjects: Subjects;
  readonly settings: WorkerSettings;
  readonly observer?: Observer;
  readonly tracer?: Tracer;
}
