/**
 * Publishing with acknowledgement at low cost: one subscription for all acknowledgements, one queue of what is in
 * flight, one timer for what stays away.
 */
import { TransientError } from "../errors.ts";
import { type Acknowledgement, ConflictError, UnrecordableError } from "../worker/ports.ts";
import type { Msg, MsgHdrs, Subscription } from "./client.ts";
import type { Connection } from "./connection.ts";

/** How long an acknowledgement may take, in milliseconds. */
const acknowledgementWaitMs = 2_000;
const sweepEveryMs = 250;

/** JetStream: "message size exceeds maximum allowed" (the stream's `max_msg_size`). */
const messageTooLargeCode = 10054;
/** JetStream: the header `Nats-Expected-Last-Subject-Sequence` named another seq. */
const wrongLastSeqCode = 10071;

/** Why nothing took a message: there is no such stream, or it has no leader. */
export class NoStreamError extends Error {
  override readonly name = "NoStreamError";
}

/** A message for a stream. */
interface StreamMessage {
  readonly subject: string;
  readonly headers: MsgHdrs;
  readonly data: Uint8Array;
}

interface Waiting {
  /** What its reply subject ends with. */
  readonly number: number;
  readonly resolve: (acknowledgement: Acknowledgement) => void;
  readonly reject: (error: Error) => void;
  readonly overdueMs: number;
}

export class AcknowledgedPublisher implements Disposable {
  readonly #connection: Connection;
  readonly #subscription: Subscription;
  /** In the order of sending, in which nearly all are acknowledged. No map, for the reason that `Recorder` has. */
  readonly #waiting: Waiting[] = [];
  readonly #sweep: ReturnType<typeof setInterval>;
  readonly #prefix: string;
  #next = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#prefix = `${connection.inbox}.ack.`;
    this.#subscription = connection.nc.subscribe(`${this.#prefix}*`, {
      // An error is of the subscription, and the connection says it.
      callback: (error, message) => error === null && this.#acknowledged(message),
    });
    this.#sweep = setInterval(() => this.#rejectOverdue(), sweepEveryMs);
  }

  /**
   * @throws {TransientError} when no acknowledgement came, or the stream cannot take anything now; with a
   * {@link NoStreamError} as its cause where there is none
   * @throws {ConflictError} when the subject's last message is another one than the headers expect
   * @throws {UnrecordableError} when the message is too large for the server or the stream
   */
  publish({ subject, headers, data }: StreamMessage): Promise<Acknowledgement> {
    const { info } = this.#connection.nc;
    if (info && data.length > info.max_payload) {
      return Promise.reject(
        new UnrecordableError(`the server takes ${info.max_payload} bytes: got ${data.length}`),
      );
    }
    const number = this.#next++;
    return new Promise((resolve, reject) => {
      const overdueMs = performance.now() + acknowledgementWaitMs;
      this.#waiting.push({ number, resolve, reject, overdueMs });
      try {
        this.#connection.nc.publish(subject, data, { reply: this.#prefix + number, headers });
      } catch (error) {
        this.#take(number);
        reject(new TransientError(`Cannot publish: ${error instanceof Error ? error.message : error}`));
      }
    });
  }

  #acknowledged(message: Msg): void {
    const waiting = this.#take(Number(message.subject.slice(this.#prefix.length)));
    if (!waiting) return;
    try {
      waiting.resolve(acknowledgementOf(message));
    } catch (error) {
      waiting.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #take(number: number): Waiting | undefined {
    const at = this.#waiting.findIndex((waiting) => waiting.number === number);
    return at < 0 ? undefined : this.#waiting.splice(at, 1)[0];
  }

  #rejectOverdue(): void {
    const nowMs = performance.now();
    const inTime = this.#waiting.findIndex(({ overdueMs }) => overdueMs > nowMs);
    for (const { reject } of this.#waiting.splice(0, inTime < 0 ? this.#waiting.length : inTime)) {
      reject(new TransientError(`no acknowledgement in ${acknowledgementWaitMs} ms`));
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#sweep);
    this.#subscription.unsubscribe();
    for (const { reject } of this.#waiting.splice(0)) {
      reject(new TransientError("the publisher was closed"));
    }
  }
}

interface PublishAnswer {
  readonly seq?: number;
  readonly duplicate?: boolean;
  readonly error?: { readonly code?: number; readonly err_code?: number; readonly description?: string };
}

function acknowledgementOf(message: Msg): Acknowledgement {
  if (message.data.length === 0) {
    const cause = new NoStreamError(`status ${message.headers?.code}`);
    throw new TransientError("no stream took it", { cause });
  }
  const { seq, duplicate, error } = message.json<PublishAnswer>();
  if (error?.err_code === messageTooLargeCode) {
    throw new UnrecordableError(error.description ?? "the message is too large");
  }
  if (error?.err_code === wrongLastSeqCode) {
    throw new ConflictError(error.description ?? "the subject's last message is another one");
  }
  // Seq 0: a cluster knows the id, but has not stored the message yet (nats-server 2.10 and 2.11).
  if (error || !seq) {
    throw new TransientError(`the stream did not take it: ${error?.description ?? "it is on its way"}`);
  }
  return { seq, isDuplicate: duplicate === true };
}
