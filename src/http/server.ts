/** HTTP on a socket. */
import { defaultListenAddress, listenAddress } from "../config/addresses.ts";
import { OperatorError } from "../errors.ts";
import type { Logger } from "../logger.ts";

/** Disposing lets requests that are answered end, and takes no more. */
export interface HttpServer extends AsyncDisposable {
  /** Where it listens. */
  readonly port: number;
}

/**
 * Null where the address is the one that nobody chose and it is taken: two workers on one machine need no configuration.
 *
 * @param address `host:port`
 * @throws {OperatorError} when nobody can listen there
 */
export function listen(
  address: string,
  handle: (request: Request) => Promise<Response>,
  logger: Logger,
): HttpServer | null {
  const { hostname, port } = listenAddress(address);
  try {
    const server = Deno.serve({ hostname, port, onListen: () => {} }, handle);
    logger.info("HTTP is served", { address: `${hostname}:${server.addr.port}` });
    return { port: server.addr.port, [Symbol.asyncDispose]: () => server.shutdown() };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (address === defaultListenAddress && error instanceof Deno.errors.AddrInUse) {
      logger.warn("no HTTP: the address is taken, by another worker perhaps", { address });
      return null;
    }
    throw new OperatorError(`Cannot serve HTTP: ${address} must be free to listen at: ${error.message}`);
  }
}
