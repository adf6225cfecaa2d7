/** HTTP on a socket, where it is wanted. */
import { defaultListenAddress, listenParts } from "../config/addresses.ts";
import type { Config } from "../config/settings.ts";
import { OperatorError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { App } from "./app.ts";
import type { MetricsText, Served } from "./ports.ts";

/** Between two tellings of what changed: as often as a person wants to see it. */
const tellEveryMs = 250;
/** Before the usual minute after which what stands between takes a silent connection for a dead one. */
const beatEveryMs = 15_000;

export interface HttpOptions {
  readonly config: Pick<Config, "http" | "httpPage" | "httpToken">;
  readonly version: string;
  readonly metrics: MetricsText;
  readonly logger: Logger;
}

/** Disposing ends what is open, waits for what is being answered, and takes no more. */
export interface Http extends AsyncDisposable {
  /** From now on there is a worker to ask. */
  serve(served: Served): void;
}

/** @throws {OperatorError} when nobody can listen at the configured address */
export function openHttp({ config, version, metrics, logger }: HttpOptions): Http {
  const app = new App({
    version,
    metrics,
    logger,
    hasPage: config.httpPage === "on",
    token: config.httpToken ?? null,
    pace: { tellEveryMs, beatEveryMs, nowMs: Date.now },
  });
  const server = config.http === "off" ? null : listen(config.http, app, logger);
  return {
    serve: (served) => app.serve(served),
    async [Symbol.asyncDispose]() {
      app[Symbol.dispose]();
      await server?.shutdown();
    },
  };
}

/** Null where the address is taken and nobody chose it: two workers on one machine need no configuration. */
function listen(address: string, app: App, logger: Logger): Deno.HttpServer<Deno.NetAddr> | null {
  const { hostname, port } = listenParts(address);
  try {
    const server = Deno.serve({ hostname, port, onListen: () => {} }, app.handle);
    logger.info("HTTP is served", { url: `http://${address.replace(/\d+$/, String(server.addr.port))}/` });
    return server;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (address === defaultListenAddress && error instanceof Deno.errors.AddrInUse) {
      logger.warn("no HTTP: the address is taken, perhaps by another worker", { address });
      return null;
    }
    throw new OperatorError(`Cannot serve HTTP at ${address}: ${error.message}`);
  }
}
