/** Everything that a worker needs of NATS, opened together and closed together. */
import type { Config } from "../config/settings.ts";
import type { Subjects } from "../log/subjects.ts";
import type { Logger } from "../logger.ts";
import type { Bucket } from "../worker/ports.ts";
import { AcknowledgedPublisher } from "./acknowledged_publisher.ts";
import { openBucket } from "./bucket.ts";
import { Connection } from "./connection.ts";
import { ensureStream } from "./stream.ts";
import { requestWaitMs, StreamLog } from "./stream_log.ts";
import { untilServing } from "./until_serving.ts";

interface OpenLogOptions {
  readonly config: Config;
  readonly subjects: Subjects;
  readonly logger: Logger;
  readonly name: string;
  readonly waitForServer: boolean;
}

/** The worker's ports. */
interface OpenLog extends AsyncDisposable {
  readonly connection: Connection;
  readonly log: StreamLog;
  readonly readLane: StreamLog;
  readonly bucket: Bucket;
}

/** @throws {OperatorError} when the server cannot be reached, or the stream or the bucket cannot serve */
export async function openLog(options: OpenLogOptions): Promise<OpenLog> {
  const { config, subjects, logger, name, waitForServer } = options;
  await using opening = new AsyncDisposableStack();
  const connection = opening.use(
    await Connection.open({ nats: config.nats, name, logger, waitForServer, readFile: Deno.readFile }),
  );
  const manager = await connection.nc.jetstreamManager({ timeout: requestWaitMs, checkAPI: false });
  const publisher = opening.use(new AcknowledgedPublisher(connection));
  const openBoth = async () => {
    await ensureStream({ manager, subjects, config, maxPayload: connection.nc.info?.max_payload ?? 0 });
    const { bucket: name, replicas } = config;
    return await openBucket({ connection, manager, publisher, name, replicas });
  };
  // A server without JetStream gets none by being waited for.
  const mayServeLater = waitForServer && connection.nc.info?.jetstream === true;
  const bucket = await (mayServeLater ? untilServing(openBoth, logger) : openBoth());
  const log = new StreamLog({ connection, manager, publisher, stream: config.stream, subjects, logger });
  const opened = opening.move();
  return { connection, log, readLane: log, bucket, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
