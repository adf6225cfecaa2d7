/** The checkpoint bucket: a JetStream key-value bucket, made where it is missing (R1). */
import { OperatorError, TransientError } from "../errors.ts";
import { type Bucket, ConflictError, type Saved } from "../worker/ports.ts";
import { messageBytesMax } from "../worker/answering.ts";
import { type KV, type NatsConnection, NatsError, StorageType } from "./client.ts";

/** JetStream: "wrong last sequence". */
const wrongLastSequenceCode = 10071;
const streamNotFoundCode = 10059;

export interface BucketOptions {
  readonly nc: NatsConnection;
  readonly name: string;
  readonly replicas: number;
  readonly requestWaitMs: number;
}

/** @throws {OperatorError} when the bucket cannot be made, or cannot serve */
export async function openBucket({ nc, name, replicas, requestWaitMs }: BucketOptions): Promise<Bucket> {
  try {
    const js = nc.jetstream({ timeout: requestWaitMs });
    const manager = await js.jetstreamManager(false);
    const stream = `KV_${name}`;
    const isThere = await manager.streams.info(stream).then(() => true, (error) => {
      if (error instanceof NatsError && error.jsError()?.err_code === streamNotFoundCode) return false;
      throw error;
    });
    const kv = isThere
      ? await js.views.kv(name, { bindOnly: true })
      : await js.views.kv(name, { history: 1, storage: StorageType.File, replicas });
    const { config } = await manager.streams.info(stream);
    const problems = [
      ...(config.storage === StorageType.File ? [] : [`storage must be file: got ${config.storage}`]),
      ...(config.max_age > 0
        ? [`its values must not expire (ttl, max_age must be 0): got ${config.max_age} ns`]
        : []),
      ...(config.max_msg_size >= 0 && config.max_msg_size < messageBytesMax
        ? [`max_value_size must be -1 or at least ${messageBytesMax}: got ${config.max_msg_size}`]
        : []),
    ];
    if (problems.length > 0) throw new OperatorError(`Cannot use bucket ${name}: ${problems.join("; ")}`);
    return new KvBucket(kv);
  } catch (error) {
    if (!(error instanceof NatsError)) throw error;
    throw new OperatorError(`Cannot open bucket ${name}: ${error.message}: may this login use it?`, {
      cause: error,
    });
  }
}

class KvBucket implements Bucket {
  readonly #kv: KV;

  constructor(kv: KV) {
    this.#kv = kv;
  }

  async get(key: string): Promise<Saved> {
    const entry = await orTransient(() => this.#kv.get(key));
    if (entry === null) return { value: null, revision: 0 };
    return { value: entry.operation === "PUT" ? entry.value : null, revision: entry.revision };
  }

  async put(key: string, value: Uint8Array, revision: number): Promise<number> {
    return await orTransient(() => this.#kv.put(key, value, { previousSeq: revision }));
  }
}

async function orTransient<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof NatsError)) throw error;
    if (error.jsError()?.err_code === wrongLastSequenceCode) {
      throw new ConflictError("another worker has written the checkpoint or the lease");
    }
    throw new TransientError(`The bucket did not answer as it should: ${error.message}`, { cause: error });
  }
}
