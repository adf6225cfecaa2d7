/** Every way to log in to a server, and every way to be kept out (SPEC §11). */
import { assertEquals, assertRejects } from "@std/assert";
import { join } from "node:path";
import type { Config } from "../../src/config/settings.ts";
import { OperatorError } from "../../src/errors.ts";
import { Connection } from "../../src/nats/connection.ts";
import { makeCertificates, makeNkey, makeOperator } from "../helpers/credentials.ts";
import { LogLines } from "../helpers/log_lines.ts";
import { startTestServer, type TestServer } from "../helpers/test_server.ts";
import { spawnWorker } from "../helpers/worker_process.ts";

const folder = await Deno.makeTempDir({ prefix: "tasuki-credentials-" });
Deno.test.afterAll(() => Deno.remove(folder, { recursive: true }));
const certificates = await makeCertificates(folder);
const { ca, server, client } = certificates;

type Login = Omit<Config["nats"], "servers">;

async function fileOf(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await Deno.writeTextFile(path, content);
  return path;
}

/** Opens a connection, and has something answered. */
async function logIn({ port }: TestServer, login: Login, scheme = "nats"): Promise<void> {
  const nats = { servers: [`${scheme}://127.0.0.1:${port}`], ...login };
  const { readFile } = Deno;
  await using connection = await Connection.open({
    nats,
    name: "t",
    logger: new LogLines(),
    waitForServer: false,
    readFile,
  });
  await connection.nc.flush();
}

/** What keeps the login out, in the words of the message; it shows no secret. */
async function refusalOf(server: TestServer, login: Login, scheme?: string): Promise<string> {
  const { message } = await assertRejects(() => logIn(server, login, scheme), OperatorError);
  assertEquals(/right|wrong|SU[A-Z2-7]{50}/.exec(message), null);
  return message.replace(/127\.0\.0\.1:\d+/, "…");
}

const refused = "Cannot connect to NATS at nats://…: 'Authorization Violation'";

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

const tlsConfig = `cert_file: "${server.cert}", key_file: "${server.key}", ca_file: "${ca}"`;

Deno.test("Connection trusts a server whose certificate the given authority signed, and no other", async () => {
  await using server = await startTestServer({ extraConfig: `tls { ${tlsConfig} }` });
  await logIn(server, { tls: { ca } });
  await logIn(server, { tls: { ca } }, "tls");
  const unknown = await refusalOf(server, {}, "tls");
  assertEquals(/certificate/i.test(unknown), true, unknown);
});

Deno.test("Connection to a tls:// address is refused by a server without TLS", async () => {
  await using server = await startTestServer();
  const plain = await refusalOf(server, { tls: { ca } }, "tls");
  assertEquals(/tls/i.test(plain), true, plain);
});

Deno.test("Connection shows its certificate to a server that asks for one", async () => {
  await using server = await startTestServer({ extraConfig: `tls { ${tlsConfig}, verify: true }` });
  await logIn(server, { tls: { ca, ...client } }, "tls");
  await refusalOf(server, { tls: { ca } }, "tls");
});

Deno.test("serve takes all of it from the environment, and logs no secret", async () => {
  const users = "authorization { user: u, password: right }";
  await using server = await startTestServer({ extraConfig: `tls { ${tlsConfig}, verify: true }\n${users}` });
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
