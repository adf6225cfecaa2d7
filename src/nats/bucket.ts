/** The checkpoint bucket: a JetStream key-value bucket, made where it is missing (R1). */
import { OperatorError, TransientError } from "../errors.ts";
import { type Bucket, ConflictError, type Saved } from "../worker/ports.ts";
import { messageBytesMax } from "../tasks/limits.ts";
import { type KV, type NatsConnection, NatsError, StorageType, type StreamConfig } from "./client.ts";

/** JetStream: "wrong last sequence". */
const wrongLastSequenceCode = 10071;
const streamNotFoundCode = 10059;
/** What a request to a stream that is not there, or has no leader, ends with. */
const noRespondersCode = "503";

export interface BucketOptions {
  readonly nc: NatsConnection;
  readonly name: string;
  readonly replicas: number;
  readonly requestWaitMs: number;
}

/** @throws {OperatorError} when the bucket cannot be made, or cannot serve */
export async function openBucket(options: BucketOptions): Promise<Bucket> {
  try {
    return new KvBucket(options, await openChecked(options));
  } catch (error) {
    if (!(error instanceof NatsError)) throw error;
    throw new OperatorError(`Cannot open bucket ${options.name}: ${error.message}: may this login use it?`, {
      cause: error,
    });
  }
}

async function openChecked({ nc, name, replicas, requestWaitMs }: BucketOptions): Promise<KV> {
  const js = nc.jetstream({ timeout: requestWaitMs });
  const manager = await js.jetstreamManager(false);
  const stream = `KV_${name}`;
  const isThere = await manager.streams.info(stream).then(() => true, (error) => {
    if (hasCode(error, streamNotFoundCode)) return false;
    throw error;
  });
  const kv = await js.views.kv(
    name,
    isThere ? { bindOnly: true } : { history: 1, storage: StorageType.File, replicas },
  );
  const problems = bucketProblems((await manager.streams.info(stream)).config);
  if (problems.length > 0) throw new OperatorError(`Cannot use bucket ${name}: ${problems.join("; ")}`);
  return kv;
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

function hasCode(error: unknown, code: number): boolean {
  return error instanceof NatsError && error.jsError()?.err_code === code;
}

class KvBucket implements Bucket {
  readonly #options: BucketOptions;
  #kv: KV;

  constructor(options: BucketOptions, kv: KV) {
    this.#options = options;
    this.#kv = kv;
  }

  async get(key: string): Promise<Saved> {
    const entry = await this.#ask((kv) => kv.get(key));
    if (entry === null) return { value: null, revision: 0 };
    return { value: entry.operation === "PUT" ? entry.value : null, revision: entry.revision };
  }

  async put(key: string, value: Uint8Array, revision: number): Promise<number> {
    return await this.#ask((kv) => kv.put(key, value, { previousSeq: revision }));
  }

  /** A bucket that was deleted is made again: what it held can be had from the log. */
  async #ask<T>(request: (kv: KV) => Promise<T>): Promise<T> {
    try {
      return await request(this.#kv);
    } catch (error) {
      if (hasCode(error, wrongLastSequenceCode)) {
        throw new ConflictError("another worker has written the checkpoint or the lease");
      }
      if (!(error instanceof NatsError)) throw error;
      if (hasCode(error, streamNotFoundCode) || error.code === noRespondersCode) await this.#openAgain();
      throw new TransientError(`The bucket did not answer as it should: ${error.message}`, { cause: error });
    }
  }

  async #openAgain(): Promise<void> {
    try {
      this.#kv = await openChecked(this.#options);
    } catch (error) {
      if (!(error instanceof NatsError)) throw error;
      throw new TransientError(`The bucket could not be opened again: ${error.message}`, { cause: error });
    }
  }
}
