/** A log that is there already, for the commands: nothing is made, and no server is waited for. */
import type { HeardOutput, Remote } from "../cli/ports.ts";
import type { Config } from "../config/settings.ts";
import { OperatorError, TransientError } from "../errors.ts";
import type { Subjects } from "../log/subjects.ts";
import type { Logger } from "../logger.ts";
import type { ReadableBucket } from "../worker/ports.ts";
import { AcknowledgedPublisher } from "./acknowledged_publisher.ts";
import { isStreamNotFound } from "./api_errors.ts";
import { readKey, readKeys } from "./bucket.ts";
import { type JetStreamManager, NatsError } from "./client.ts";
import { Connection } from "./connection.ts";
import { valueOf } from "./nats_message.ts";
import { findStream, isOfAnotherPrefix, streamProblems } from "./stream.ts";
import { requestWaitMs, StreamLog } from "./stream_log.ts";

interface OpenRemoteOptions {
  readonly config: Config;
  readonly subjects: Subjects;
  readonly logger: Logger;
  readonly name: string;
}

/** @throws {OperatorError} when the server cannot be reached, or has no such stream, or one of another prefix */
export async function openRemote(options: OpenRemoteOptions): Promise<Remote> {
  const { config: { nats, stream, bucket }, subjects, logger, name } = options;
  await using opening = new AsyncDisposableStack();
  const connection = opening.use(
    await Connection.open({ nats, name, logger, waitForServer: false, readFile: Deno.readFile }),
  );
  const manager = await connection.nc.jetstreamManager({ timeout: requestWaitMs, checkAPI: false });
  const found = await findStream(manager, stream);
  if (found === null) {
    throw new OperatorError(
      `Cannot find stream ${stream} at ${
        nats.servers.join(", ")
      }: the first worker that starts there makes it`,
    );
  }
  if (isOfAnotherPrefix(found, subjects)) {
    throw new OperatorError(`Cannot use stream ${stream}: ${streamProblems(found, subjects).join("; ")}`);
  }
  const publisher = opening.use(new AcknowledgedPublisher(connection));
  const log = new StreamLog({ connection, manager, publisher, stream, subjects, logger });
  const opened = opening.move();
  return {
    log,
    bucket: readableBucket(manager, bucket),
    listen: (pod, take) => listen(connection, subjects.outputsOf(pod), take, logger),
    erase: (pod, beforeSeq) => erase(manager, stream, subjects.ofPod(pod), beforeSeq),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function readableBucket(manager: JetStreamManager, name: string): ReadableBucket {
  return {
    keys: (prefix) => emptyWhereMissing(() => readKeys(manager, name, prefix), []),
    get: (key) => emptyWhereMissing(() => readKey(manager, name, key), { value: null, revision: 0 }),
  };
}

async function emptyWhereMissing<T>(read: () => Promise<T>, empty: T): Promise<T> {
  try {
    return await asked(read);
  } catch (error) {
    if (error instanceof TransientError && isStreamNotFound(error.cause)) return empty;
    throw error;
  }
}

async function erase(
  manager: JetStreamManager,
  stream: string,
  filter: string,
  seq: number,
): Promise<number> {
  return (await asked(() => manager.streams.purge(stream, { filter, seq }))).purged;
}

/** @throws {TransientError} when the server does not answer as it should */
async function asked<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof NatsError)) throw error;
    throw new TransientError(`The server did not answer as it should: ${error.message}`, { cause: error });
  }
}

function listen(
  { nc }: Connection,
  subject: string,
  take: (output: HeardOutput) => void,
  logger: Logger,
): () => void {
  const subscription = nc.subscribe(subject, {
    // An exception here would leave the connection deaf.
    callback: (error, message) => {
      try {
        if (error) throw error;
        const { subject, data, headers } = message;
        take({ subject, data, header: (name) => valueOf(headers, name) });
      } catch (thrown) {
        logger.error("fault while listening to outputs", { error: thrown });
      }
    },
  });
  return () => subscription.unsubscribe();
}
