/** A log that is there already, for the commands: nothing is made, and no server is waited for. */
import type { HeardOutput, Remote } from "../cli/ports.ts";
import type { Config } from "../config/settings.ts";
import { OperatorError } from "../errors.ts";
import type { Subjects } from "../log/subjects.ts";
import type { Logger } from "../logger.ts";
import { Connection } from "./connection.ts";
import { valueOf } from "./nats_message.ts";
import { findStream } from "./stream.ts";
import { requestWaitMs, StreamLog } from "./stream_log.ts";

export interface OpenRemoteOptions {
  readonly config: Config;
  readonly subjects: Subjects;
  readonly logger: Logger;
  readonly name: string;
}

/** @throws {OperatorError} when the server cannot be reached, or has no such stream */
export async function openRemote(options: OpenRemoteOptions): Promise<Remote> {
  const { config: { nats, stream }, subjects, logger, name } = options;
  await using opening = new AsyncDisposableStack();
  const connection = opening.use(
    await Connection.open({ nats, name, logger, waitForServer: false, readFile: Deno.readFile }),
  );
  const manager = await connection.nc.jetstreamManager({ timeout: requestWaitMs, checkAPI: false });
  if (await findStream(manager, stream) === null) {
    throw new OperatorError(
      `Cannot find stream ${stream} at ${
        nats.servers.join(", ")
      }: the first worker that starts there makes it`,
    );
  }
  const log = opening.use(new StreamLog({ connection, manager, stream, subjects, logger }));
  const opened = opening.move();
  return {
    log,
    listen: (pod, take) => listen(connection, subjects.outputsOf(pod), take, logger),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
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
