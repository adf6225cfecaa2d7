/** What is in deploy/, and the Dockerfile: each checked by its own tool, or by what it must say. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { validate } from "dockerfile-utils";
import { parse, parseAllDocuments } from "yaml";
import { type RoleName, roles } from "../../src/acl/roles.ts";
import { serverConfig } from "../../src/acl/server_config.ts";
import { composeProblems } from "../helpers/compose.ts";
import { namesOf } from "../helpers/guarded_server.ts";
import { type Json, Pod } from "../helpers/pod.ts";
import { promqlProblems } from "../helpers/promql.ts";
import { testBinary } from "../helpers/test_binary.ts";
import { reservePort, startTestServer } from "../helpers/test_server.ts";
import { within } from "../helpers/within.ts";
import { spawnWorker } from "../helpers/worker_process.ts";

const project = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => Deno.readTextFile(join(project, path));
const { tasks, version } = JSON.parse(await read("deno.json"));
const least = tasks.serve.command.split(" ").filter((word: string) => word.startsWith("--allow-"));

interface Ended {
  readonly code: number;
  readonly text: string;
}

async function run(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(program, { args: [...args], env, cwd: project })
    .output();
  return { code, text: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

async function withFile(name: string, content: string, use: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tasuki-deploy-" });
  try {
    await Deno.writeTextFile(join(folder, name), content);
    await use(join(folder, name));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const words = (text: string) => text.split(/\s+/).join(" ");

// deploy/nats.conf

const conf = await read("deploy/nats.conf");
const passwords = Object.fromEntries(
  [...conf.matchAll(/\$(\w+_PASSWORD)/g)].map(([, name = ""]) => [name, "right"]),
);

Deno.test("nats.conf is a configuration that nats-server takes", async () => {
  const { code, text } = await run(await testBinary(), ["-t", "-c", "deploy/nats.conf"], passwords);
  assertEquals(code, 0, text);
});

Deno.test("nats.conf has the permissions that acl prints, and nothing like allow_responses", () => {
  const printed: readonly [user: string, role: RoleName, pod?: string][] = [
    ["worker", "worker"],
    ["administrator", "administrator"],
    ["planner", "pod", "planner"],
    ["planner-compact", "compact-worker", "planner"],
    ["team-agent", "agent", "team"],
    ["team-harness", "harness", "team"],
    ["dashboard", "dashboard"],
  ];
  const users = conf.split(/(?=\buser: )/).slice(1).map(words);
  assertEquals(users.length, printed.length);
  for (const [index, [user, role, pod]] of printed.entries()) {
    const { publish, subscribe } = roles[role].permissions({
      ...namesOf(role, pod),
      isMaker: role === "worker",
    });
    const block = serverConfig({
      permissions: { publish: { allow: publish }, subscribe: { allow: subscribe } },
    });
    assertStringIncludes(users[index] ?? "", `user: "${user}"`);
    assertStringIncludes(users[index] ?? "", words(block).trim());
  }
  assertEquals(conf.includes("allow_responses"), false);
});

Deno.test("nats.conf lets a worker and a pod work, with replies kept to the pod's own inbox", async () => {
  const own = /^(?:port|http):.*$|^ {2}(?:store_dir|max_(?:memory|file)_store):.*$/gm;
  const inlined = conf.replaceAll(own, "").replaceAll(/\$\w+_PASSWORD/g, "right");
  await using server = await startTestServer({ extraConfig: inlined });
  await using worker = await spawnWorker({ url: `nats://worker:right@127.0.0.1:${server.port}` }, {
    TASUKI_REPLIES: "pod",
  }, least);
  await using pod = await Pod.join(server, {
    id: "planner",
    login: { user: "planner", pass: "right", inboxPrefix: "_INBOX.planner" },
  });
  const inbox = "_INBOX.planner.copy";
  const copy = await pod.replyOn(
    inbox,
    () => pod.sendCall("TaskCreate", { subject: "a" }, { headers: { "Tasuki-Reply": inbox } }),
  );
  assertEquals(copy.changes[0].taskid, 1);
  assertEquals((await pod.read("TaskList")).structuredContent.counts.pending, 1);
  assertEquals((await worker.stop()).code, 0);
  assertEquals((await server.log()).includes("Violation"), false);
});

// Dockerfile

interface Instruction {
  readonly name: string;
  readonly value: string;
}

/** Lines that end in a backslash go on; comments and empty lines are none. */
function instructionsOf(dockerfile: string): readonly Instruction[] {
  const lines = dockerfile.replaceAll("\\\n", " ").split("\n").filter((line) =>
    line.trim() !== "" && !line.startsWith("#")
  );
  return lines.map((line) => {
    const [, name = "", value = ""] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    return { name, value };
  });
}

Deno.test("Dockerfile is one, as the language server for Dockerfiles reads it", async () => {
  const text = await read("Dockerfile");
  const problems = (dockerfile: string) => validate(dockerfile).map(({ message }) => message);
  assertEquals(problems(text), []);
  assertEquals(problems(text.replace("STOPSIGNAL", "STOPSIGNL")), ["Unknown instruction: STOPSIGNL"]);
});

Deno.test("Dockerfile ends in a stage without root, whose process 1 is Deno with the least permissions", async () => {
  const all = instructionsOf(await read("Dockerfile"));
  const last = all.slice(all.findLastIndex(({ name }) => name === "FROM"));
  const valueOf = (name: string) => last.find((instruction) => instruction.name === name)?.value ?? "";
  assertEquals(valueOf("FROM"), "debian:12-slim");
  assertMatch(valueOf("USER"), /^[1-9]\d+:[1-9]\d+$/);
  assertEquals(JSON.parse(valueOf("ENTRYPOINT")), [
    ...["deno", "run", "--no-prompt", "--cached-only", "--frozen"],
    ...least,
    "main.ts",
  ]);
  assertEquals(JSON.parse(valueOf("CMD")), ["serve"]);
  assertEquals(
    last.some(({ name, value }) => name === "RUN" || /(?:TOKEN|PASSWORD|CREDS)=/.test(value)),
    false,
  );
  assertMatch(all[0]?.value ?? "", /^denoland\/deno:bin-\d+\.\d+\.\d+ AS deno$/);
});

Deno.test("Dockerfile copies what the worker imports, and .dockerignore lets it through", async () => {
  const copied = instructionsOf(await read("Dockerfile")).filter(({ name, value }) =>
    name === "COPY" && !value.includes("--from")
  );
  const sources = copied.flatMap(({ value }) => value.split(" ").slice(0, -1));
  const ignored = (await read(".dockerignore")).trim().split("\n");
  assertEquals(ignored, ["*", ...sources.map((source) => `!${source}`)]);
  const { text } = await run(Deno.execPath(), ["info", "--json", "main.ts"]);
  const modules: readonly { readonly local?: string }[] = JSON.parse(text.slice(text.indexOf("{"))).modules;
  const own = modules.flatMap(({ local }) => local?.startsWith(project) ? [local.slice(project.length)] : []);
  assertEquals(own.filter((path) => !sources.includes(path.split("/")[0] ?? "")), []);
});

// deploy/kubernetes.yaml

Deno.test("kubernetes.yaml holds objects as Kubernetes types them", async () => {
  const documents = parseAllDocuments(await read("deploy/kubernetes.yaml")).map((document) =>
    document.toJS()
  );
  assertEquals(documents.map(({ kind }) => kind), ["Secret", "Deployment"]);
  const types = new URL("../helpers/kubernetes.ts", import.meta.url).href;
  const source = documents.map((object, index) =>
    `import type { ${object.kind} } from "${types}";\nexport const object${index}: ${object.kind} = ${
      JSON.stringify(object)
    };\n`
  ).join("");
  await withFile("objects.ts", source, async (path) => {
    const { code, text } = await run(Deno.execPath(), ["check", "--config", "deno.json", path]);
    assertEquals(code, 0, text);
  });
});

Deno.test("kubernetes.yaml runs the worker as a native sidecar that the kubelet reaches, without rights", async () => {
  const [, { spec: { template: { spec } } }] = parseAllDocuments(await read("deploy/kubernetes.yaml")).map((
    one,
  ) => one.toJS());
  const [sidecar] = spec.initContainers;
  const env = Object.fromEntries(sidecar.env.map(({ name, value }: Json) => [name, value]));
  assertEquals([sidecar.restartPolicy, spec.securityContext.runAsNonRoot], ["Always", true]);
  assertEquals(sidecar.image.endsWith(`:${version}`), true, sidecar.image);
  assertEquals(sidecar.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
  assertEquals([env.TASUKI_HTTP, env.TASUKI_HTTP_PAGE], ["0.0.0.0:8642", "off"]);
  const [port] = sidecar.ports;
  assertEquals(env.TASUKI_HTTP.endsWith(`:${port.containerPort}`), true);
  for (
    const [probe, path] of [["startupProbe", "/readyz"], ["livenessProbe", "/livez"], [
      "readinessProbe",
      "/readyz",
    ]] as const
  ) {
    assertEquals(sidecar[probe].httpGet, { path, port: port.name });
  }
  const [mount] = sidecar.volumeMounts;
  const volume = spec.volumes.find(({ name }: Json) => name === mount.name);
  assertEquals([volume.secret.secretName, mount.readOnly], ["tasuki-nats", true]);
  assertEquals(env.TASUKI_NATS_CREDS.startsWith(`${mount.mountPath}/`), true);
  assertEquals(typeof sidecar.resources.limits.memory, "string");
  assertEquals(spec.terminationGracePeriodSeconds >= 10, true);
});

Deno.test("kubernetes.yaml and compose.yaml name settings that there are", async () => {
  const [, deployment] = parseAllDocuments(await read("deploy/kubernetes.yaml")).map((one) => one.toJS());
  const { services } = parse(await read("deploy/compose.yaml"));
  const sidecar: Json = deployment.spec.template.spec.initContainers[0];
  const names = [
    ...sidecar.env.map(({ name }: Json) => name),
    ...Object.keys(services.tasuki.environment),
    ...[...(await read("deploy/tasuki.service")).matchAll(/TASUKI_\w+(?==)/g)].map(([name]) => name),
  ];
  const { text } = await run(Deno.execPath(), ["run", "-A", "main.ts", "--help"]);
  assertEquals(names.filter((name: string) => !text.includes(` ${name} `)), []);
});

// deploy/compose.yaml

Deno.test("compose.yaml is a file of the Compose specification", async () => {
  const text = await read("deploy/compose.yaml");
  assertEquals(composeProblems(parse(text)), []);
  const wrong = (right: string, instead: string) => composeProblems(parse(text.replace(right, instead)));
  assertEquals(wrong("mem_limit:", "mem_limt:"), ['services.tasuki: Unrecognized key: "mem_limt"']);
  assertEquals(wrong("interval: 10s", "interval: []"), [
    "services.tasuki.healthcheck.interval: Invalid input: expected string, received array",
  ]);
});

Deno.test("compose.yaml gives nats.conf every password, and the worker its own", async () => {
  const { services: { nats, tasuki } } = parse(await read("deploy/compose.yaml"));
  assertEquals(Object.keys(nats.environment).toSorted(), Object.keys(passwords).toSorted());
  assertEquals(tasuki.environment.TASUKI_NATS_PASSWORD, nats.environment.WORKER_PASSWORD);
  assertEquals(tasuki.environment.NATS_URL, "nats://nats:4222");
  assertEquals([nats.volumes[0], nats.command], ["./nats.conf:/etc/nats/nats.conf:ro", [
    "-c",
    "/etc/nats/nats.conf",
  ]]);
  assertStringIncludes(conf, `store_dir: "${nats.volumes[1].split(":")[1]}"`);
  assertEquals([tasuki.read_only, tasuki.cap_drop, typeof tasuki.mem_limit], [true, ["ALL"], "string"]);
});

Deno.test("the health check of compose.yaml tells a worker that lives from one that does not", async () => {
  const { services: { tasuki: { healthcheck } } } = parse(await read("deploy/compose.yaml"));
  const [kind, program, ...args] = healthcheck.test;
  assertEquals(kind, "CMD");
  const { port, reservation } = reservePort();
  using _reservation = reservation;
  const check = () =>
    run(program, args.map((arg: string) => arg.replaceAll("$$", "$").replace("8642", String(port))));
  await using server = await startTestServer();
  assertEquals((await check()).code === 0, false);
  await using _worker = await spawnWorker(server, { TASUKI_HTTP: `127.0.0.1:${port}` });
  let last: Ended;
  // The worker itself gives NATS little time to answer.
  const becomesContent = async (): Promise<void> => {
    while ((last = await check()).code !== 0);
  };
  await within(becomesContent(), () => `a check that finds the worker alive: got ${last.text}`);
});

// deploy/tasuki.service

Deno.test("tasuki.service is a unit that systemd takes, and starts the worker as the image does", async (t) => {
  const unit = await read("deploy/tasuki.service");
  assertStringIncludes(
    unit,
    `ExecStart=/usr/local/bin/deno run --no-prompt --cached-only --frozen ${least.join(" ")} main.ts serve`,
  );
  const analyze = await run("systemd-analyze", ["--version"]).catch(() => null);
  await t.step({
    name: "systemd-analyze verify",
    ignore: analyze === null,
    fn: () =>
      withFile("tasuki.service", unit.replaceAll("/usr/local/bin/deno", Deno.execPath()), async (path) => {
        const { code, text } = await run("systemd-analyze", ["verify", path]);
        assertEquals({ code, text }, { code: 0, text: "" });
      }),
  });
});

// deploy/alerts.yaml

Deno.test("promqlProblems() tells PromQL from what is none", () => {
  assertEquals(promqlProblems("sum by (a) (rate(b[5m])) > 1"), []);
  assertEquals(promqlProblems("rate(b[5m)").length, 1);
});

Deno.test("alerts.yaml holds rules as Prometheus reads them", async () => {
  const { groups } = parse(await read("deploy/alerts.yaml"));
  const rules: readonly Json[] = groups.flatMap(({ rules }: Json) => rules);
  assertEquals(rules.length > 5, true);
  for (const { alert, expr, labels, annotations, ...more } of rules) {
    assertMatch(alert, /^Tasuki[A-Z]\w+$/);
    assertEquals([alert, promqlProblems(expr)], [alert, []]);
    assertEquals([typeof expr, typeof labels.severity, typeof annotations.summary], [
      "string",
      "string",
      "string",
    ]);
    assertEquals(Object.keys(more).filter((field) => field !== "for"), []);
  }
});
