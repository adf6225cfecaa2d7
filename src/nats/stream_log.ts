/** The log as the worker's port, on a JetStream stream. */
import { TransientError } from "../errors.ts";
import type { LogMessage } from "../log/log_message.ts";
import type { Subjects } from "../log/subjects.ts";
import type {
  Acknowledgement,
  Log,
  LogReader,
  LogState,
  OutputMessage,
  ReadLane,
  ReadOptions,
  ReadRequest,
} from "../worker/ports.ts";
import type { Logger } from "../logger.ts";
import type { AcknowledgedPublisher } from "./acknowledged_publisher.ts";
import { isNoMessage, isStreamNotFound } from "./api_errors.ts";
import { type JetStreamManager, MsgHdrsImpl, NatsError, type StreamInfo } from "./client.ts";
import type { Connection } from "./connection.ts";
import { bytesOf, valueOf } from "./nats_message.ts";
import { PullReader } from "./pull_reader.ts";
import { streamProblems } from "./stream.ts";

export const requestWaitMs = 3_000;

/** Messages asked for ahead: many where much is to be read, fewer where each is to be decided. */
const replayMessagesMax = 4_000;
const liveMessagesMax = 1_000;

interface StreamLogOptions {
  readonly connection: Connection;
  readonly manager: JetStreamManager;
  readonly publisher: AcknowledgedPublisher;
  readonly stream: string;
  readonly subjects: Subjects;
  readonly logger: Logger;
}

export class StreamLog implements Log, ReadLane {
  readonly #options: StreamLogOptions;
  #isGone = false;

  constructor(options: StreamLogOptions) {
    this.#options = options;
  }

  async state(): Promise<LogState> {
    const { subjects } = this.#options;
    const { created, state, config } = await this.#info();
    return {
      created: String(created),
      firstSeq: state.first_seq,
      lastSeq: state.last_seq,
      deletedCount: state.num_deleted ?? 0,
      duplicateWindowMs: config.duplicate_window / 1e6,
      isReplicated: config.num_replicas > 1,
      problems: streamProblems(config, subjects),
    };
  }

  read(
    { afterSeq, only, messagesMax = only === "inputs" ? liveMessagesMax : replayMessagesMax }: ReadOptions,
  ): Promise<LogReader> {
    const { connection, manager, stream, subjects } = this.#options;
    const filter = filterOf(only, subjects, takesWideFilters(connection.nc.info?.version ?? ""));
    return this.#ask(() => PullReader.open({ connection, manager, stream, afterSeq, filter, messagesMax }));
  }

  async get(seq: number): Promise<LogMessage | null> {
    const { manager, stream } = this.#options;
    try {
      const message = await this.#ask(() => manager.streams.getMessage(stream, { seq }));
      const { subject, header, time } = message;
      const data = bytesOf(message);
      return { seq, timeMs: time.getTime(), subject, data, header: (name) => valueOf(header, name) };
    } catch (error) {
      if (isNoMessage(error)) return null;
      throw error;
    }
  }

  /** Says loudly, once, when the stream is not there: nobody here makes it again. */
  async #info(): Promise<StreamInfo> {
    const { manager, stream, logger } = this.#options;
    try {
      const info = await this.#ask(() => manager.streams.info(stream));
      this.#isGone = false;
      return info;
    } catch (error) {
      const isGone = error instanceof TransientError && isStreamNotFound(error.cause);
      if (isGone && !this.#isGone) {
        logger.error("the stream is gone: waiting until it is there again", { stream });
      }
      this.#isGone ||= isGone;
      throw error;
    }
  }

  record({ subject, headers: values, data, messageId }: OutputMessage): Promise<Acknowledgement> {
    const fields: { [name: string]: string[] } = { "Nats-Msg-Id": [messageId] };
    for (const [name, value] of values) fields[name] = [value];
    // Texts of our own: `headers()` would look at each of them, letter by letter.
    return this.#options.publisher.publish({ subject, headers: MsgHdrsImpl.fromRecord(fields), data });
  }

  async shorten(firstSeq: number): Promise<void> {
    const { manager, stream } = this.#options;
    await this.#ask(() => manager.streams.purge(stream, { seq: firstSeq }));
  }

  tell(subject: string, data: Uint8Array): void {
    this.#options.connection.nc.publish(subject, data);
  }

  serve(handle: (request: ReadRequest) => void): () => void {
    const { connection, subjects, logger } = this.#options;
    const subscription = connection.nc.subscribe(subjects.allReads, {
      // An exception here would leave the connection deaf.
      callback: (error, message) => {
        try {
          if (error) throw error;
          const { subject, data, reply } = message;
          if (reply === undefined || !isInbox(reply)) {
            return logger.debug("no answer to a read: its reply subject is no inbox", { subject, reply });
          }
          handle({ subject, data, respond: (answer) => message.respond(answer) });
        } catch (thrown) {
          logger.error("fault on the reading lane", { error: thrown });
        }
      },
    });
    return () => subscription.unsubscribe();
  }

  /** Waits for the connection, and tells apart what may pass. */
  async #ask<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await this.#options.connection.ask(request);
    } catch (error) {
      if (!(error instanceof NatsError) || isNoMessage(error)) throw error;
      throw new TransientError(`The server did not answer as it should: ${error.message}`, { cause: error });
    }
  }
}

/** Null for the whole stream. */
function filterOf(only: ReadOptions["only"], subjects: Subjects, isWideTaken: boolean): string | null {
  if (only === "everything") return null;
  if (only === "inputs") return subjects.allInputs;
  if ("inputsOf" in only) return subjects.input(only.inputsOf, ">");
  return isWideTaken ? subjects.ofPod(only.pod) : null;
}

/** Before 2.10 a filter has to lie within one of the stream's subjects: none then matches both lanes of a pod. */
function takesWideFilters(serverVersion: string): boolean {
  const [major = 0, minor = 0] = serverVersion.split(".").map(Number);
  return major > 2 || (major === 2 && minor >= 10);
}

/** The inbox of a requester, or what a server puts in its place between accounts: nothing else steers an answer (R8). */
function isInbox(subject: string): boolean {
  return /^(?:_INBOX|_R_)(?:\.[^.*>\s]+)+$/.test(subject);
}
