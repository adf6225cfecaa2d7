import { assertEquals, assertThrows } from "@std/assert";
import { loadConfig } from "../../../src/config/load.ts";
import { UsageError } from "../../../src/errors.ts";
import { defaults, file, load, sources } from "../../helpers/config_sources.ts";

Deno.test("loadConfig() needs nothing to be configured", () => {
  assertEquals(loadConfig(sources({})), { config: defaults, warnings: [] });
});

Deno.test("loadConfig() reads every setting from the file", () => {
  const content = {
    nats: {
      servers: ["nats://n1:4222", "tls://n2:4223"],
      tls: { ca: "/ca.pem", cert: "/c.pem", key: "/k.pem" },
    },
    prefix: "team.tasks",
    stream: "S",
    bucket: "B",
    dataDir: "/data",
    http: "0.0.0.0:80",
    httpPage: "off",
    httpToken: "secret",
    replicas: 3,
    duplicateWindowMs: 1_000,
    compression: "s2",
    replies: "pod",
    logLevel: "debug",
    inFlightMax: 16,
    podsInMemoryMax: 0,
    checkpointInputs: 1,
    checkpointEveryMs: 100,
    keepAgeMs: 86_400_000,
    keepMessages: 1_000,
    acceptLoss: true,
  } as const;
  assertEquals(load({ files: file(content) }), content);
});

Deno.test("loadConfig() reads every setting from the environment", () => {
  const env = {
    NATS_URL: "nats://n1:4222, tls://n2:4223",
    TASUKI_NATS_USER: "ann",
    TASUKI_NATS_PASSWORD: "secret",
    TASUKI_NATS_TLS_CA: "/ca.pem",
    TASUKI_NATS_TLS_CERT: "/c.pem",
    TASUKI_NATS_TLS_KEY: "/k.pem",
    TASUKI_PREFIX: "team.tasks",
    TASUKI_STREAM: "S",
    TASUKI_BUCKET: "B",
    TASUKI_DATA: "/data",
    TASUKI_HTTP: "[::1]:8080",
    TASUKI_HTTP_PAGE: "on",
    TASUKI_HTTP_TOKEN: "secret",
    TASUKI_REPLICAS: "5",
    TASUKI_DUPLICATE_WINDOW_MS: "60000",
    TASUKI_COMPRESSION: "s2",
    TASUKI_REPLIES: "pod",
    TASUKI_LOG_LEVEL: "warn",
    TASUKI_IN_FLIGHT_MAX: "10000",
    TASUKI_PODS_IN_MEMORY_MAX: "5",
    TASUKI_CHECKPOINT_INPUTS: "10",
    TASUKI_CHECKPOINT_EVERY_MS: "1000",
    TASUKI_KEEP_AGE_MS: "86400000",
    TASUKI_KEEP_MESSAGES: "1000",
    TASUKI_ACCEPT_LOSS: "true",
  };
  assertEquals(load({ env }), {
    nats: {
      servers: ["nats://n1:4222", "tls://n2:4223"],
      user: "ann",
      password: "secret",
      tls: { ca: "/ca.pem", cert: "/c.pem", key: "/k.pem" },
    },
    prefix: "team.tasks",
    stream: "S",
    bucket: "B",
    dataDir: "/data",
    http: "[::1]:8080",
    httpPage: "on",
    httpToken: "secret",
    replicas: 5,
    duplicateWindowMs: 60_000,
    compression: "s2",
    replies: "pod",
    logLevel: "warn",
    inFlightMax: 10_000,
    podsInMemoryMax: 5,
    checkpointInputs: 10,
    checkpointEveryMs: 1_000,
    keepAgeMs: 86_400_000,
    keepMessages: 1_000,
    acceptLoss: true,
  });
});

Deno.test("loadConfig() lets the environment win over the file, and flags over both", () => {
  const files = file({ prefix: "one", stream: "one", bucket: "one", nats: { tls: { ca: "/one" } } });
  const env = { TASUKI_STREAM: "two", TASUKI_BUCKET: "two", TASUKI_NATS_TLS_CA: "/two" };
  assertEquals(load({ files, env, flags: { bucket: "three" } }), {
    ...defaults,
    prefix: "one",
    stream: "two",
    bucket: "three",
    nats: { servers: [], tls: { ca: "/two" } },
  });
});

Deno.test("loadConfig() names the bucket after the stream, unless it is given", () => {
  assertEquals(load({ env: { TASUKI_STREAM: "S" } }), { ...defaults, stream: "S", bucket: "S_CHECKPOINT" });
  assertEquals(load({ env: { TASUKI_BUCKET: "B" } }), { ...defaults, bucket: "B" });
});

Deno.test("loadConfig() takes an empty variable for none", () => {
  assertEquals(load({ env: { NATS_URL: "", TASUKI_CONFIG: "", TASUKI_LOG_LEVEL: "" } }), defaults);
});

Deno.test("loadConfig() resolves paths against the file's folder, or the working directory", () => {
  const files = { "/etc/tasuki/t.jsonc": '{ "dataDir": "data", "nats": { "tls": { "ca": "../ca.pem" } } }' };
  const env = { TASUKI_CONFIG: "../etc/tasuki/t.jsonc", TASUKI_NATS_CREDS: "a.creds" };
  assertEquals(load({ files, env }), {
    ...defaults,
    dataDir: "/etc/tasuki/data",
    nats: { servers: [], creds: "/cwd/a.creds", tls: { ca: "/etc/ca.pem" } },
  });
});

Deno.test("loadConfig() reads the file of --config rather than that of TASUKI_CONFIG", () => {
  const files = { "/cwd/a.jsonc": '{ "prefix": "a" }', "/cwd/b.jsonc": '{ "prefix": "b", /* last */ }' };
  const config = load({ files, env: { TASUKI_CONFIG: "a.jsonc" }, flags: { config: "b.jsonc" } });
  assertEquals(config, { ...defaults, prefix: "b" });
});

for (
  const [given, acceptLoss] of [
    [{}, false],
    [{ env: { TASUKI_ACCEPT_LOSS: "true" } }, true],
    [{ env: { TASUKI_ACCEPT_LOSS: "false" } }, false],
    [{ flags: { "accept-loss": true } }, true],
    [{ flags: { "accept-loss": true }, env: { TASUKI_ACCEPT_LOSS: "false" } }, true],
    [{ env: { TASUKI_ACCEPT_LOSS: "false" }, files: file({ acceptLoss: true }) }, false],
  ] as const
) {
  Deno.test(`loadConfig() reads the switch of ${JSON.stringify(given)} as ${acceptLoss}`, () => {
    assertEquals(load(given).acceptLoss, acceptLoss);
  });
}

Deno.test("loadConfig() warns of variables that are no settings", () => {
  const env = { TASUKI_SERVICE_HOST: "10.0.0.1", TASUKI_LOGLEVEL: "debug", TASUKI_CONFIG: "", HOME: "/" };
  assertEquals(loadConfig(sources({ env })).warnings, [
    "Ignoring TASUKI_LOGLEVEL: no setting has this name",
    "Ignoring TASUKI_SERVICE_HOST: no setting has this name",
  ]);
});

Deno.test("loadConfig() names options and variables that there are not next to the other problems", () => {
  const env = { TASUKI_REPLICAS: "two", TASUKI_LOGLEVEL: "debug" };
  const given = { ...sources({ env }), problems: ["serve has no option --nope"] };
  const { message } = assertThrows(() => loadConfig(given), UsageError);
  assertEquals(message.split("\n  "), [
    "Cannot start:",
    "serve has no option --nope",
    'replicas must be 1, 3 or 5: got "two" (TASUKI_REPLICAS)',
    "Ignoring TASUKI_LOGLEVEL: no setting has this name",
  ]);
  const alone = { ...sources({}), problems: ["serve has no option --nope"] };
  assertThrows(() => loadConfig(alone), UsageError, "Cannot start: serve has no option --nope");
});

Deno.test("loadConfig() leaves flags alone that are no settings", () => {
  assertEquals(load({ flags: { into: "pod-1", stream: undefined } }), defaults);
});
