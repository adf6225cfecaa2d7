import { assertEquals } from "@std/assert";
import { emptyStore } from "../../../src/tasks/store.ts";
import { type TestApp, testApp } from "../../helpers/http_app.ts";
import { storeOf } from "../../helpers/stores.ts";

interface Told {
  /** A comment as it is. */
  readonly name: string;
  /** Null for a comment. */
  readonly data: { readonly [name: string]: unknown } | null;
}

/** The events of an open page, one at a time. */
class OpenPage {
  readonly response: Response;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #rest = "";

  private constructor(response: Response) {
    this.response = response;
    this.#reader = (response.body ?? new ReadableStream()).getReader();
  }

  static async open(test: TestApp, path: string): Promise<OpenPage> {
    return new OpenPage(await test.get(path));
  }

  /** Null at the end. */
  async next(): Promise<Told | null> {
    while (!this.#rest.includes("\n\n")) {
      const { value, done } = await this.#reader.read();
      if (done) return null;
      this.#rest += this.#decoder.decode(value, { stream: true });
    }
    const end = this.#rest.indexOf("\n\n");
    const text = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end + 2);
    const [, name, data] = /^event: (\w+)\ndata: (.+)$/.exec(text) ?? [];
    if (name === undefined || data === undefined) return { name: text, data: null };
    const { nowMs: _, ...fields } = JSON.parse(data);
    return { name, data: fields };
  }

  close(): Promise<void> {
    return this.#reader.cancel();
  }
}

const counts = { pending: 1, inprogress: 0, completed: 0, deleted: 0 };
const none = { pending: 0, inprogress: 0, completed: 0, deleted: 0 };
const p1 = { pod: "p1", counts, changedMs: 1_000, notServed: null };
const card = {
  taskid: 1,
  status: "pending",
  subject: "task 1",
  standing: "ready",
  createdMs: 1_000,
  changedMs: 1_000,
};

Deno.test("/events tells all pods, and then those that change", async () => {
  using test = testApp();
  test.boards.put("p1", storeOf({}));
  const page = await OpenPage.open(test, "/events");
  assertEquals(page.response.headers.get("content-type"), "text/event-stream");
  assertEquals(await page.next(), { name: "pods", data: { isWhole: true, pods: [p1] } });
  test.boards.put("p2", emptyStore(), 5);
  const p2 = { pod: "p2", counts: none, changedMs: 5, notServed: null };
  assertEquals(await page.next(), { name: "pods", data: { isWhole: false, pods: [p2] } });
  await page.close();
});

Deno.test("/events tells the board of the pod that is shown, and then what changes of it", async () => {
  using test = testApp();
  test.boards.put("p1", storeOf({}));
  test.boards.put("p2", storeOf({}));
  const page = await OpenPage.open(test, "/events?pod=p1");
  await page.next();
  assertEquals(await page.next(), {
    name: "board",
    data: { pod: "p1", summary: p1, isWhole: true, cards: [card] },
  });
  test.boards.put("p2", storeOf({}, {}));
  assertEquals((await page.next())?.name, "pods");
  test.boards.put("p1", storeOf({ subject: "other" }));
  assertEquals((await page.next())?.name, "pods");
  assertEquals(await page.next(), {
    name: "board",
    data: { pod: "p1", summary: p1, isWhole: false, cards: [{ ...card, subject: "other" }] },
  });
  await page.close();
});

Deno.test("/events tells of a pod that nobody knows that there is none", async () => {
  using test = testApp();
  const page = await OpenPage.open(test, "/events?pod=p9");
  assertEquals(await page.next(), { name: "pods", data: { isWhole: true, pods: [] } });
  assertEquals(await page.next(), {
    name: "board",
    data: { pod: "p9", summary: null, isWhole: true, cards: [] },
  });
  await page.close();
});

Deno.test("/events tells everything again where all boards were dropped", async () => {
  using test = testApp();
  test.boards.put("p1", storeOf({}));
  const page = await OpenPage.open(test, "/events?pod=p1");
  await page.next();
  await page.next();
  test.boards.clear();
  assertEquals(await page.next(), { name: "pods", data: { isWhole: true, pods: [] } });
  assertEquals(await page.next(), {
    name: "board",
    data: { pod: "p1", summary: null, isWhole: true, cards: [] },
  });
  await page.close();
});

Deno.test("/events tells only the last of many changes", async () => {
  using test = testApp();
  test.boards.put("p1", storeOf({}));
  const page = await OpenPage.open(test, "/events?pod=p1");
  await page.next();
  await page.next();
  for (let round = 1; round <= 100; round++) test.boards.put("p1", storeOf({ subject: `round ${round}` }));
  await page.next();
  assertEquals(await page.next(), {
    name: "board",
    data: { pod: "p1", summary: p1, isWhole: false, cards: [{ ...card, subject: "round 100" }] },
  });
  await page.close();
});

Deno.test("/events gives a sign of life where nothing changes", async () => {
  using test = testApp({ pace: { tellEveryMs: 1, beatEveryMs: 5, nowMs: Date.now } });
  const page = await OpenPage.open(test, "/events");
  await page.next();
  assertEquals(await page.next(), { name: ": beat", data: null });
  await page.close();
});

Deno.test("/events ends when HTTP ends, and watches nothing any more", async () => {
  const test = testApp();
  const page = await OpenPage.open(test, "/events");
  await page.next();
  const end = page.next();
  test[Symbol.dispose]();
  assertEquals([await end, test.boards.watcherCount], [null, 0]);
});

Deno.test("/events watches nothing any more when the page is closed", async () => {
  using test = testApp();
  const page = await OpenPage.open(test, "/events");
  await page.next();
  assertEquals(test.boards.watcherCount, 1);
  await page.close();
  assertEquals(test.boards.watcherCount, 0);
  assertEquals((await (await test.get("/metrics")).json()).viewerCount, 0);
});

Deno.test("/events takes a page that is closed while it waits for news for no fault", async () => {
  using test = testApp();
  const page = await OpenPage.open(test, "/events");
  await page.next();
  const news = page.next();
  await page.close();
  const other = await OpenPage.open(test, "/events");
  const first = other.next();
  await other.close();
  assertEquals([await news, await first, test.log.all], [null, null, []]);
  assertEquals((await (await test.get("/metrics")).json()).viewerCount, 0);
});

Deno.test("/events opens 64 pages and no more", async () => {
  using test = testApp();
  const pages = await Promise.all(Array.from({ length: 64 }, () => OpenPage.open(test, "/events")));
  const refused = await test.get("/events");
  assertEquals([refused.status, await refused.text()], [503, "There are 64 pages open already\n"]);
  await pages[0]?.close();
  const page = await OpenPage.open(test, "/events");
  assertEquals(page.response.status, 200);
  for (const open of [...pages.slice(1), page]) await open.close();
});

Deno.test("/events answers HEAD without opening anything", async () => {
  using test = testApp();
  const response = await test.app.handle(new Request("http://localhost/events", { method: "HEAD" }));
  assertEquals([response.status, response.body], [200, null]);
});
