/** What a test holds back, and how it stands between a worker and its real ports. */
import type { LogMessage } from "../../src/log/log_message.ts";
import type {
  Acknowledgement,
  Bucket,
  Log,
  LogReader,
  OutputMessage,
  Saved,
} from "../../src/worker/ports.ts";
import { within } from "./within.ts";
import type { WorkerPorts } from "./worker_in_process.ts";

/** Whoever passes while it is closed waits until it is opened. Disposing opens it for good. */
export class Gate implements Disposable {
  #isOpen = true;
  #held: (() => void)[] = [];
  #watching: (() => void)[] = [];

  close(): void {
    this.#isOpen = false;
  }

  open(): void {
    this.#isOpen = true;
    for (const go of this.#held.splice(0)) go();
  }

  [Symbol.dispose](): void {
    this.open();
  }

  get heldCount(): number {
    return this.#held.length;
  }

  async pass(): Promise<void> {
    if (this.#isOpen) return;
    const going = new Promise<void>((resolve) => this.#held.push(resolve));
    for (const look of this.#watching.splice(0)) look();
    await going;
  }

  /** Resolves when so many wait at it. */
  async whenHeld(count = 1): Promise<void> {
    const waiting = async (): Promise<void> => {
      while (this.#held.length < count) await new Promise<void>((resolve) => this.#watching.push(resolve));
    };
    await within(waiting(), () => `${count} held at a gate: got ${this.#held.length}`);
  }
}

/** Each is given what the real port would do, and does it, or not. */
export interface Hooks {
  readonly record?: (
    message: OutputMessage,
    publish: () => Promise<Acknowledgement>,
  ) => Promise<Acknowledgement>;
  readonly read?: (open: () => Promise<LogReader>) => Promise<LogReader>;
  readonly message?: (message: LogMessage) => LogMessage;
  readonly get?: (key: string, get: () => Promise<Saved>) => Promise<Saved>;
  readonly put?: (key: string, put: () => Promise<number>) => Promise<number>;
  readonly keys?: (list: () => Promise<readonly string[]>) => Promise<readonly string[]>;
}

/** The ports of a worker, with the hooks in front of them. */
export function hooked(hooks: Hooks): (ports: WorkerPorts) => WorkerPorts {
  return ({ log, readLane, bucket }) => ({
    log: hookedLog(log, hooks),
    readLane: { serve: (handle) => readLane.serve(handle) },
    bucket: hookedBucket(bucket, hooks),
  });
}

function hookedLog(log: Log, { record, read, message }: Hooks): Log {
  return {
    state: () => log.state(),
    read: async (options) => {
      const open = (): Promise<LogReader> => log.read(options);
      const reader = await (read ? read(open) : open());
      return message ? hookedReader(reader, message) : reader;
    },
    get: (seq) => log.get(seq),
    record: (output) => record ? record(output, () => log.record(output)) : log.record(output),
    shorten: (firstSeq) => log.shorten(firstSeq),
    tell: (subject, data) => log.tell(subject, data),
  };
}

function hookedReader(reader: LogReader, change: (message: LogMessage) => LogMessage): LogReader {
  return {
    next: async () => (await reader.next()).map(change),
    get pending() {
      return reader.pending;
    },
    get isOpen() {
      return reader.isOpen;
    },
    fail: (error) => reader.fail(error),
    close: () => reader.close(),
  };
}

function hookedBucket(bucket: Bucket, { get, put, keys }: Hooks): Bucket {
  return {
    keys: (prefix) => keys ? keys(() => bucket.keys(prefix)) : bucket.keys(prefix),
    get: (key) => get ? get(key, () => bucket.get(key)) : bucket.get(key),
    put: (key, value, revision) => {
      const write = (): Promise<number> => bucket.put(key, value, revision);
      return put ? put(key, write) : write();
    },
  };
}
