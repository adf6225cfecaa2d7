/** The outside world, as the commands see it. `main.ts` and `nats/remote.ts` fulfil it. */
import type { Config } from "../config/settings.ts";
import type { Folder } from "../files/folder.ts";
import type { LogMessage } from "../log/log_message.ts";
import type { Subjects } from "../log/subjects.ts";
import type { Log, ReadableBucket } from "../worker/ports.ts";

/** A log that somebody else's worker serves: read, and published to, but never made. */
export interface Remote extends AsyncDisposable {
  readonly log: Log;
  /** The checkpoint; empty where there is none. */
  readonly bucket: ReadableBucket;
  /** Hands on the pod's outputs that are published from now on, until the returned function is called. */
  listen(pod: string, take: (output: HeardOutput) => void): () => void;
  /**
   * Throws away a pod's inputs and outputs before a seq; how many there were.
   *
   * @throws {TransientError} when the server does not answer
   */
  erase(pod: string, beforeSeq: number): Promise<number>;
}

/** What pods are read from. */
export type LogAndCheckpoint = Pick<Remote, "log" | "bucket">;

/** An output on its way to whoever listens: it may reach them before, or without, its record (R8). */
export type HeardOutput = Pick<LogMessage, "subject" | "data" | "header">;

/** Standard output. */
export interface TextOutput {
  readonly isTerminal: boolean;
  /** @throws {Deno.errors.BrokenPipe} when nobody reads any more */
  write(text: string): Promise<void>;
}

/** Standard error: written before the call returns, or lost where nobody takes it. */
export interface SideOutput {
  readonly isTerminal: boolean;
  write(text: string): void;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Bytes that are read once, from their beginning. */
export interface ByteSource extends AsyncIterable<Uint8Array> {
  /** Null where it is not known: standard input. */
  readonly bytesTotal: number | null;
}

export interface World {
  /** What the log and the checkpoint are called, and how long the log is kept. */
  readonly config: Pick<Config, "stream" | "bucket" | "keepAgeMs" | "keepMessages">;
  readonly subjects: Subjects;
  readonly out: TextOutput;
  readonly err: SideOutput;
  /** Whether colours may be used on `out`. */
  readonly isColored: boolean;
  /** Aborted when the command shall end. */
  readonly stop: AbortSignal;
  /** Of the terminal that `out` is, as it is now. */
  terminalSize(): TerminalSize;
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Fit for a `call_id`, never given twice. */
  freshId(): string;
  /**
   * @param path `-` is standard input
   * @throws {OperatorError} when it cannot be opened
   */
  openFile(path: string): Promise<ByteSource>;
  /** Nothing is looked at before it is asked for. */
  openFolder(path: string): Folder;
  /** @throws {OperatorError} when no server is found or answers, or it has no such stream */
  openRemote(): Promise<Remote>;
  /** The worker itself, until `stop`. */
  serve(): Promise<void>;
}
