/** Listens at an address, also at one that is taken until another worker ends. */
import { listenParts } from "../config/addresses.ts";
import { OperatorError } from "../errors.ts";
import type { Logger } from "../logger.ts";

const tryEveryMs = 2_000;

interface ListenOptions {
  /** `host:port`. */
  readonly address: string;
  /** Whether somebody has to know where it is taken; else it is tried again and again. */
  readonly isChosen: boolean;
  readonly handle: (request: Request) => Promise<Response>;
  readonly logger: Logger;
}

/**
 * Two workers on one machine need no configuration, and either may be the one that is left. Disposing waits for what is
 * being answered, and takes no more.
 *
 * @throws {OperatorError} when nobody can listen there
 */
export function listen({ address, isChosen, handle, logger }: ListenOptions): AsyncDisposable {
  const { hostname, port } = listenParts(address);
  let server: Deno.HttpServer<Deno.NetAddr> | null = null;
  let timer: ReturnType<typeof setInterval> | undefined;
  const tryNow = (): void => {
    server = Deno.serve({ hostname, port, onListen: () => {} }, handle);
    clearInterval(timer);
    logger.info("HTTP is served", { url: `http://${address.replace(/\d+$/, String(server.addr.port))}/` });
  };
  const tryAgain = (): void => {
    try {
      tryNow();
    } catch (error) {
      if (error instanceof Deno.errors.AddrInUse) return logger.debug("still no HTTP", { error });
      clearInterval(timer);
      logger.error("no HTTP: the address cannot be used", { address, error });
    }
  };
  try {
    tryNow();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (isChosen || !(error instanceof Deno.errors.AddrInUse)) {
      throw new OperatorError(`Cannot serve HTTP at ${address}: ${error.message}`);
    }
    logger.warn("no HTTP: the address is taken, perhaps by another worker", {
      address,
      hint: `it is tried again every ${
        tryEveryMs / 1_000
      } s; or set TASUKI_HTTP to another address, or to off`,
    });
    timer = setInterval(tryAgain, tryEveryMs);
  }
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await server?.shutdown();
    },
  };
}
