/** The world of the commands in memory: streams that are kept, files that are given, a log with or without a worker. */
import type { Command } from "../../src/cli/command.ts";
import { readArgv } from "../../src/cli/argv.ts";
import type { HeardOutput, Remote, World } from "../../src/cli/ports.ts";
import { OperatorError, TransientError } from "../../src/errors.ts";
import type { LogMessage } from "../../src/log/log_message.ts";
import type { Log, LogReader, LogState, ReadableBucket, ReadOptions } from "../../src/worker/ports.ts";
import { MemoryBucket } from "./memory_bucket.ts";
import { MemoryFolder } from "./memory_folder.ts";
import { MemoryLog, MemoryWorker, streamCreated, subjects } from "./memory_log.ts";

export interface MemoryWorldOptions {
  /** Keyed by path. */
  readonly files?: { readonly [path: string]: string };
  readonly folder?: MemoryFolder;
  readonly log?: MemoryLog;
  readonly bucket?: ReadableBucket;
  /** Whether a worker answers what is published. */
  readonly isServed?: boolean;
  readonly isTerminal?: boolean;
}

/** What a command printed and how it ended. */
export interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export class MemoryWorld implements World {
  readonly config = { stream: "TASKS", bucket: "TASKS_CHECKPOINT", keepAgeMs: 0, keepMessages: 0 };
  readonly subjects = subjects;
  readonly log: MemoryLog;
  readonly bucket: ReadableBucket;
  readonly isColored = false;
  readonly stopping = new AbortController();
  readonly stop = this.stopping.signal;
  readonly out: World["out"];
  readonly err: World["err"];
  readonly files: { readonly [path: string]: string };
  /** Whatever folder is named. */
  readonly folder: MemoryFolder;
  size = { columns: 80, rows: 24 };
  /** Where the log's clock stands, which counts a second for each message. */
  now = 60_000;
  printed = "";
  said = "";
  readonly #isServed: boolean;
  #ids = 0;

  constructor(options: MemoryWorldOptions = {}) {
    const { files = {}, log = new MemoryLog(), isServed = true, isTerminal = false } = options;
    this.files = files;
    this.folder = options.folder ?? new MemoryFolder();
    this.log = log;
    this.bucket = options.bucket ?? new MemoryBucket();
    this.#isServed = isServed;
    this.out = { isTerminal, write: (text) => Promise.resolve(void (this.printed += text)) };
    this.err = { isTerminal, write: (text) => void (this.said += text) };
  }

  readonly terminalSize = () => this.size;
  readonly nowMs = () => this.now;
  /** Unique also among the worlds that share a log. */
  readonly freshId = () => `fresh-${this.log.messages.length + ++this.#ids}`;
  readonly serve = () => Promise.resolve();

  readonly openFile = (path: string) => {
    const text = this.files[path];
    if (text === undefined) return Promise.reject(new OperatorError(`Cannot read ${path}`));
    const bytes = new TextEncoder().encode(text);
    return Promise.resolve({
      bytesTotal: bytes.length,
      async *[Symbol.asyncIterator]() {
        for (let start = 0; start < bytes.length; start += 7) yield await bytes.subarray(start, start + 7);
      },
    });
  };

  readonly openFolder = () => this.folder;

  readonly openRemote = () => Promise.resolve(new MemoryRemote(this.log, this.bucket, this.#isServed));
}

/** Runs a command as `main.ts` does. @throws what the command throws */
export async function runCommand(world: MemoryWorld, command: Command, ...args: string[]): Promise<Printed> {
  const asked = readArgv([command.name, ...args], [command]);
  if (asked.wants !== "run") throw new Error(`Expected a command line that runs: got one for ${asked.wants}`);
  if (asked.problems.length > 0) throw new Error(asked.problems.join());
  const code = await command.run(world, asked.given);
  return { code, out: world.printed, err: world.said };
}

class MemoryRemote implements Remote {
  readonly log: Log;
  readonly bucket: ReadableBucket;
  /** Keyed by pod. */
  readonly #listeners = new Map<string, (output: HeardOutput) => void>();

  constructor(memory: MemoryLog, bucket: ReadableBucket, isServed: boolean) {
    this.bucket = bucket;
    const worker = isServed ? new MemoryWorker(memory) : null;
    const unused = (): never => {
      throw new Error("Expected no command to do this");
    };
    this.log = {
      state: () => Promise.resolve(stateOf(memory)),
      read: (options) => Promise.resolve(new MemoryReader(memory, options)),
      get: (seq) => Promise.resolve(memory.at(seq) ?? null),
      record: ({ subject, data, headers, messageId }) => {
        const { seq } = memory.publish(subject, data, {
          ...Object.fromEntries(headers),
          "Nats-Msg-Id": messageId,
        });
        for (const output of worker?.settle() ?? []) this.#tell(output);
        return Promise.resolve({ seq, isDuplicate: false });
      },
      shorten: unused,
      tell: unused,
    };
  }

  listen(pod: string, take: (output: HeardOutput) => void): () => void {
    this.#listeners.set(pod, take);
    return () => this.#listeners.delete(pod);
  }

  erase(): Promise<number> {
    return Promise.reject(new Error("Expected no command to do this"));
  }

  #tell(output: LogMessage): void {
    this.#listeners.get(subjects.parse(output.subject)?.pod ?? "")?.(output);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

export function stateOf({ messages }: MemoryLog): LogState {
  const firstSeq = messages[0]?.seq ?? 1;
  const lastSeq = messages.at(-1)?.seq ?? 0;
  const deletedCount = lastSeq - firstSeq + 1 - messages.length;
  return {
    created: streamCreated,
    firstSeq,
    lastSeq,
    deletedCount,
    duplicateWindowMs: 120_000,
    isReplicated: false,
    problems: [],
  };
}

const pollMs = 5;

/** Gives everything of the log but to who asks for one pod's inputs, as a reader may. */
export class MemoryReader implements LogReader {
  readonly #memory: MemoryLog;
  #afterSeq: number;
  /** What the subjects of one pod's inputs begin with; null for all there is. */
  readonly #within: string | null;
  #failure: Error | null = null;
  #poll = Promise.resolve();

  constructor(memory: MemoryLog, { afterSeq, only }: ReadOptions) {
    this.#memory = memory;
    this.#within = typeof only === "object" && "inputsOf" in only ? subjects.input(only.inputsOf, "") : null;
    this.#afterSeq = afterSeq;
  }

  get #left(): readonly LogMessage[] {
    return this.#memory.messages.filter(({ seq, subject }) =>
      seq > this.#afterSeq && (this.#within === null || subject.startsWith(this.#within))
    );
  }

  get pending(): number {
    return this.#left.length;
  }

  async next(): Promise<readonly LogMessage[]> {
    while (this.pending === 0 && this.#failure === null) {
      this.#poll = new Promise((resolve) => setTimeout(resolve, pollMs));
      await this.#poll;
    }
    if (this.#failure) throw this.#failure;
    const messages = this.#left;
    this.#afterSeq = messages.at(-1)?.seq ?? this.#afterSeq;
    return messages;
  }

  get isOpen(): boolean {
    return this.#failure === null;
  }

  fail(error: Error): void {
    this.#failure ??= error;
  }

  async close(): Promise<void> {
    this.fail(new TransientError("closed"));
    await this.#poll;
  }
}
