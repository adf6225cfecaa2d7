/** The outside world, as the worker sees it: one log and one lane of reads. `nats/` fulfils it. */
import type { LogMessage } from "../log/log_message.ts";

/** The stream as it is now. */
export interface LogState {
  /** The stream's creation time, as the server writes it: the stream's identity. */
  readonly created: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Messages that are missing between first and last. */
  readonly deletedCount: number;
  /** How long the server knows a message id, in milliseconds. */
  readonly duplicateWindowMs: number;
  /** Whether several servers have it, of which one that was cut off may answer by what it knows. */
  readonly isReplicated: boolean;
  /** What keeps the stream from serving, each with its cure (R1); none where it can serve. */
  readonly problems: readonly string[];
}

export interface ReadOptions {
  /** The reader gives the messages after this seq. */
  readonly afterSeq: number;
  /** All of the log, all inputs, both lanes of one pod (perhaps among messages of others), or the inputs of one. */
  readonly only: "everything" | "inputs" | { readonly pod: string } | { readonly inputsOf: string };
  /** Messages that may be asked for ahead; a good number where it is not given. */
  readonly messagesMax?: number;
}

/** Messages in log order, without gaps within what was asked for. */
export interface LogReader {
  /**
   * The next messages, at least one, as soon as there are any.
   *
   * @throws {TransientError} when the reader has ended: make a new one after the last message
   */
  next(): Promise<readonly LogMessage[]>;
  /** Messages that matched and were still to come, when the last one left the server. */
  readonly pending: number;
  /** Whether more may come: not after it was interrupted, whoever may have done it. */
  readonly isOpen: boolean;
  /** Makes the current and every further `next` throw the error. */
  fail(error: Error): void;
  close(): Promise<void>;
}

export interface OutputMessage {
  readonly subject: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly data: Uint8Array;
  /** `Nats-Msg-Id`: the server keeps the first of a kind within its duplicate window. */
  readonly messageId: string;
}

export interface Acknowledgement {
  readonly seq: number;
  /** The server says that it had a message of this id already, at `seq`. */
  readonly isDuplicate: boolean;
}

/** The server will never take this message. */
export class UnrecordableError extends Error {
  override readonly name = "UnrecordableError";
}

export interface Log {
  /** @throws {TransientError} when the server does not answer */
  state(): Promise<LogState>;
  /** @throws {TransientError} when the server does not answer */
  read(options: ReadOptions): Promise<LogReader>;
  /**
   * The message at a seq; null where the log has none.
   *
   * @throws {TransientError} when the server does not answer
   */
  get(seq: number): Promise<LogMessage | null>;
  /**
   * @throws {TransientError} when no acknowledgement came: it may be in the log or not
   * @throws {UnrecordableError} when the server will never take it
   */
  record(message: OutputMessage): Promise<Acknowledgement>;
  /**
   * Throws away everything before `firstSeq`.
   *
   * @throws {TransientError} when the server does not answer
   */
  shorten(firstSeq: number): Promise<void>;
  /** A core message for whoever listens: only for copies of what is recorded. */
  tell(subject: string, data: Uint8Array): void;
}

/** A request on the reading lane. */
export interface ReadRequest {
  readonly subject: string;
  readonly data: Uint8Array;
  respond(data: Uint8Array): void;
}

export interface ReadLane {
  /** Serves until the returned function is called. */
  serve(handle: (request: ReadRequest) => void): () => void;
}

/** A value of the checkpoint bucket. */
export interface Saved {
  /** Null where the key was deleted or never written. */
  readonly value: Uint8Array | null;
  /** Rises with each write of the key; 0 where it was never written. */
  readonly revision: number;
}

/** Somebody else has written the key: whoever leads, it is not us any more. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
}

/** The checkpoint bucket: every write is a compare-and-set. */
export interface Bucket {
  /**
   * Keys that begin with the prefix, those of deleted values perhaps among them.
   *
   * @param prefix ends with a dot
   * @throws {TransientError} when the server does not answer
   */
  keys(prefix: string): Promise<readonly string[]>;
  /** @throws {TransientError} when the server does not answer */
  get(key: string): Promise<Saved>;
  /**
   * @param revision the one last read
   * @returns the new revision
   * @throws {ConflictError} when the key has another revision
   * @throws {TransientError} when the server does not answer: the value may be written or not
   * @throws {UnrecordableError} when the server will never take it
   */
  put(key: string, value: Uint8Array, revision: number): Promise<number>;
}

/** The checkpoint bucket for who only reads it. */
export type ReadableBucket = Pick<Bucket, "get" | "keys">;
