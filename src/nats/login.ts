/** Who we are to a server, and which server we believe: the options of the client that the configuration decides. */
import { isIP } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import type { Config } from "../config/settings.ts";
import { OperatorError } from "../errors.ts";
import { type ConnectionOptions, credsAuthenticator, nkeyAuthenticator } from "./client.ts";

type Login = Pick<ConnectionOptions, "user" | "pass" | "token" | "authenticator" | "tls">;

type ReadFile = (path: string) => Promise<Uint8Array>;

/** @throws {OperatorError} when a file cannot be read, or holds something else */
export async function loginOf(nats: Config["nats"], readFile: ReadFile): Promise<Login> {
  const { user, password, token, creds, nkey } = nats;
  return {
    ...(user === undefined ? {} : { user, pass: password ?? "" }),
    ...(token === undefined ? {} : { token }),
    ...(creds === undefined ? {} : { authenticator: await authenticatorOf("nats.creds", creds, readFile) }),
    ...(nkey === undefined ? {} : { authenticator: await authenticatorOf("nats.nkey", nkey, readFile) }),
    ...(wantsTls(nats) ? { tls: tlsOf(nats) } : {}),
  };
}

async function authenticatorOf(setting: "nats.creds" | "nats.nkey", path: string, readFile: ReadFile) {
  const content = await readFile(path).catch((error: Error) => {
    const [reason] = error.message.split(" (os error");
    throw new OperatorError(`Cannot read ${setting}: ${path}: ${reason}`, { cause: error });
  });
  try {
    return setting === "nats.creds" ? credsAuthenticator(content) : nkeyAuthenticator(seedOf(content));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new OperatorError(`Cannot log in to NATS: ${setting} must be such a file: got ${error.message}`, {
      cause: error,
    });
  }
}

/** Whether we talk to no server without TLS. */
export function wantsTls({ servers, tls }: Config["nats"]): boolean {
  return tls !== undefined || servers.some((server) => server.startsWith("tls://"));
}

/**
 * A certificate counts where it is for one of the configured hosts. The client does not tell TLS which host it has
 * called, as long as it resolves no names itself, and would compare every certificate with "localhost".
 */
function tlsOf({ servers, tls }: Config["nats"]) {
  const hosts = [...new Set(servers.map((server) => new URL(server).hostname.replace(/^\[|\]$/g, "")))];
  const [onlyHost = ""] = hosts.length === 1 ? hosts : [];
  return {
    ...(tls?.ca === undefined ? {} : { caFile: tls.ca }),
    ...(tls?.cert === undefined ? {} : { certFile: tls.cert }),
    ...(tls?.key === undefined ? {} : { keyFile: tls.key }),
    // What a proxy chooses the server by; an address is no name.
    ...(onlyHost === "" || isIP(onlyHost) ? {} : { servername: onlyHost }),
    checkServerIdentity: (_host: string, certificate: PeerCertificate): Error | undefined => {
      const problems = hosts.map((host) => checkServerIdentity(host, certificate));
      return problems.includes(undefined) ? undefined : problems[0];
    },
  };
}

/** The line of a seed file that holds the seed. @throws {Error} when none does */
function seedOf(file: Uint8Array): Uint8Array {
  const lines = new TextDecoder().decode(file).split("\n").map((line) => line.trim());
  const seed = lines.find((line) => /^S[A-Z2-7]{50,}$/.test(line));
  if (seed === undefined) throw new Error("no line with a seed (SU…)");
  return new TextEncoder().encode(seed);
}
