import { assertEquals } from "@std/assert";
import { load, problems } from "../../helpers/config_sources.ts";

for (const http of ["off", "127.0.0.1:8080", "localhost:0", "[::1]:9000", "127.3.2.1:65535"]) {
  Deno.test(`loadConfig() takes ${http} for http without a token`, () => {
    assertEquals(load({ env: { TASUKI_HTTP: http } }).http, http);
  });
}

for (
  const http of [
    "8080",
    ":8080",
    "0.0.0.0",
    "host:65536",
    "http://host:80",
    "::1:80",
    "host:80/",
    "on",
    "a b:80",
  ]
) {
  Deno.test(`loadConfig() refuses ${http} for http`, () => {
    assertEquals(problems({ env: { TASUKI_HTTP: http } }), [
      `http must be host:port or "off": got ${JSON.stringify(http)} (TASUKI_HTTP)`,
    ]);
  });
}

for (
  const http of ["0.0.0.0:8080", "[::]:8080", "10.0.0.3:80", "tasuki.internal:80", "127.0.0.1.example.org:80"]
) {
  Deno.test(`loadConfig() wants a token for boards at ${http}, or none shown`, () => {
    const env = { TASUKI_HTTP: http };
    assertEquals(problems({ env }), [
      'httpToken must be set where http is beyond loopback, or httpPage "off": got http (TASUKI_HTTP) alone',
    ]);
    assertEquals(load({ env: { ...env, TASUKI_HTTP_TOKEN: "secret" } }).httpToken, "secret");
    assertEquals(load({ env: { ...env, TASUKI_HTTP_PAGE: "off" } }).httpPage, "off");
  });
}

Deno.test("loadConfig() shows no token that cannot be used", () => {
  const flags = { "http-token": "", http: "0.0.0.0:80" };
  assertEquals(problems({ flags, env: { TASUKI_HTTP_PAGE: "secret" } }), [
    'httpPage must be "on" or "off": got "secret" (TASUKI_HTTP_PAGE)',
    'httpToken must not be empty: got "" (--http-token)',
    'httpToken must be set where http is beyond loopback, or httpPage "off": got http (--http) alone',
  ]);
});
