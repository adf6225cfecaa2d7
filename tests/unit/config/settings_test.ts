import { assertEquals } from "@std/assert";
import { parseArgs } from "node:util";
import { configFileSetting, configFlags, settings } from "../../../src/config/settings.ts";

Deno.test("settings name each variable and flag after the path", () => {
  assertEquals(settings.map(({ path, env, flag, defaultText }) => [path, env, flag, defaultText]), [
    ["nats.servers", "NATS_URL", "--nats-url", "none"],
    ["nats.creds", "TASUKI_NATS_CREDS", "--nats-creds", "none"],
    ["nats.nkey", "TASUKI_NATS_NKEY", "--nats-nkey", "none"],
    ["nats.user", "TASUKI_NATS_USER", "--nats-user", "none"],
    ["nats.password", "TASUKI_NATS_PASSWORD", "--nats-password", "none"],
    ["nats.token", "TASUKI_NATS_TOKEN", "--nats-token", "none"],
    ["nats.tls.ca", "TASUKI_NATS_TLS_CA", "--nats-tls-ca", "none"],
    ["nats.tls.cert", "TASUKI_NATS_TLS_CERT", "--nats-tls-cert", "none"],
    ["nats.tls.key", "TASUKI_NATS_TLS_KEY", "--nats-tls-key", "none"],
    ["prefix", "TASUKI_PREFIX", "--prefix", "tasks"],
    ["stream", "TASUKI_STREAM", "--stream", "TASKS"],
    ["bucket", "TASUKI_BUCKET", "--bucket", "TASKS_CHECKPOINT"],
    ["dataDir", "TASUKI_DATA", "--data", ".tasuki"],
    ["http", "TASUKI_HTTP", "--http", "127.0.0.1:8642"],
    ["httpPage", "TASUKI_HTTP_PAGE", "--http-page", "on"],
    ["httpToken", "TASUKI_HTTP_TOKEN", "--http-token", "none"],
    ["replicas", "TASUKI_REPLICAS", "--replicas", "1"],
    ["duplicateWindowMs", "TASUKI_DUPLICATE_WINDOW_MS", "--duplicate-window-ms", "120000"],
    ["compression", "TASUKI_COMPRESSION", "--compression", "none"],
    ["replies", "TASUKI_REPLIES", "--replies", "inbox"],
    ["logLevel", "TASUKI_LOG_LEVEL", "--log-level", "info"],
    ["inFlightMax", "TASUKI_IN_FLIGHT_MAX", "--in-flight-max", "1024"],
    ["podsInMemoryMax", "TASUKI_PODS_IN_MEMORY_MAX", "--pods-in-memory-max", "10000"],
    ["checkpointInputs", "TASUKI_CHECKPOINT_INPUTS", "--checkpoint-inputs", "50000"],
    ["checkpointEveryMs", "TASUKI_CHECKPOINT_EVERY_MS", "--checkpoint-every-ms", "10000"],
    ["keepAgeMs", "TASUKI_KEEP_AGE_MS", "--keep-age-ms", "0"],
    ["keepMessages", "TASUKI_KEEP_MESSAGES", "--keep-messages", "0"],
    ["acceptLoss", "TASUKI_ACCEPT_LOSS", "--accept-loss", "false"],
  ]);
});

Deno.test("configFlags() lets parseArgs read every setting and --config, a switch without a value", () => {
  const given = [configFileSetting, ...settings].map(({ flag, kind }) =>
    kind === "switch" ? { arg: flag, value: true } : { arg: `${flag}=x`, value: "x" }
  );
  const { values } = parseArgs({ args: given.map(({ arg }) => arg), options: configFlags() });
  const expected = given.map(({ arg, value }) => [arg.replace(/^--|=x$/g, ""), value]);
  assertEquals({ ...values }, Object.fromEntries(expected));
});
