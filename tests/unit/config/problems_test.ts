import { assertEquals, assertThrows } from "@std/assert";
import { loadConfig } from "../../../src/config/load.ts";
import { UsageError } from "../../../src/errors.ts";
import { file, load, problems, sources } from "../../helpers/config_sources.ts";

Deno.test("loadConfig() reports one problem in one line", () => {
  const { message } = assertThrows(() => load({ env: { NATS_URL: "4222" } }), UsageError);
  assertEquals(
    message,
    'Cannot start: nats.servers[0] must be a nats:// or tls:// address: got "4222" (NATS_URL)',
  );
});

Deno.test("loadConfig() reports every problem at once, with its path and where it came from", () => {
  const given = {
    files: file({
      nats: { servers: ["n1", 4222], sever: "n1", tls: { cert: "c.pem", ca: 1 } },
      prefix: "tasks.*",
      replicas: 2,
      logLevel: ["info"],
      acceptLoss: "yes",
      colour: "red",
    }),
    env: { TASUKI_IN_FLIGHT_MAX: "0", TASUKI_KEEP_MESSAGES: "-1", TASUKI_HTTP: "8080" },
    flags: {
      "duplicate-window-ms": "1s",
      replies: "both",
      "nats-creds": "",
      stream: "a b",
      compression: undefined,
    },
  };
  const { message } = assertThrows(() => load(given), UsageError);
  assertEquals(message.split("\n"), [
    "Cannot start:",
    "  nats.servers[1] must be a nats:// or tls:// address: got 4222 (tasuki.jsonc)",
    '  nats.creds must be a path, not the content of a file: got "" (--nats-creds)',
    "  nats.tls.ca must be a path, not the content of a file: got a number (tasuki.jsonc)",
    "  nats.sever must be the name of a setting: got an unknown one (tasuki.jsonc)",
    '  prefix must be tokens of A-Z, a-z, 0-9, _ and - with dots between: got "tasks.*" (tasuki.jsonc)',
    '  stream must be a name of A-Z, a-z, 0-9, _ and -: got "a b" (--stream)',
    '  http must be host:port or "off": got "8080" (TASUKI_HTTP)',
    "  replicas must be 1, 3 or 5: got 2 (tasuki.jsonc)",
    '  duplicateWindowMs must be a whole number from 1000 to 604800000: got "1s" (--duplicate-window-ms)',
    '  replies must be "inbox" or "pod": got "both" (--replies)',
    '  logLevel must be "debug", "info", "warn" or "error": got a list (tasuki.jsonc)',
    "  inFlightMax must be a whole number from 1 to 10000: got 0 (TASUKI_IN_FLIGHT_MAX)",
    "  keepMessages must be a whole number from 0 to 1000000000: got -1 (TASUKI_KEEP_MESSAGES)",
    '  acceptLoss must be true or false: got "yes" (tasuki.jsonc)',
    "  colour must be the name of a setting: got an unknown one (tasuki.jsonc)",
    "  nats.tls.cert must come with nats.tls.key: got only nats.tls.cert (tasuki.jsonc)",
  ]);
});

for (const text of ["1", "yes", "TRUE", "true "]) {
  Deno.test(`loadConfig() refuses ${JSON.stringify(text)} for a switch`, () => {
    assertEquals(problems({ env: { TASUKI_ACCEPT_LOSS: text } }), [
      `acceptLoss must be true or false: got ${JSON.stringify(text)} (TASUKI_ACCEPT_LOSS)`,
    ]);
  });
}

Deno.test("loadConfig() says of a file that is no object what it is", () => {
  assertEquals(problems({ files: file([]), env: { TASUKI_STREAM: "S" } }), [
    "the configuration must be an object: got a list (tasuki.jsonc)",
  ]);
  assertEquals(problems({ files: file({ nats: "nats://ann:secret@n1" }), env: { NATS_URL: "n1" } }), [
    "nats must be an object: got a text (tasuki.jsonc)",
  ]);
});

Deno.test("loadConfig() refuses __proto__ as a setting", () => {
  assertEquals(problems({ files: { "/cwd/tasuki.jsonc": '{ "__proto__": { "prefix": "x" } }' } }), [
    "__proto__ must be the name of a setting: got an unknown one (tasuki.jsonc)",
  ]);
});

Deno.test("loadConfig() wants a file that was named to exist, and checks the rest all the same", () => {
  const env = { TASUKI_CONFIG: "none.jsonc", TASUKI_REPLICAS: "x" };
  const expected = [
    "none.jsonc must exist: got no such file",
    'replicas must be 1, 3 or 5: got "x" (TASUKI_REPLICAS)',
  ];
  assertEquals(problems({ env }), expected);
  assertEquals(problems({ env: { ...env, TASUKI_CONFIG: "" }, flags: { config: "none.jsonc" } }), expected);
});

Deno.test("loadConfig() says where the file is no JSONC", () => {
  assertEquals(problems({ files: { "/cwd/tasuki.jsonc": '{\n  "nats" {} }' } }), [
    "tasuki.jsonc must be JSONC: got a syntax error at position 11 (line 2, column 10)",
  ]);
});

Deno.test("loadConfig() says why the file cannot be read", () => {
  const readTextFile = () => {
    throw new Deno.errors.PermissionDenied("not yours");
  };
  const { message } = assertThrows(() => loadConfig({ ...sources({}), readTextFile }), UsageError);
  assertEquals(message, "Cannot start: tasuki.jsonc must be readable: got PermissionDenied: not yours");
});
