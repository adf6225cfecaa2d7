/**
 * The checkpoint bucket: a JetStream key-value bucket, made where it is missing (R1). Keys are read from the stream's
 * leader and written by compare-and-set, with no more of the JetStream API than that takes (see `src/acl`).
 */
import { OperatorError, TransientError } from "../errors.ts";
import type { Bucket, Saved } from "../worker/ports.ts";
import { messageBytesMax } from "../tasks/limits.ts";
import { type AcknowledgedPublisher, NoStreamError } from "./acknowledged_publisher.ts";
import { isNoMessage, isStreamNotFound } from "./api_errors.ts";
import {
  DiscardPolicy,
  headers,
  type JetStreamManager,
  NatsError,
  StorageType,
  type StreamConfig,
} from "./client.ts";
import type { Connection } from "./connection.ts";
import { bytesOf, valueOf } from "./nats_message.ts";

/** What a request to a stream that is not there, or has no leader, ends with. */
const noRespondersCode = "503";
/** Set where the key was deleted (NATS ADR-8). */
const operationHeader = "KV-Operation";

interface BucketOptions {
  readonly connection: Connection;
  readonly manager: JetStreamManager;
  readonly publisher: AcknowledgedPublisher;
  readonly name: string;
  readonly replicas: number;
}

/** @throws {OperatorError} when the bucket cannot be made, or cannot serve */
export async function openBucket(options: BucketOptions): Promise<Bucket> {
  try {
    await ensureBucket(options);
  } catch (error) {
    if (!(error instanceof NatsError)) throw error;
    throw new OperatorError(`Cannot open bucket ${options.name}: ${error.message}: may this login use it?`, {
      cause: error,
    });
  }
  return new StreamBucket(options);
}

/** @throws {OperatorError} when it cannot serve */
async function ensureBucket(options: BucketOptions): Promise<void> {
  const { manager, name } = options;
  const { config } = await manager.streams.info(streamOf(name)).catch((error) => {
    if (isStreamNotFound(error)) return makeBucket(options);
    throw error;
  });
  const problems = bucketProblems(config);
  if (problems.length > 0) throw new OperatorError(`Cannot use bucket ${name}: ${problems.join("; ")}`);
}

/** As key-value clients make it (NATS ADR-8), with one value per key. */
function makeBucket({ manager, name, replicas }: BucketOptions): Promise<{ readonly config: StreamConfig }> {
  return manager.streams.add({
    name: streamOf(name),
    subjects: [subjectOf(name, ">")],
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    num_replicas: replicas,
    max_msgs_per_subject: 1,
    allow_rollup_hdrs: true,
    deny_delete: true,
    allow_direct: true,
  });
}

function streamOf(bucket: string): string {
  return `KV_${bucket}`;
}

function subjectOf(bucket: string, key: string): string {
  return `$KV.${bucket}.${key}`;
}

/** What keeps an existing bucket from serving, each field with its cure (R1). */
function bucketProblems({ storage, max_age, max_msg_size }: StreamConfig): readonly string[] {
  return [
    ...(storage === StorageType.File ? [] : [`storage must be file: got ${storage}`]),
    ...(max_age > 0 ? [`its values must not expire (ttl must be 0): got ${max_age} ns`] : []),
    ...(max_msg_size >= 0 && max_msg_size < messageBytesMax
      ? [`max_value_size must be -1 or at least ${messageBytesMax}: got ${max_msg_size}`]
      : []),
  ];
}

/** @throws {NatsError} when the server does not answer, or has no such bucket */
export async function readKey(manager: JetStreamManager, bucket: string, key: string): Promise<Saved> {
  try {
    const query = { last_by_subj: subjectOf(bucket, key) };
    const message = await manager.streams.getMessage(streamOf(bucket), query);
    const isThere = valueOf(message.header, operationHeader) === null;
    return { value: isThere ? bytesOf(message) : null, revision: message.seq };
  } catch (error) {
    if (isNoMessage(error)) return { value: null, revision: 0 };
    throw error;
  }
}

/** @throws {NatsError} when the server does not answer, or has no such bucket */
export async function readKeys(
  manager: JetStreamManager,
  bucket: string,
  prefix: string,
): Promise<readonly string[]> {
  const query = { subjects_filter: subjectOf(bucket, `${prefix}>`) };
  const { state } = await manager.streams.info(streamOf(bucket), query);
  return Object.keys(state.subjects ?? {}).map((subject) => subject.slice(subjectOf(bucket, "").length));
}

class StreamBucket implements Bucket {
  readonly #options: BucketOptions;

  constructor(options: BucketOptions) {
    this.#options = options;
  }

  async keys(prefix: string): Promise<readonly string[]> {
    const { manager, name } = this.#options;
    return await this.#ask(() => readKeys(manager, name, prefix));
  }

  async get(key: string): Promise<Saved> {
    const { manager, name } = this.#options;
    return await this.#ask(() => readKey(manager, name, key));
  }

  async put(key: string, value: Uint8Array, revision: number): Promise<number> {
    const { connection, publisher, name } = this.#options;
    const expected = headers();
    expected.set("Nats-Expected-Last-Subject-Sequence", String(revision));
    const message = { subject: subjectOf(name, key), headers: expected, data: value };
    try {
      return (await connection.ask(() => publisher.publish(message))).seq;
    } catch (error) {
      if (error instanceof TransientError && error.cause instanceof NoStreamError) await this.#makeAgain();
      throw error;
    }
  }

  /** A bucket that was deleted is made again: what it held can be had from the log. */
  async #ask<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await this.#options.connection.ask(request);
    } catch (error) {
      if (!(error instanceof NatsError)) throw error;
      if (isStreamNotFound(error) || error.code === noRespondersCode) await this.#makeAgain();
      throw new TransientError(`The bucket did not answer as it should: ${error.message}`, { cause: error });
    }
  }

  async #makeAgain(): Promise<void> {
    try {
      await ensureBucket(this.#options);
    } catch (error) {
      if (!(error instanceof NatsError)) throw error;
      throw new TransientError(`The bucket could not be opened again: ${error.message}`, { cause: error });
    }
  }
}
