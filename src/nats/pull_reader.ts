/**
 * Reads the log in order by a consumer of its own: pulls as much as it has room for, notices every gap and every
 * silence, and ends with an error where a new reader has to take over.
 */
import { TransientError } from "../errors.ts";
import type { LogMessage } from "../log/log_message.ts";
import type { LogReader } from "../worker/ports.ts";
import {
  AckPolicy,
  DeliverPolicy,
  type JetStreamManager,
  type Msg,
  nanos,
  type Subscription,
} from "./client.ts";
import type { Connection } from "./connection.ts";
import { DeliveredMessage, deliveryOf } from "./nats_message.ts";

interface PullReaderOptions {
  readonly connection: Connection;
  readonly manager: JetStreamManager;
  readonly stream: string;
  readonly afterSeq: number;
  /** One subject filter; null for the whole stream. */
  readonly filter: string | null;
  /** Messages that may be asked for and not yet taken. */
  readonly messagesMax: number;
  readonly timing?: PullTiming;
}

interface PullTiming {
  /** How long the server keeps a pull that nothing comes for. */
  readonly expiresMs: number;
  /** How often it says meanwhile that it is there: at most half of that. */
  readonly heartbeatMs: number;
  /** A server that says nothing for so long, although it should, is not there any more. */
  readonly silenceMaxMs: number;
}

/** Bytes that one pull may bring. */
const pullBytesMax = 16 * 1024 * 1024;
const usualTiming: PullTiming = { expiresMs: 20_000, heartbeatMs: 2_000, silenceMaxMs: 6_000 };
/** A consumer that is not deleted in time runs out by itself. */
const deleteWaitMs = 1_000;
/** How long a consumer outlives a worker that was killed. */
const consumerLifeMs = 30_000;

export class PullReader implements LogReader {
  readonly #options: PullReaderOptions;
  readonly #timing: PullTiming;
  readonly #consumer: string;
  readonly #subscription: Subscription;
  readonly #stopListening: () => void;
  readonly #watch: ReturnType<typeof setInterval>;
  #arrived: LogMessage[] = [];
  #wake: (() => void) | null = null;
  #failure: Error | null = null;
  /** Messages asked for that have not arrived. */
  #asked = 0;
  #consumerSeq = 0;
  #pending: number;
  #heardMs = performance.now();

  private constructor(options: PullReaderOptions, consumer: string, pending: number) {
    this.#options = options;
    this.#timing = options.timing ?? usualTiming;
    this.#consumer = consumer;
    this.#pending = pending;
    const { connection } = options;
    this.#subscription = connection.nc.subscribe(this.#inbox, {
      callback: (error, message) =>
        error ? this.fail(new TransientError(error.message)) : this.#take(message),
    });
    this.#stopListening = connection.onDisconnect(() =>
      this.fail(new TransientError("the connection was lost"))
    );
    this.#watch = setInterval(() => this.#listen(), this.#timing.heartbeatMs);
    this.#pull();
  }

  /** @throws {Error} of the client library when the consumer cannot be made */
  static async open(options: PullReaderOptions): Promise<PullReader> {
    const { manager, stream, afterSeq, filter } = options;
    const info = await manager.consumers.add(stream, {
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: afterSeq + 1,
      mem_storage: true,
      num_replicas: 1,
      inactive_threshold: nanos(consumerLifeMs),
      ...(filter === null ? {} : { filter_subject: filter }),
    });
    return new PullReader(options, info.name, info.num_pending);
  }

  get #inbox(): string {
    return `${this.#options.connection.inbox}.read.${this.#consumer}`;
  }

  get pending(): number {
    return this.#pending + this.#arrived.length;
  }

  async next(): Promise<readonly LogMessage[]> {
    while (this.#arrived.length === 0 && this.#failure === null) {
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    if (this.#failure) throw this.#failure;
    const messages = this.#arrived;
    this.#arrived = [];
    if (this.#asked <= this.#options.messagesMax / 2) this.#pull();
    return messages;
  }

  get isOpen(): boolean {
    return this.#failure === null;
  }

  fail(error: Error): void {
    this.#failure ??= error;
    this.#wake?.();
  }

  #pull(): void {
    const { connection, stream, messagesMax } = this.#options;
    const request = {
      batch: messagesMax - this.#asked,
      max_bytes: pullBytesMax,
      expires: nanos(this.#timing.expiresMs),
      idle_heartbeat: nanos(this.#timing.heartbeatMs),
    };
    this.#asked = messagesMax;
    this.#heardMs = performance.now();
    connection.nc.publish(
      `$JS.API.CONSUMER.MSG.NEXT.${stream}.${this.#consumer}`,
      new TextEncoder().encode(JSON.stringify(request)),
      { reply: this.#inbox },
    );
  }

  #take(message: Msg): void {
    this.#heardMs = performance.now();
    const delivery = deliveryOf(message);
    if (delivery === null) return this.#takeStatus(message);
    if (delivery.consumerSeq !== ++this.#consumerSeq) {
      return this.fail(new TransientError(`message ${this.#consumerSeq} of the consumer did not arrive`));
    }
    this.#asked--;
    this.#pending = delivery.pending;
    this.#arrived.push(new DeliveredMessage(message, delivery, this.#heardMs));
    this.#wake?.();
  }

  /** 100: heartbeat. 408, 409 with pending messages: a pull has ended. Anything else: the consumer is gone. */
  #takeStatus({ headers }: Msg): void {
    const code = headers?.code ?? 503;
    if (code === 100) return;
    const hasEnded = code === 404 || code === 408 || (code === 409 && headers?.has("Nats-Pending-Messages"));
    if (!hasEnded) {
      return this.fail(new TransientError(`the server ended the reading: ${code} ${headers?.description}`));
    }
    this.#asked -= Number(headers?.get("Nats-Pending-Messages") || this.#asked);
    if (this.#asked <= this.#options.messagesMax / 2 && this.#arrived.length === 0) this.#pull();
  }

  #listen(): void {
    const { silenceMaxMs } = this.#timing;
    // Heartbeats are owed only while something is asked for.
    if (this.#asked > 0 && performance.now() - this.#heardMs > silenceMaxMs) {
      this.fail(new TransientError(`the server was silent for ${silenceMaxMs} ms`));
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    this.#stopListening();
    this.fail(new TransientError("the reader was closed"));
    const { connection, stream } = this.#options;
    if (connection.nc.isClosed()) return;
    this.#subscription.unsubscribe();
    if (!connection.isConnected) return;
    const subject = `$JS.API.CONSUMER.DELETE.${stream}.${this.#consumer}`;
    await connection.nc.request(subject, undefined, { timeout: deleteWaitMs }).catch(() => {});
  }
}
