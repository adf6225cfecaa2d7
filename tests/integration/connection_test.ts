/** Every way to log in to a server, and every way to be kept out (SPEC §11). */
import { assertEquals, assertRejects } from "@std/assert";
import { join } from "node:path";
import type { Config } from "../../src/config/settings.ts";
import { OperatorError } from "../../src/errors.ts";
import { Connection } from "../../src/nats/connection.ts";
import { type Certificate, makeCertificates, makeNkey, makeOperator } from "../helpers/credentials.ts";
import { LogLines } from "../helpers/log_lines.ts";
import { startTestServer, type TestServer } from "../helpers/test_server.ts";
import { awaitedLater } from "../helpers/within.ts";
import { spawnWorker } from "../helpers/worker_process.ts";

const folder = await Deno.makeTempDir({ prefix: "tasuki-credentials-" });
Deno.test.afterAll(() => Deno.remove(folder, { recursive: true }));
const certificates = await makeCertificates(folder);
const { ca, client } = certificates;

type Login = Omit<Config["nats"], "servers">;

async function fileOf(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await Deno.writeTextFile(path, content);
  return path;
}

/** Opens a connection, and has something answered. */
async function open(
  servers: readonly string[],
  login: Login,
  waitForServer = false,
  logger = new LogLines(),
): Promise<void> {
  const { readFile } = Deno;
  await using connection = await Connection.open({
    nats: { servers, ...login },
    name: "t",
    logger,
    waitForServer,
    readFile,
  });
  await connection.nc.flush();
}

function logIn({ port }: TestServer, login: Login, scheme = "nats"): Promise<void> {
  return open([`${scheme}://127.0.0.1:${port}`], login);
}

/** What keeps the login out, in the words of the message; it shows no secret. */
async function refusalOf(server: TestServer, login: Login, scheme?: string): Promise<string> {
  const { message } = await assertRejects(() => logIn(server, login, scheme), OperatorError);
  assertEquals(secret.exec(message), null);
  return message.replace(/127\.0\.0\.1:\d+/, "…");
}

const secret = /right|wrong|SU[A-Z2-7]{50}/;
const refused = "Cannot connect to NATS at nats://…: 'Authorization Violation'";

Deno.test("Connection waits for a server that is not there yet, says so, and takes no refusal for an absence", async () => {
  await using server = await startTestServer({ extraConfig: "authorization { user: u, password: right }" });
  await server.stop();
  const log = new LogLines();
  const opening = awaitedLater(open([server.url], { user: "u", password: "right" }, true, log));
  await log.logged("waiting for NATS");
  await server.start();
  await opening;
  await assertRejects(
    () => open([server.url], { user: "u", password: "wrong" }, true),
    OperatorError,
    "Violation",
  );
});

Deno.test("Connection outlives sockets that a server resets while it refuses", async () => {
  await using server = await startTestServer({ extraConfig: "authorization { user: u, password: right }" });
  for (let round = 0; round < 100; round++) await assertRejects(() => open([server.url], {}), OperatorError);
});

Deno.test("Connection names the file that it cannot log in with", async () => {
  const login = (kind: "creds" | "nkey", path: string) => open(["nats://127.0.0.1:1"], { [kind]: path });
  const missing = join(folder, "missing");
  const wrong = await fileOf("wrong", "something else");
  for (const kind of ["creds", "nkey"] as const) {
    const { message } = await assertRejects(() => login(kind, missing), OperatorError);
    assertEquals(message, `Cannot read nats.${kind}: ${missing}: No such file or directory`);
  }
  const message = "Cannot log in to NATS: nats.nkey must be such a file: got no line with a seed (SU…)";
  await assertRejects(() => login("nkey", wrong), OperatorError, message);
});

Deno.test("Connection logs in with user and password", async () => {
  await using server = await startTestServer({ extraConfig: "authorization { user: u, password: right }" });
  await logIn(server, { user: "u", password: "right" });
  assertEquals(await refusalOf(server, { user: "u", password: "wrong" }), refused);
  assertEquals(await refusalOf(server, {}), refused);
});

Deno.test("Connection logs in with a token", async () => {
  await using server = await startTestServer({ extraConfig: "authorization { token: right }" });
  await logIn(server, { token: "right" });
  assertEquals(await refusalOf(server, { token: "wrong" }), refused);
});

Deno.test("Connection logs in with an nkey", async () => {
  const { seed, publicKey } = makeNkey();
  await using server = await startTestServer({
    extraConfig: `authorization { users: [{ nkey: ${publicKey} }] }`,
  });
  await logIn(server, { nkey: await fileOf("nkey", `# a comment\n${seed}\n`) });
  assertEquals(await refusalOf(server, { nkey: await fileOf("other", makeNkey().seed) }), refused);
});

Deno.test("Connection logs in with a credentials file", async () => {
  const { serverConfig, makeCreds } = makeOperator();
  await using server = await startTestServer({ extraConfig: serverConfig });
  await logIn(server, { creds: await fileOf("creds", makeCreds()) });
  assertEquals(
    await refusalOf(server, { creds: await fileOf("foreign", makeOperator().makeCreds()) }),
    refused,
  );
});

/** @param more of the block */
function tlsConfig({ cert, key }: Certificate, more = ""): string {
  return `tls { cert_file: "${cert}", key_file: "${key}", ca_file: "${ca}" ${more} }`;
}

Deno.test("Connection trusts a server whose certificate the given authority signed, and no other", async () => {
  await using server = await startTestServer({ extraConfig: tlsConfig(certificates.server) });
  await logIn(server, { tls: { ca } });
  await logIn(server, { tls: { ca } }, "tls");
  const unknown = await refusalOf(server, {}, "tls");
  assertEquals(/certificate/i.test(unknown), true, unknown);
});

Deno.test("Connection believes a certificate for the host that it has called, and for no other", async () => {
  await using byAddress = await startTestServer({ extraConfig: tlsConfig(certificates.server) });
  await using byName = await startTestServer({ extraConfig: tlsConfig(certificates.localhost) });
  const address = ({ port }: TestServer) => `tls://127.0.0.1:${port}`;
  const name = ({ port }: TestServer) => `tls://localhost:${port}`;
  await open([address(byAddress)], { tls: { ca } });
  await open([name(byName)], { tls: { ca } });
  await open([name(byName), address(byName)], { tls: { ca } });
  for (const other of [name(byAddress), address(byName)]) {
    await assertRejects(() => open([other], { tls: { ca } }), OperatorError, "does not match certificate");
  }
});

Deno.test("Connection says that a server that wants TLS has a tls:// address", async () => {
  await using server = await startTestServer({ extraConfig: tlsConfig(certificates.server) });
  const message = await refusalOf(server, {});
  assertEquals(
    message.endsWith(": where the server wants TLS, its address begins with tls://"),
    true,
    message,
  );
});

Deno.test("Connection to a tls:// address is refused by a server without TLS", async () => {
  await using server = await startTestServer();
  const plain = await refusalOf(server, { tls: { ca } }, "tls");
  assertEquals(/tls/i.test(plain), true, plain);
});

Deno.test("Connection shows its certificate to a server that asks for one", async () => {
  await using server = await startTestServer({
    extraConfig: tlsConfig(certificates.server, ", verify: true"),
  });
  await logIn(server, { tls: { ca, ...client } }, "tls");
  await refusalOf(server, { tls: { ca } }, "tls");
});

Deno.test("serve takes all of it from the environment, and logs no secret", async () => {
  const users = "authorization { user: u, password: right }";
  await using server = await startTestServer({
    extraConfig: `${tlsConfig(certificates.server, ", verify: true")}\n${users}`,
  });
  await using worker = await spawnWorker({ url: `tls://u:right@127.0.0.1:${server.port}` }, {
    TASUKI_NATS_TLS_CA: ca,
    TASUKI_NATS_TLS_CERT: client.cert,
    TASUKI_NATS_TLS_KEY: client.key,
    TASUKI_LOG_LEVEL: "debug",
  });
  const { code, stderr } = await worker.stop();
  assertEquals({ code, stderr }, { code: 0, stderr: [] });
  assertEquals(JSON.stringify(worker.log.all).includes("right"), false);
});
