/** A connection by configuration, that comes back by itself and says when it was away. */
import type { Config } from "../config/settings.ts";
import { TransientError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { Events, type NatsConnection, nuid } from "./client.ts";
import { connectNow, connectOnceThere } from "./first_connection.ts";
import { loginOf, wantsTls } from "./login.ts";

/** Not under `_INBOX.`, where callers may steer copies of answers to. */
const inboxPrefix = "_TASUKI_INBOX";

/** How often a silent server is asked whether it is there, in milliseconds. */
const pingEveryMs = 10_000;
const reconnectWaitMs = 200;
const connectWaitMs = 5_000;
/** How long one request waits for a connection that is lost, in milliseconds. */
const connectionWaitMs = 1_000;

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
  #reconnectCount = 0;
  /** The question whether the server answers, while it is open. */
  #flush: Promise<boolean> | null = null;
  #wakeUp: (() => void)[] = [];

  private constructor(nc: NatsConnection, logger: Logger) {
    this.nc = nc;
    this.#logger = logger;
  }

  /** @throws {OperatorError} when the server refuses, or none answers and we do not wait for it */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const { nats, name, logger, waitForServer, readFile } = options;
    const client = {
      servers: [...nats.servers],
      name,
      inboxPrefix,
      maxReconnectAttempts: -1,
      ignoreAuthErrorAbort: true,
      reconnectTimeWait: reconnectWaitMs,
      timeout: connectWaitMs,
      pingInterval: pingEveryMs,
      resolve: false,
      noAsyncTraces: true,
      ...await loginOf(nats, readFile),
    };
    const tlsHint = wantsTls(nats) ? "" : ": where the server wants TLS, its address begins with tls://";
    const first = { client, servers: nats.servers.join(", "), tlsHint, logger };
    const nc = await (waitForServer ? connectOnceThere(first) : connectNow(first));
    const connection = new Connection(nc, logger);
    connection.#follow();
    return connection;
  }

  get isConnected(): boolean {
    return this.#isConnected && !this.nc.isClosed();
  }

  /** How often the connection came back. */
  get reconnectCount(): number {
    return this.#reconnectCount;
  }

  /** Whether the server answers within the limit: what it says is read, and what we say reaches it. */
  async answers(limitMs: number): Promise<boolean> {
    this.#flush ??= this.nc.flush().then(() => true, () => false).finally(() => this.#flush = null);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<boolean>((resolve) => timer = setTimeout(() => resolve(false), limitMs));
    try {
      return await Promise.race([this.#flush, late]);
    } finally {
      clearTimeout(timer);
    }
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

  /**
   * What the request gives: an answer that comes after the connection was lost finds nobody.
   *
   * @throws {TransientError} when there is no connection within a second, or it is lost meanwhile
   */
  async ask<T>(request: () => Promise<T>): Promise<T> {
    await this.whenConnected(connectionWaitMs);
    const lost = Promise.withResolvers<never>();
    const stopListening = this.onDisconnect(() =>
      lost.reject(new TransientError("The connection to NATS was lost"))
    );
    try {
      return await Promise.race([request(), lost.promise]);
    } finally {
      stopListening();
    }
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
          this.#reconnectCount++;
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
