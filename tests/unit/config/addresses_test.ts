import { assertEquals } from "@std/assert";
import { load, problems } from "../../helpers/config_sources.ts";

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
