import { assertEquals } from "@std/assert";
import { accountsConfig } from "../../../src/acl/accounts.ts";
import { serverConfig } from "../../../src/acl/server_config.ts";
import { Subjects } from "../../../src/log/subjects.ts";

Deno.test("serverConfig() writes what is short in one line, and quotes every text", () => {
  assertEquals(
    serverConfig({ a: "$x", list: ["1", "2"], none: [], block: { b: { c: "d" } } }),
    'a: "$x"\nlist: ["1", "2"]\nnone: []\nblock: { b: { c: "d" } }\n',
  );
});

Deno.test("serverConfig() breaks what is long into lines", () => {
  const long = "x".repeat(60);
  assertEquals(
    serverConfig({ block: { list: [long, long], more: "y" } }),
    `block: {\n  list: [\n    "${long}"\n    "${long}"\n  ]\n  more: "y"\n}\n`,
  );
});

Deno.test("accountsConfig() exports from the one account what the other imports", () => {
  const { accounts: { TASUKI, PODS } } = accountsConfig(new Subjects("tasks"));
  assertEquals(TASUKI.exports, [
    { service: "tasks.*.in.>", accounts: ["PODS"] },
    { service: "tasks.*.read.*", accounts: ["PODS"] },
    { stream: "tasks.*.out.>", accounts: ["PODS"] },
    { stream: "_INBOX.>", accounts: ["PODS"] },
  ]);
  assertEquals(PODS.imports, [
    { service: { account: "TASUKI", subject: "tasks.*.in.>" } },
    { service: { account: "TASUKI", subject: "tasks.*.read.*" } },
    { stream: { account: "TASUKI", subject: "tasks.*.out.>" } },
    { stream: { account: "TASUKI", subject: "_INBOX.>" } },
  ]);
});
