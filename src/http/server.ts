/** HTTP on a socket, where it is wanted. */
import { defaultListenAddress } from "../config/addresses.ts";
import type { Config } from "../config/settings.ts";
import type { Logger } from "../logger.ts";
import { App } from "./app.ts";
import { listen } from "./listen.ts";
import type { MetricsText, Served } from "./ports.ts";

/** Between two tellings of what changed: as often as a person wants to see it. */
const tellEveryMs = 250;
/** Before the usual minute after which what stands between takes a silent connection for a dead one. */
const beatEveryMs = 15_000;

interface HttpOptions {
  readonly config: Pick<Config, "http" | "httpPage" | "httpToken">;
  readonly version: string;
  readonly metrics: MetricsText;
  readonly logger: Logger;
}

/** Disposing ends what is open, waits for what is being answered, and takes no more. */
interface Http extends AsyncDisposable {
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
  const address = config.http;
  const isChosen = address !== defaultListenAddress;
  const listening = address === "off" ? null : listen({ address, isChosen, handle: app.handle, logger });
  return {
    serve: (served) => app.serve(served),
    async [Symbol.asyncDispose]() {
      app[Symbol.dispose]();
      await listening?.[Symbol.asyncDispose]();
    },
  };
}
