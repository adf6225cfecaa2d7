import { assertEquals } from "@std/assert";
import { file, problems } from "../../helpers/config_sources.ts";

/** In the form of an nkey's. */
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
