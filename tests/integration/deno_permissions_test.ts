/** What of the machine a worker may touch: with these permissions of Deno it does all of its work. */
import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { credsAuthenticator } from "nats";
import { makeCertificates, makeOperator } from "../helpers/credentials.ts";
import { Pod } from "../helpers/pod.ts";
import { reservePort, startTestServer } from "../helpers/test_server.ts";
import { WorkerHttp } from "../helpers/worker_http.ts";
import { launchWorker, spawnWorker } from "../helpers/worker_process.ts";

Deno.test("serve needs its environment, the two addresses that it talks to, and the files that it is told to read", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tasuki-permissions-" });
  try {
    const { ca, localhost: certificate } = await makeCertificates(folder);
    const { serverConfig, makeCreds } = makeOperator();
    const creds = join(folder, "worker.creds");
    await Deno.writeTextFile(creds, makeCreds());
    const config = join(folder, "tasuki.jsonc");
    await Deno.writeTextFile(config, `{ "checkpointInputs": 1 /* as often as can be */ }`);
    const tls = `tls { cert_file: "${certificate.cert}", key_file: "${certificate.key}" }`;
    await using server = await startTestServer({ extraConfig: `${serverConfig}\n${tls}` });
    const { port, reservation } = reservePort();
    using _reservation = reservation;
    const listensAt = `127.0.0.1:${port}`;
    const address = `localhost:${server.port}`;
    await using worker = await spawnWorker(
      { url: `tls://${address}` },
      { TASUKI_HTTP: listensAt, TASUKI_CONFIG: config, TASUKI_NATS_CREDS: creds, TASUKI_NATS_TLS_CA: ca },
      ["--allow-env", `--allow-net=${address},${listensAt}`, `--allow-read=${config},${creds},${ca}`],
    );
    const login = { authenticator: credsAuthenticator(await Deno.readFile(creds)), tls: { caFile: ca } };
    const pod = await Pod.join({ url: `tls://${address}` }, { login });
    await pod.call("TaskCreate", { subject: "a" });
    assertEquals((await pod.read("TaskList")).structuredContent.counts.pending, 1);
    await pod[Symbol.asyncDispose]();
    const http = await WorkerHttp.of(worker);
    for (const path of ["/", "/livez", "/readyz", "/metrics", "/version"]) {
      await http.until(path, ({ status }) => status === 200);
    }
    const { code, stderr } = await worker.stop();
    const complaints = worker.log.complaints.filter((line) => !line.startsWith("Ignoring TASUKI_TEST_"));
    assertEquals({ code, stderr, complaints }, {
      code: 0,
      stderr: [],
      complaints: [],
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

const least = ["--allow-env", "--allow-net", "--allow-read"];

Deno.test("deno task serve has no other permissions", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile("deno.json"));
  assertEquals(tasks.serve.command, `deno run --no-prompt ${least.join(" ")} main.ts serve`);
});

Deno.test("serve without a server's address says so where it may not run programs", async () => {
  await using worker = launchWorker({ url: "" }, {}, least);
  const { code, stderr } = await worker.ended;
  assertEquals({ code, stderr }, {
    code: 2,
    stderr: [
      "Cannot start: nats.servers (NATS_URL) must name a server: got none, and without --allow-all this process may " +
      "not start a private one",
    ],
  });
});
