/** A connection by configuration, that comes back by itself and says when it was away. */
import type { Config } from "../config.ts";
import { OperatorError, TransientError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import {
  connect,
  credsAuthenticator,
  Events,
  type NatsConnection,
  nkeyAuthenticator,
  nuid,
} from "./client.ts";

/** Not under `_INBOX.`, where callers may steer copies of answers to. */
const inboxPrefix = "_TASUKI_INBOX";

/** How often a silent server is asked whether it is there, in milliseconds. */
const pingEveryMs = 10_000;
const reconnectWaitMs = 200;
const connectWaitMs = 5_000;

export interface ConnectionOptions {
  readonly nats: Config["nats"];
  /** What the server's monitoring shows. */
  readonly name: string;
  readonly logger: Logger;
  /** Whether to go on trying where no server answers at first. */
  readonly waitForServer: boolean;
  readonly readFile: (path: string) => Promise<Uint8Array>;
}

export class Connection implements AsyncDisposable {
  readonly nc: NatsConnection;
  /** A subject of its own, below which replies to this connection come. */
  readonly inbox = `${inboxPrefix}.${nuid.next()}`;
  readonly #logger: Logger;
  readonly #onDisconnect = new Set<() => void>();
  #isConnected = true;
  #wakeUp: (() => void)[] = [];

  private constructor(nc: NatsConnection, logger: Logger) {
    this.nc = nc;
    this.#logger = logger;
  }

  /** @throws {OperatorError} when the server refuses, or none answers and we do not wait for it */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const { nats, name, waitForServer } = options;
    try {
      const nc = await connect({
        servers: [...nats.servers],
        name,
        inboxPrefix,
        maxReconnectAttempts: -1,
        ignoreAuthErrorAbort: true,
        reconnectTimeWait: reconnectWaitMs,
        waitOnFirstConnect: waitForServer,
        timeout: connectWaitMs,
        pingInterval: pingEveryMs,
        resolve: false,
        ...await login(options),
      });
      const connection = new Connection(nc, options.logger);
      connection.#follow();
      return connection;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      throw new OperatorError(`Cannot connect to NATS at ${nats.servers.join(", ")}: ${error.message}`);
    }
  }

  get isConnected(): boolean {
    return this.#isConnected && !this.nc.isClosed();
  }

  /** Calls back whenever the connection is lost, until the returned function is called. */
  onDisconnect(then: () => void): () => void {
    this.#onDisconnect.add(then);
    return () => this.#onDisconnect.delete(then);
  }

  /** @throws {TransientError} when there is no connection within the limit */
  async whenConnected(limitMs: number): Promise<void> {
    if (this.#isConnected) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#wakeUp.push(resolve);
      timer = setTimeout(resolve, limitMs);
    });
    clearTimeout(timer);
    if (!this.#isConnected) throw new TransientError("Not connected to NATS");
  }

  #follow(): void {
    const follow = async (): Promise<void> => {
      for await (const { type, data } of this.nc.status()) {
        if (type === Events.Disconnect) {
          this.#isConnected = false;
          this.#logger.warn("disconnected from NATS", { server: String(data) });
          for (const then of [...this.#onDisconnect]) then();
        } else if (type === Events.Reconnect) {
          this.#isConnected = true;
          this.#logger.info("connected to NATS again", { server: String(data) });
          for (const resolve of this.#wakeUp.splice(0)) resolve();
        } else if (type === Events.Error) {
          this.#logger.error("NATS reports an error", { error: String(data) });
        }
      }
    };
    follow().catch((error) => this.#logger.error("lost track of the connection", { error }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.nc.close();
  }
}

/** The options of the client that say who we are. */
async function login({ nats, readFile }: ConnectionOptions): Promise<Parameters<typeof connect>[0]> {
  const usesTls = nats.tls !== undefined || nats.servers.some((server) => server.startsWith("tls://"));
  return {
    ...(nats.user === undefined ? {} : { user: nats.user, pass: nats.password ?? "" }),
    ...(nats.token === undefined ? {} : { token: nats.token }),
    ...(nats.creds === undefined ? {} : { authenticator: credsAuthenticator(await readFile(nats.creds)) }),
    ...(nats.nkey === undefined
      ? {}
      : { authenticator: nkeyAuthenticator(seedOf(await readFile(nats.nkey))) }),
    ...(usesTls
      ? {
        tls: {
          ...(nats.tls?.ca === undefined ? {} : { caFile: nats.tls.ca }),
          ...(nats.tls?.cert === undefined ? {} : { certFile: nats.tls.cert }),
          ...(nats.tls?.key === undefined ? {} : { keyFile: nats.tls.key }),
        },
      }
      : {}),
  };
}

/** The line of a seed file that holds the seed. */
function seedOf(file: Uint8Array): Uint8Array {
  const lines = new TextDecoder().decode(file).split("\n").map((line) => line.trim());
  return new TextEncoder().encode(lines.find((line) => line.startsWith("S")) ?? "");
}
