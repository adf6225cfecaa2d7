/** Certificates, nkeys and credentials files for one test, made on the spot. */
import { join } from "node:path";
import { nkeys } from "nats";

/** Paths of PEM files. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface Certificates {
  /** Of the authority that signed the others. */
  readonly ca: string;
  /** Of a server at 127.0.0.1. */
  readonly server: Certificate;
  /** Of a server at localhost. */
  readonly localhost: Certificate;
  readonly client: Certificate;
}

export async function makeCertificates(folder: string): Promise<Certificates> {
  const ca = { cert: join(folder, "ca.pem"), key: join(folder, "ca.key") };
  await openssl(
    "req",
    "-x509",
    ...newKey,
    "-keyout",
    ca.key,
    "-out",
    ca.cert,
    "-days",
    "2",
    "-subj",
    "/CN=Test CA",
  );
  return {
    ca: ca.cert,
    server: await signed(folder, "server", ca, "subjectAltName=IP:127.0.0.1"),
    localhost: await signed(folder, "localhost", ca, "subjectAltName=DNS:localhost"),
    client: await signed(folder, "client", ca, "extendedKeyUsage=clientAuth"),
  };
}

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

async function signed(
  folder: string,
  name: string,
  ca: Certificate,
  extension: string,
): Promise<Certificate> {
  const path = (end: string) => join(folder, `${name}.${end}`);
  await openssl("req", ...newKey, "-keyout", path("key"), "-out", path("csr"), "-subj", `/CN=${name}`);
  await Deno.writeTextFile(path("ext"), `${extension}\n`);
  await openssl(
    "x509",
    "-req",
    "-in",
    path("csr"),
    "-CA",
    ca.cert,
    "-CAkey",
    ca.key,
    "-CAcreateserial",
    "-days",
    "2",
    "-extfile",
    path("ext"),
    "-out",
    path("pem"),
  );
  return { cert: path("pem"), key: path("key") };
}

async function openssl(...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("openssl", { args, stdin: "null", stdout: "null" })
    .output();
  if (!success) throw new Error(`openssl ${args[0]} failed: ${new TextDecoder().decode(stderr)}`);
}

/** A key pair for a user: its seed, and the public key that a server knows. */
export function makeNkey(): { readonly seed: string; readonly publicKey: string } {
  const pair = nkeys.createUser();
  return { seed: textOf(pair.getSeed()), publicKey: pair.getPublicKey() };
}

export interface Operator {
  /** Lines of the server's configuration: it knows one account, which may use JetStream. */
  readonly serverConfig: string;
  /** A credentials file of a user of that account. */
  makeCreds(): string;
}

const noStorage = { mem_storage: 0, disk_storage: 0, streams: 0, consumer: 0 };
const limits = {
  subs: -1,
  data: -1,
  payload: -1,
  imports: -1,
  exports: -1,
  conn: -1,
  leaf: -1,
  wildcards: true,
  mem_storage: -1,
  disk_storage: -1,
  streams: -1,
  consumer: -1,
};

/** An operator with one account and its users, as JSON web tokens (NATS ADR-14). */
export function makeOperator(): Operator {
  const operator = nkeys.createOperator();
  const account = nkeys.createAccount();
  const system = nkeys.createAccount();
  const operatorToken = token(operator, operator, "operator", { system_account: system.getPublicKey() });
  const systemToken = token(operator, system, "account", { limits: { ...limits, ...noStorage } });
  const accountToken = token(operator, account, "account", { limits });
  return {
    serverConfig: `operator: ${operatorToken}
resolver: MEMORY
resolver_preload: {
  ${account.getPublicKey()}: ${accountToken}
  ${system.getPublicKey()}: ${systemToken}
}
`,
    makeCreds: () => {
      const user = nkeys.createUser();
      const userToken = token(account, user, "user", { pub: {}, sub: {}, subs: -1, data: -1, payload: -1 });
      return credsText(userToken, textOf(user.getSeed()));
    },
  };
}

type KeyPair = ReturnType<typeof nkeys.createUser>;

function token(
  issuer: KeyPair,
  subject: KeyPair,
  type: string,
  nats: { readonly [name: string]: unknown },
): string {
  const header = base64Url(JSON.stringify({ typ: "JWT", alg: "ed25519-nkey" }));
  const claims = { jti: crypto.randomUUID(), iat: Math.floor(Date.now() / 1000), name: type };
  const body = base64Url(JSON.stringify({
    ...claims,
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    nats: { ...nats, type, version: 2 },
  }));
  const signature: Uint8Array = issuer.sign(new TextEncoder().encode(`${header}.${body}`));
  return `${header}.${body}.${signature.toBase64({ alphabet: "base64url", omitPadding: true })}`;
}

function base64Url(text: string): string {
  return new TextEncoder().encode(text).toBase64({ alphabet: "base64url", omitPadding: true });
}

function credsText(userToken: string, seed: string): string {
  return `-----BEGIN NATS USER JWT-----
${userToken}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${seed}
------END USER NKEY SEED------
`;
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
