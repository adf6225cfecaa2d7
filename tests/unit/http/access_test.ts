import { assertEquals } from "@std/assert";
import { testApp } from "../../helpers/http_app.ts";
import { storeOf } from "../../helpers/stores.ts";

const token = "9f2c-the-token";

async function statusOf(
  url: string,
  given: { authorization?: string; token?: string | null },
): Promise<number> {
  using test = testApp({ token: given.token ?? null });
  test.boards.put("p1", storeOf({}));
  const headers = given.authorization === undefined ? {} : { authorization: given.authorization };
  const response = await test.app.handle(new Request(url, { headers }));
  await response.body?.cancel();
  return response.status;
}

const data = ["/events", "/events?pod=p1", "/pods/p1/tasks/1", "/pods/p1", "/unknown"];

Deno.test("data need the token, in whatever way it is wrong", async () => {
  const wrong = [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    `Bearer ${token}x`,
    `Bearer ${token.slice(0, -1)}`,
    `Bearer ${token.toUpperCase()}`,
    `Basic ${token}`,
    token,
  ];
  for (const path of data) {
    for (const authorization of wrong) {
      const given = authorization === undefined ? { token } : { token, authorization };
      assertEquals([path, authorization, await statusOf(`http://127.0.0.1${path}`, given)], [
        path,
        authorization,
        401,
      ]);
    }
  }
});

Deno.test("data are shown with the token, under any name", async () => {
  const authorization = `Bearer ${token}`;
  for (const host of ["127.0.0.1:8642", "boards.example.org"]) {
    assertEquals(await statusOf(`http://${host}/pods/p1/tasks/1`, { token, authorization }), 200);
  }
});

Deno.test("without a token data are shown under loopback names only", async () => {
  for (const host of ["127.0.0.1:8642", "localhost", "[::1]:1"]) {
    assertEquals([host, await statusOf(`http://${host}/pods/p1/tasks/1`, {})], [host, 200]);
  }
  for (const host of ["rebound.example.org", "127.0.0.1.example.org", "10.0.0.1", "localhost.example.org"]) {
    assertEquals([host, await statusOf(`http://${host}/pods/p1/tasks/1`, {})], [host, 403]);
  }
});

Deno.test("the page itself, which holds no data, needs nothing", async () => {
  assertEquals(await statusOf("http://boards.example.org/", { token }), 200);
  assertEquals(await statusOf("http://boards.example.org/page/main.js", { token }), 200);
});
