/**
 * The first connection: waits for servers that are not there yet and says so, and gives up at once where one refuses.
 * The client itself would wait without a word, for a wrong password too, or forget the servers that are away at first.
 */
import { OperatorError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { connect, type ConnectionOptions, ErrorCode, type NatsConnection } from "./client.ts";

interface FirstConnectionOptions {
  readonly client: ConnectionOptions;
  /** The addresses, as a message shows them. */
  readonly servers: string;
  /** What may help where a certificate is not believed; empty for nothing. */
  readonly tlsHint: string;
  readonly logger: Logger;
}

const pauseMs = 500;
const complainEveryMs = 10_000;

/** The codes of errors that pass once the server, and the way to it, is there. */
const passing = new Set<string>([
  ErrorCode.ConnectionRefused,
  ErrorCode.ConnectionTimeout,
  ErrorCode.ConnectionClosed,
  ErrorCode.Disconnect,
  ErrorCode.Timeout,
  ErrorCode.AuthenticationTimeout,
  "ECONNREFUSED",
  "ECONNRESET",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/** @throws {OperatorError} when no server answers, or one refuses */
export async function connectNow(options: FirstConnectionOptions): Promise<NatsConnection> {
  try {
    return await connect(options.client);
  } catch (error) {
    throw refusal(error, options);
  }
}

/** @throws {OperatorError} when a server refuses; while none answers it is waited for */
export async function connectOnceThere(options: FirstConnectionOptions): Promise<NatsConnection> {
  const { client, servers, logger } = options;
  let complainedMs = -complainEveryMs;
  for (;;) {
    try {
      await (await connect(client)).close();
      return await connect({ ...client, waitOnFirstConnect: true });
    } catch (error) {
      if (!passing.has(codeOf(error))) throw refusal(error, options);
      if (performance.now() - complainedMs >= complainEveryMs) {
        complainedMs = performance.now();
        logger.warn("waiting for NATS", { servers, error });
      }
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function refusal(error: unknown, { servers, tlsHint }: FirstConnectionOptions): unknown {
  if (!(error instanceof Error)) return error;
  const isTls = /cert|tls|ssl/i.test(`${codeOf(error)} ${error.message}`);
  return new OperatorError(
    `Cannot connect to NATS at ${servers}: ${error.message}${isTls ? tlsHint : ""}`,
    { cause: error },
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
