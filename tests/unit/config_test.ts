import { assertEquals, assertThrows } from "@std/assert";
import { parseArgs } from "node:util";
import {
  configFileSetting,
  configFlags,
  type ConfigSources,
  loadConfig,
  settings,
} from "../../src/config.ts";
import { UsageError } from "../../src/errors.ts";

interface Given {
  readonly env?: Record<string, string>;
  readonly flags?: Record<string, string | undefined>;
  /** Texts by absolute path. */
  readonly files?: Record<string, string>;
}

/** The sources of a worker that runs in `/work`. */
function sources({ env = {}, flags = {}, files = {} }: Given): ConfigSources {
  const readTextFile = (path: string): string => {
    const text = files[path];
    if (text === undefined) throw new Deno.errors.NotFound(`no ${path}`);
    return text;
  };
  return { env, flags, readTextFile, cwd: "/work" };
}

function load(given: Given) {
  return loadConfig(sources(given)).config;
}

/** The `tasuki.jsonc` of the working directory. */
function file(content: unknown): Record<string, string> {
  return { "/work/tasuki.jsonc": JSON.stringify(content) };
}

/** The problems, in the order of the message. */
function problems(given: Given): string[] {
  const { message } = assertThrows(() => load(given), UsageError);
  const [head, ...lines] = message.split("\n  ");
  return lines.length > 0 ? lines : [head?.replace("Cannot start: ", "") ?? ""];
}

const defaults = {
  nats: { servers: [] },
  prefix: "tasks",
  stream: "TASKS",
  bucket: "TASKS_CHECKPOINT",
  dataDir: "/work/.tasuki",
  http: "off",
  replicas: 1,
  duplicateWindowMs: 120_000,
  compression: "none",
  replies: "inbox",
  logLevel: "info",
  inFlightMax: 1024,
} as const;

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
    http: "off",
    replicas: 3,
    duplicateWindowMs: 1_000,
    compression: "s2",
    replies: "pod",
    logLevel: "debug",
    inFlightMax: 16,
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
    TASUKI_HTTP: "off",
    TASUKI_REPLICAS: "5",
    TASUKI_DUPLICATE_WINDOW_MS: "60000",
    TASUKI_COMPRESSION: "s2",
    TASUKI_REPLIES: "pod",
    TASUKI_LOG_LEVEL: "warn",
    TASUKI_IN_FLIGHT_MAX: "10000",
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
    http: "off",
    replicas: 5,
    duplicateWindowMs: 60_000,
    compression: "s2",
    replies: "pod",
    logLevel: "warn",
    inFlightMax: 10_000,
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

Deno.test("loadConfig() takes an empty variable for none", () => {
  assertEquals(load({ env: { NATS_URL: "", TASUKI_CONFIG: "", TASUKI_LOG_LEVEL: "" } }), defaults);
});

Deno.test("loadConfig() resolves paths against the file's folder, or the working directory", () => {
  const files = { "/etc/tasuki/t.jsonc": '{ "dataDir": "data", "nats": { "tls": { "ca": "../ca.pem" } } }' };
  const env = { TASUKI_CONFIG: "../etc/tasuki/t.jsonc", TASUKI_NATS_CREDS: "a.creds" };
  assertEquals(load({ files, env }), {
    ...defaults,
    dataDir: "/etc/tasuki/data",
    nats: { servers: [], creds: "/work/a.creds", tls: { ca: "/etc/ca.pem" } },
  });
});

Deno.test("loadConfig() reads the file of --config rather than that of TASUKI_CONFIG", () => {
  const files = { "/work/a.jsonc": '{ "prefix": "a" }', "/work/b.jsonc": '{ "prefix": "b", /* last */ }' };
  const config = load({ files, env: { TASUKI_CONFIG: "a.jsonc" }, flags: { config: "b.jsonc" } });
  assertEquals(config, { ...defaults, prefix: "b" });
});

for (
  const [given, servers] of [
    ["n1", ["nats://n1:4222"]],
    ["n1:4333/", ["nats://n1:4333"]],
    ["NATS://n1.example.com", ["nats://n1.example.com:4222"]],
    ["tls://127.0.0.1", ["tls://127.0.0.1:4222"]],
    ["[::1]:4333,nats://[::1]", ["nats://[::1]:4333", "nats://[::1]:4222"]],
    [" my_nats , nats-0.nats ", ["nats://my_nats:4222", "nats://nats-0.nats:4222"]],
  ] as const
) {
  Deno.test(`loadConfig() reads the addresses ${JSON.stringify(given)}`, () => {
    assertEquals(load({ env: { NATS_URL: given } }).nats, { servers });
  });
}

for (
  const [given, shown] of [
    ["4222", "4222"],
    ["nats://4222", "nats://4222"],
    ["n1:0", "n1:0"],
    ["n1:65536", "n1:65536"],
    ["n1,", ""],
    ["ws://n1:80", "ws://n1:80"],
    ["n1:4222/path", "n1…"],
    ["nats://ann:secret", "nats://ann…"],
    ["ann:secret", "ann…"],
    ["n1?token=secret", "n1…"],
    ["$SYS.secret", "…"],
  ] as const
) {
  Deno.test(`loadConfig() refuses the addresses ${JSON.stringify(given)}`, () => {
    const index = given.split(",").length - 1;
    assertEquals(problems({ env: { NATS_URL: given } }), [
      `nats.servers[${index}] must be a nats:// or tls:// address: got "${shown}" (NATS_URL)`,
    ]);
  });
}

for (
  const [given, nats] of [
    ["nats://ann:secret@n1", { servers: ["nats://n1:4222"], user: "ann", password: "secret" }],
    ["ann:secret@n1:1", { servers: ["nats://n1:1"], user: "ann", password: "secret" }],
    ["tls://t0ken@n1", { servers: ["tls://n1:4222"], token: "t0ken" }],
    ["ann:a%40b%2fc:d#@n1", { servers: ["nats://n1:4222"], user: "ann", password: "a@b/c:d#" }],
    ["a:b@n1,a:b@n2,n3", {
      servers: ["nats://n1:4222", "nats://n2:4222", "nats://n3:4222"],
      user: "a",
      password: "b",
    }],
  ] as const
) {
  Deno.test(`loadConfig() moves the credentials out of the addresses ${JSON.stringify(given)}`, () => {
    assertEquals<unknown>(load({ env: { NATS_URL: given } }).nats, nats);
  });
}

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
      colour: "red",
    }),
    env: { TASUKI_IN_FLIGHT_MAX: "0", TASUKI_HTTP: "127.0.0.1:8080" },
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
    '  http must be "off", as this version has no HTTP yet: got "127.0.0.1:8080" (TASUKI_HTTP)',
    "  replicas must be 1, 3 or 5: got 2 (tasuki.jsonc)",
    '  duplicateWindowMs must be a whole number from 1000 to 604800000: got "1s" (--duplicate-window-ms)',
    '  replies must be "inbox" or "pod": got "both" (--replies)',
    '  logLevel must be "debug", "info", "warn" or "error": got a list (tasuki.jsonc)',
    "  inFlightMax must be a whole number from 1 to 10000: got 0 (TASUKI_IN_FLIGHT_MAX)",
    "  colour must be the name of a setting: got an unknown one (tasuki.jsonc)",
    "  nats.tls.cert must come with nats.tls.key: got only nats.tls.cert (tasuki.jsonc)",
  ]);
});

Deno.test("loadConfig() says of a file that is no object what it is", () => {
  assertEquals(problems({ files: file([]), env: { TASUKI_STREAM: "S" } }), [
    "the configuration must be an object: got a list (tasuki.jsonc)",
  ]);
  assertEquals(problems({ files: file({ nats: "nats://ann:secret@n1" }), env: { NATS_URL: "n1" } }), [
    "nats must be an object: got a text (tasuki.jsonc)",
  ]);
});

Deno.test("loadConfig() refuses __proto__ as a setting", () => {
  assertEquals(problems({ files: { "/work/tasuki.jsonc": '{ "__proto__": { "prefix": "x" } }' } }), [
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
  assertEquals(problems({ files: { "/work/tasuki.jsonc": '{\n  "nats" {} }' } }), [
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

const seed = `SU${"A2".repeat(28)}`;

for (
  const [name, given, expected] of [
    ["two ways to log in", { env: { TASUKI_NATS_TOKEN: "secret" }, flags: { "nats-creds": "a.creds" } }, [
      "nats must have one way to log in: got nats.creds (--nats-creds) and nats.token (TASUKI_NATS_TOKEN)",
    ]],
    ["a token in an address beside an nkey", {
      env: { NATS_URL: "secret@n1" },
      flags: { "nats-nkey": "a.nk" },
    }, [
      "nats must have one way to log in: got nats.nkey (--nats-nkey) and nats.token (NATS_URL)",
    ]],
    ["a password alone", { env: { TASUKI_NATS_PASSWORD: "secret" } }, [
      "nats.password must come with nats.user: got only nats.password (TASUKI_NATS_PASSWORD)",
    ]],
    ["a user alone", { flags: { "nats-user": "ann" } }, [
      "nats.user must come with nats.password: got only nats.user (--nats-user)",
    ]],
    ["a key alone", { flags: { "nats-tls-key": "k.pem" } }, [
      "nats.tls.key must come with nats.tls.cert: got only nats.tls.key (--nats-tls-key)",
    ]],
    ["addresses with two passwords", { env: { NATS_URL: "ann:secret@n1,ann:secret2@n2" } }, [
      "nats.password must be given once: got another one in nats.servers (NATS_URL)",
    ]],
    ["a password in an address and another", {
      env: { NATS_URL: "ann:secret@n1", TASUKI_NATS_PASSWORD: "secret2" },
    }, ["nats.password must be given once: got another one in nats.servers (NATS_URL)"]],
    ["a password of another type", { files: file({ nats: { user: "ann", password: 1234 } }) }, [
      "nats.password must be a text: got a number (tasuki.jsonc)",
    ]],
    ["an empty token", { flags: { "nats-token": "" } }, [
      'nats.token must not be empty: got "" (--nats-token)',
    ]],
    ["a password that is not encoded", { env: { NATS_URL: "nats://ann:sec/ret@n1" } }, [
      "nats.servers[0] must be a nats:// or tls:// address, with what is before the @ percent-encoded: " +
      'got "nats://…@n1" (NATS_URL)',
    ]],
    ["a password that is badly encoded", { files: file({ nats: { servers: ["ann:sec%ret@n1"] } }) }, [
      "nats.servers[0] must be a nats:// or tls:// address, with what is before the @ percent-encoded: " +
      'got "…@n1" (tasuki.jsonc)',
    ]],
    ["a text for the list of addresses", { files: file({ nats: { servers: "nats://ann:secret@n1" } }) }, [
      'nats.servers must be a list of addresses: got "nats://…@n1" (tasuki.jsonc)',
    ]],
    ["a seed for its path", { env: { TASUKI_NATS_NKEY: seed } }, [
      "nats.nkey must be a path, not the content of a file: got a text (TASUKI_NATS_NKEY)",
    ]],
    ["credentials for their path", { env: { TASUKI_NATS_CREDS: "-----BEGIN\nsecret\n" } }, [
      "nats.creds must be a path, not the content of a file: got a text (TASUKI_NATS_CREDS)",
    ]],
  ] as const
) {
  Deno.test(`loadConfig() refuses ${name}, and shows no secret`, () => {
    assertEquals(problems(given), [...expected]);
  });
}

Deno.test("loadConfig() warns of variables that are no settings", () => {
  const env = { TASUKI_SERVICE_HOST: "10.0.0.1", TASUKI_LOGLEVEL: "debug", TASUKI_CONFIG: "", HOME: "/" };
  assertEquals(loadConfig(sources({ env })).warnings, [
    "Ignoring TASUKI_LOGLEVEL: no setting has this name",
    "Ignoring TASUKI_SERVICE_HOST: no setting has this name",
  ]);
});

Deno.test("loadConfig() leaves flags alone that are no settings", () => {
  assertEquals(load({ flags: { into: "pod-1", stream: undefined } }), defaults);
});

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
    ["http", "TASUKI_HTTP", "--http", "off"],
    ["replicas", "TASUKI_REPLICAS", "--replicas", "1"],
    ["duplicateWindowMs", "TASUKI_DUPLICATE_WINDOW_MS", "--duplicate-window-ms", "120000"],
    ["compression", "TASUKI_COMPRESSION", "--compression", "none"],
    ["replies", "TASUKI_REPLIES", "--replies", "inbox"],
    ["logLevel", "TASUKI_LOG_LEVEL", "--log-level", "info"],
    ["inFlightMax", "TASUKI_IN_FLIGHT_MAX", "--in-flight-max", "1024"],
  ]);
});

Deno.test("configFlags() lets parseArgs read every setting and --config", () => {
  const flags = [configFileSetting, ...settings].map(({ flag }) => flag);
  const { values } = parseArgs({ args: flags.map((flag) => `${flag}=x`), options: configFlags() });
  assertEquals({ ...values }, Object.fromEntries(flags.map((flag) => [flag.slice(2), "x"])));
});
