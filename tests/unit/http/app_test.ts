import { assertEquals } from "@std/assert";
import { testApp, type TestAppOptions } from "../../helpers/http_app.ts";
import { storeOf } from "../../helpers/stores.ts";

async function asked(
  request: string | Request,
  options: TestAppOptions = {},
): Promise<readonly [status: number, body: string]> {
  using test = testApp(options);
  test.boards.put("p1", storeOf({ subject: "write the parser", description: "with care" }));
  const response = await (typeof request === "string" ? test.get(request) : test.app.handle(request));
  return [response.status, await response.text()];
}

const nothing = [404, "There is nothing here\n"] as const;

Deno.test("/version names the version and the numbers of rules and wire format", async () => {
  assertEquals(await asked("/version"), [200, '{"name":"tasuki","version":"1.2.3","rules":1,"wire":1}\n']);
});

Deno.test("/metrics gives what the metrics say of the worker as it is", async () => {
  const [status, body] = await asked("/metrics");
  const { reconnectCount, viewerCount, status: { podsInMemory } } = JSON.parse(body);
  assertEquals([status, reconnectCount, viewerCount, podsInMemory], [200, 0, 0, 3]);
  assertEquals(JSON.parse((await asked("/metrics", { isServed: false }))[1]).status, null);
});

for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
  Deno.test(`${method} is not known`, async () => {
    using test = testApp();
    const response = await test.app.handle(new Request("http://127.0.0.1/livez", { method }));
    assertEquals([response.status, response.headers.get("allow")], [405, "GET, HEAD"]);
    await response.body?.cancel();
  });
}

Deno.test("a task is given whole", async () => {
  assertEquals(await asked("/pods/p1/tasks/1"), [
    200,
    '{"taskid":1,"status":"pending","subject":"write the parser","description":"with care",' +
    '"standing":"ready","createdMs":1000,"changedMs":1000}\n',
  ]);
});

const nowhere = [
  "/pods",
  "/pods/p1",
  "/pods/p1/tasks/2",
  "/pods/p1/tasks/x",
  "/pods/p1/tasks/1/x",
  "/pods/p2/tasks/1",
  "/pods/_/tasks/1",
  "/pods/p1%2F..%2Fp1/tasks/1",
  "/events?pod=_",
  "/events?pod=a.b",
  "/page/../app.ts",
  "/page/page.html",
  "/favicon.ico",
];
for (const path of nowhere) {
  Deno.test(`there is nothing at ${path}`, async () => assertEquals(await asked(path), nothing));
}

Deno.test("without the page there is neither the page nor its data", async () => {
  for (const path of ["/", "/page/main.js", "/events", "/pods/p1/tasks/1"]) {
    assertEquals(await asked(path, { hasPage: false }), nothing);
  }
  assertEquals((await asked("/version", { hasPage: false }))[0], 200);
});

Deno.test("data wait for the worker, the page does not", async () => {
  assertEquals(await asked("/events", { isServed: false }), [503, "Waiting for NATS\n"]);
  assertEquals((await asked("/", { isServed: false }))[0], 200);
});

Deno.test("what fails is logged and answered without its reason", async () => {
  const status = () => {
    throw new Error("secret of the inside");
  };
  using test = testApp({ status });
  const response = await test.get("/readyz");
  assertEquals([response.status, await response.text()], [500, "Tasuki failed on this request\n"]);
  assertEquals(test.log.complaints, ["fault while answering HTTP"]);
});

Deno.test("every response may run, frame and tell nothing", async () => {
  for (const path of ["/", "/page/main.js", "/livez", "/metrics", "/pods/p1/tasks/9", "/x"]) {
    using test = testApp();
    const { headers, body } = await test.get(path);
    await body?.cancel();
    const policy = (headers.get("content-security-policy") ?? "").split("; ");
    assertEquals([path, policy.includes("default-src 'none'"), policy.includes("script-src 'self'")], [
      path,
      true,
      true,
    ]);
    assertEquals(policy.some((part) => /unsafe|\*|https?:|data:|blob:/.test(part)), false);
    assertEquals(headers.get("x-content-type-options"), "nosniff");
    assertEquals(headers.get("referrer-policy"), "no-referrer");
  }
});
