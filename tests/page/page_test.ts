/** The page, looked at and used in a real browser. */
import { assertEquals } from "@std/assert";
import { type OpenedPage, openPage, pageTest, until } from "../helpers/browser.ts";
import {
  compilerStore,
  hostileMarkup,
  hostileStore,
  hourMs,
  largeStore,
  listStore,
  minuteMs,
} from "../helpers/page_boards.ts";
import { storeOf } from "../helpers/stores.ts";
import type { TestApp } from "../helpers/http_app.ts";
import { emptyStore, evolve } from "../../src/tasks/store.ts";

const unreadable = "Cannot apply the output at seq 81: this worker knows v 1: got 2";

function somePods({ boards }: TestApp): void {
  boards.put("compiler", compilerStore());
  boards.put("docs-site", listStore(55 * minuteMs, 8, 6, 1));
  boards.put("nightly", emptyStore(), Date.now() - 3 * hourMs);
  boards.put("triage", listStore(5 * hourMs, 24, 7, 3));
  boards.put("research", listStore(31 * hourMs, 40, 40));
  boards.put("newer", listStore(52 * hourMs, 3, 1), 0, unreadable);
}

/** The text of each element, in one line. */
async function texts({ page }: OpenedPage, selector: string): Promise<readonly string[]> {
  return (await page.locator(selector).allInnerTexts()).map((text) => text.trim().replaceAll(/\s+/g, " "));
}

/** Waits until these are the texts of the elements: what the page shows follows what was done a little later. */
async function untilTexts(opened: OpenedPage, selector: string, wanted: readonly string[]): Promise<void> {
  await until(() => texts(opened, selector), wanted);
}

/** Waits until so many elements are there. */
async function untilCount({ page }: OpenedPage, selector: string, wanted: number): Promise<void> {
  await until(() => page.locator(selector).count(), wanted);
}

/** Waits until the address ends with this after its `#`. */
async function untilPlace({ page }: OpenedPage, wanted: string): Promise<void> {
  await until(() => page.evaluate("location.hash"), `#${wanted}`);
}

/** Waits until the page shows the place: the board, the graph, or the task that it names, all of it. */
async function untilShown({ page }: OpenedPage, place: string): Promise<void> {
  const [, , view, taskid] = place.split("/");
  if (taskid === undefined) {
    await page.locator("#task[open]").waitFor({ state: "detached" });
    await page.locator(view === "graph" ? ".box" : ".card").first().waitFor();
  } else {
    await page.locator("#task[open] header .id").getByText(`#${taskid}`, { exact: true }).waitFor();
  }
}

/** Waits until the card of this task has the keyboard. */
async function untilFocused({ page }: OpenedPage, taskid: string): Promise<void> {
  await until(() => page.evaluate("document.activeElement.dataset.taskid"), taskid);
}

/** Whether the page can be scrolled sideways. */
async function isTooWide({ page }: OpenedPage): Promise<boolean> {
  return await page.evaluate("document.documentElement.scrollWidth > innerWidth");
}

pageTest("the page shows the pods, the last changed first, and what nobody chose yet", async () => {
  await using opened = await openPage({ given: somePods });
  await opened.page.locator("#pods li").first().waitFor();
  await untilTexts(opened, "#pods .name", [
    "compiler",
    "docs-site",
    "nightly",
    "triage",
    "research",
    "newer",
  ]);
  await untilTexts(opened, "#pods .done", ["2/12", "6/8", "empty", "7/24", "40/40", "not served"]);
  await untilTexts(opened, "#pods .age", ["7m", "55m", "3h", "5h", "1d", "2d"]);
  await untilTexts(opened, "#welcome-text, #link", ["Live", "Choose a pod to see its tasks."]);
  await opened.picture("pods");
  assertEquals(opened.complaints, []);
});

pageTest("the page says what to do where no pod has published anything", async () => {
  await using opened = await openPage();
  await opened.page.locator("#welcome-example").waitFor();
  await opened.picture("nothing-yet");
  opened.test.boards.put("first", storeOf({}));
  await opened.page.locator("#pods .name").getByText("first").waitFor();
  await opened.page.locator("#welcome-example").waitFor({ state: "hidden" });
});

pageTest("a board shows tasks by status, with owner, age and what they wait for", async () => {
  await using opened = await openPage({ given: somePods, place: "/compiler" });
  await opened.page.locator(".card").first().waitFor();
  await untilTexts(opened, ".column h2", ["Pending 8", "In progress 2", "Completed 2", "Deleted 1"]);
  await untilTexts(opened, ".column.inprogress .owner", ["alice", "fuzzer"]);
  await untilTexts(opened, ".column.inprogress .age", ["17m", "2h"]);
  await untilTexts(opened, ".column.inprogress .active", [
    "Writing the parser for expressions",
    "Fuzzing the lexer",
  ]);
  await until(async () => (await texts(opened, ".column.pending .id")).slice(0, 3), ["#13", "#10", "#4"]);
  await until(async () => (await texts(opened, ".column.pending .waits"))[0], "waits for #3");
  await untilTexts(opened, "#pod-summary", [
    "13 tasks · 2 in progress · 1 ready · 2 completed · changed 7m ago",
  ]);
  await until(() => opened.page.title(), "compiler · Tasuki");
  await opened.picture("board-light");
  await opened.page.emulateMedia({ colorScheme: "dark" });
  await opened.picture("board-dark");
  assertEquals(opened.complaints, []);
});

pageTest("a board is live: what changes comes by itself, and the keyboard stays where it was", async () => {
  await using opened = await openPage({ given: somePods, place: "/compiler" });
  const { page, test } = opened;
  await page.locator('[data-taskid="13"]').focus();
  const claimed = evolve(compilerStore(), {
    changes: [{ taskid: 13, status: "inprogress", owner: "carol" }],
  }, Date.now());
  test.boards.put("compiler", claimed);
  await page.locator('.column.inprogress [data-taskid="13"]').waitFor();
  await until(async () => (await texts(opened, ".column.inprogress .owner"))[0], "carol");
  await untilFocused(opened, "13");
  await untilTexts(opened, ".column h2", ["Pending 7", "In progress 3", "Completed 2", "Deleted 1"]);
  test.boards.put("compiler", emptyStore(), Date.now());
  await page.getByText("This list is empty").waitFor();
  await untilCount(opened, ".card", 0);
});

pageTest("a board shows what is empty, unknown or not served as such", async () => {
  await using opened = await openPage({ given: somePods, place: "/nightly" });
  const { page } = opened;
  await page.getByText("This list is empty").waitFor();
  await untilTexts(opened, ".column:not([hidden]) .note", [
    "Nothing waits to be done.",
    "Nobody works on anything.",
    "Nothing is completed yet.",
  ]);
  await page.goto(`${opened.url}/#/nobody`);
  await page.getByText("Nothing is known of this pod.").waitFor();
  await page.goto(`${opened.url}/#/newer`);
  await page.locator("#pod-warning").waitFor();
  await untilTexts(opened, "#pod-warning", [
    `This version of Tasuki cannot serve the pod: ${unreadable}`,
  ]);
});

pageTest("a task opens with all that it has, leads to its neighbours, and closes", async () => {
  await using opened = await openPage({ given: somePods, place: "/compiler" });
  const { page } = opened;
  await page.locator('[data-taskid="12"]').click();
  await page.locator("#task[open]").waitFor();
  await untilTexts(opened, "#task h2, #task .active, #task .owner", [
    "Fuzz the lexer with invalid UTF-8",
    "Fuzzing the lexer",
    "fuzzer",
  ]);
  assertEquals(JSON.parse((await texts(opened, "#task .metadata"))[0] ?? ""), {
    corpus: "seeds/utf8",
    minutes: 30,
  });
  await opened.picture("task");
  await page.locator("#task .edges a").click();
  await page.locator("#task h2").getByText("Write the lexer").waitFor();
  await untilTexts(opened, "#task .edges .id", ["#3", "#5", "#12"]);
  await page.goBack();
  await page.locator("#task h2").getByText("Fuzz the lexer").waitFor();
  await untilPlace(opened, "/compiler/board/12");
  await page.keyboard.press("Escape");
  // The dialog is gone before its `close` event, which changes the address.
  await page.locator("#task[open]").waitFor({ state: "hidden" });
  await untilPlace(opened, "/compiler/board");
  assertEquals(await page.locator("#task[open]").count(), 0);
});

pageTest("everything can be done with the keyboard alone", async () => {
  await using opened = await openPage({ given: somePods });
  const { page } = opened;
  await page.locator("#pods li").first().waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("docs");
  await untilTexts(opened, "#pods .name", ["docs-site"]);
  await page.keyboard.press("Escape");
  await untilCount(opened, "#pods .name", 6);
  await page.keyboard.press("/");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.locator("h1").getByText("compiler").waitFor();
  await page.locator(".card").first().waitFor();
  // From the list, whose other pods are reached by arrows, the tab key leads to the board.
  for (const _ of ["find", "board", "graph", "first card"]) await page.keyboard.press("Tab");
  await untilFocused(opened, "13");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await untilFocused(opened, "12");
  await page.keyboard.press("Enter");
  await page.locator("#task[open]").waitFor();
  await page.keyboard.press("Escape");
  await untilPlace(opened, "/compiler/board");
  await page.keyboard.press("g");
  await page.locator(".box").first().waitFor();
  await page.keyboard.press("b");
  await page.locator(".card").first().waitFor();
  await page.keyboard.press("f");
  await page.keyboard.type("parser alice");
  await untilTexts(opened, ".card .id", ["#3"]);
  await untilTexts(opened, ".column.pending .note", ["None of them is what you look for."]);
});

pageTest("the graph draws what waits for what, and its boxes open tasks", async () => {
  await using opened = await openPage({ given: somePods, place: "/compiler/graph" });
  const { page, test } = opened;
  await page.locator(".box").first().waitFor();
  await untilCount(opened, ".box .id", 9);
  await untilCount(opened, ".arrow", 10);
  await untilCount(opened, ".arrow.passed", 3);
  assertEquals(await overlapping(opened), 0);
  await opened.picture("graph-light");
  await page.emulateMedia({ colorScheme: "dark" });
  await opened.picture("graph-dark");
  await page.locator(".box", { hasText: "Emit WebAssembly" }).hover();
  await untilCount(opened, ".box.marked", 7);
  await opened.picture("graph-marked");
  const done = evolve(compilerStore(), { changes: [{ taskid: 3, status: "completed" }] }, Date.now());
  test.boards.put("compiler", done);
  await page.locator(".box.done", { hasText: "Write the parser" }).waitFor();
  await untilCount(opened, ".arrow.passed", 5);
  await page.locator(".box", { hasText: "Emit WebAssembly" }).click();
  await page.locator("#task[open] h2").getByText("Emit WebAssembly").waitFor();
  assertEquals(opened.complaints, []);
});

/** How many pairs of boxes lie on each other. */
async function overlapping({ page }: OpenedPage): Promise<number> {
  return await page.evaluate(`{
    const boxes = [...document.querySelectorAll(".box")].map((box) => box.getBoundingClientRect());
    boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) =>
      a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length;
  }`);
}

pageTest("hostile texts stay texts, wherever they are shown", async () => {
  const given = ({ boards }: TestApp) => boards.put("hostile", hostileStore());
  await using opened = await openPage({ given, place: "/hostile" });
  const { page } = opened;
  await page.locator(".card").first().waitFor();
  await opened.picture("hostile-board");
  await untilTexts(opened, '[data-taskid="1"] .subject', [hostileMarkup]);
  await untilTexts(opened, '[data-taskid="2"] .subject', [
    "\\u202egnp.exe live \\u2066 rtl\\u0000\\u001b[31m",
  ]);
  await untilTexts(opened, '[data-taskid="4"] .subject', ["👨‍👩‍👧‍👦 襷を掛ける naïve"]);
  await page.goto(`${opened.url}/#/hostile/graph`);
  await page.locator(".box").first().waitFor();
  await opened.picture("hostile-graph");
  assertEquals(await overlapping(opened), 0);
  assertEquals(await page.locator(".box.missing .id").innerText(), "#99");
  for (const taskid of [1, 2, 3, 4, 5, 6]) {
    await page.goto(`${opened.url}/#/hostile/board/${taskid}`);
    await untilShown(opened, `/hostile/board/${taskid}`);
    await opened.picture(`hostile-task-${taskid}`);
    assertEquals(await isTooWide(opened), false);
  }
  const made = await page.locator("main script, main img, main h1:not(#pod-name), dialog script, dialog img")
    .count();
  assertEquals([made, opened.complaints], [0, []]);
  assertEquals(opened.requests.filter((url) => !url.startsWith(opened.url)), []);
});

pageTest("on a phone pods and board come one after the other, and nothing is too wide", async () => {
  const phone = {
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
  };
  const given = (test: TestApp) => {
    somePods(test);
    test.boards.put("hostile", hostileStore());
  };
  await using opened = await openPage({ given, browser: phone });
  const { page } = opened;
  await page.locator("#pods li").first().waitFor();
  assertEquals(await page.locator("main").isVisible(), false);
  await opened.picture("phone-pods");
  await page.locator("#pods a", { hasText: "compiler" }).tap();
  await page.locator(".card").first().waitFor();
  assertEquals([await page.locator(".pods").isVisible(), await isTooWide(opened)], [false, false]);
  await opened.picture("phone-board");
  await page.locator("#to-graph").tap();
  await page.locator(".box").first().waitFor();
  await opened.picture("phone-graph");
  assertEquals(await isTooWide(opened), false);
  for (const place of ["/hostile/board", "/hostile/graph", "/hostile/board/6", "/hostile/board/3"]) {
    await page.goto(`${opened.url}/#${place}`);
    await untilShown(opened, place);
    assertEquals([place, await isTooWide(opened)], [place, false]);
  }
  await opened.picture("phone-task");
  await page.keyboard.press("Escape");
  await untilPlace(opened, "/hostile/board");
  await page.locator(".back").tap();
  await page.locator("#pods li").first().waitFor();
  assertEquals(opened.complaints, []);
});

pageTest("letters stand out from what is behind them, in light and in dark", async () => {
  await using opened = await openPage({ given: somePods, place: "/compiler" });
  const { page } = opened;
  await page.locator(".card").first().waitFor();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const place of ["board", "graph", "board/12"]) {
      await page.goto(`${opened.url}/#/compiler/${place}`);
      await untilShown(opened, `/compiler/${place}`);
      assertEquals([colorScheme, place, await faint(opened)], [colorScheme, place, []]);
    }
  }
  await page.evaluate("document.querySelector('#task h2').style.color = '#777'");
  assertEquals((await faint(opened)).length, 1);
});

/** Texts whose contrast is below 4.5 to 1, as WCAG 2 wants it at least. */
async function faint({ page }: OpenedPage): Promise<readonly string[]> {
  return await page.evaluate(`{
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const layers = (element) => element ? [...layers(element.parentElement), getComputedStyle(element).backgroundColor] : [];
    const paint = (colours) => {
      canvas.clearRect(0, 0, 1, 1);
      for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
      return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const light = (rgb) => rgb.map((value) => value / 255)
      .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
      .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
    const contrast = (element) => {
      const behind = layers(element);
      const [a, b] = [light(paint(behind)), light(paint([...behind, getComputedStyle(element).color]))];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    };
    const seen = [...document.querySelectorAll("body *")].filter((element) =>
      element.checkVisibility() && element.namespaceURI.endsWith("xhtml") &&
      [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ""));
    seen.filter((element) => contrast(element) < 4.5)
      .map((element) => element.className + ": " + element.textContent.slice(0, 20) + " " + contrast(element).toFixed(2));
  }`);
}

pageTest("500 pods and 2,000 tasks are shown, and what changes in them", async () => {
  const given = ({ boards }: TestApp) => {
    for (let index = 0; index < 500; index++) boards.put(`worker-${index}`, largeStore(20));
    boards.put("large", largeStore(2_000));
  };
  await using opened = await openPage({ given, place: "/large" });
  const { page, test } = opened;
  const startedMs = performance.now();
  await page.locator(".card").first().waitFor();
  await untilCount(opened, "#pods li", 501);
  await untilTexts(opened, ".column h2", [
    "Pending 500",
    "In progress 500",
    "Completed 500",
    "Deleted 500",
  ]);
  await untilCount(opened, ".card", 400);
  await page.locator(".column.pending .more").click();
  await untilCount(opened, ".column.pending .card", 200);
  await page.locator("#task-filter").fill("number 1776");
  await untilTexts(opened, ".card .id", ["#1776"]);
  await page.locator("#task-filter").fill("");
  test.boards.put(
    "large",
    evolve(largeStore(2_000), {
      changes: [{ taskid: 4, status: "inprogress", owner: "late" }],
    }, Date.now()),
  );
  await page.locator(".owner").getByText("late").waitFor();
  console.log(
    `500 pods and 2,000 tasks: shown, searched and changed in ${
      Math.round(performance.now() - startedMs)
    } ms`,
  );
  await opened.picture("large-board");
  await page.locator("#to-graph").click();
  await page.locator(".box").first().waitFor();
  await untilCount(opened, ".box", 250);
  await opened.picture("large-graph");
  assertEquals(opened.complaints, []);
});

pageTest("a lost connection is said, and made again", async () => {
  await using opened = await openPage({ given: somePods, place: "/compiler" });
  const { page, test } = opened;
  await page.locator(".card").first().waitFor();
  await opened.stopServer();
  await page.locator("#link").getByText("Reconnecting").waitFor();
  await untilCount(opened, ".card", 13);
  await opened.picture("connection-lost");
  test.boards.put("compiler", storeOf({ subject: "after the break" }));
  opened.startServer();
  await page.locator("#link").getByText("Live").waitFor();
  await page.locator(".card").getByText("after the break").waitFor();
  await untilCount(opened, ".card", 1);
});

pageTest("boards with a token are shown to nobody without it", async () => {
  await using opened = await openPage({ given: somePods, place: "/compiler", token: "open-sesame" });
  const { page } = opened;
  await page.locator("#token[open]").waitFor();
  await opened.picture("token");
  const shown = await page.locator("body").innerText();
  assertEquals(/lexer|docs-site|alice/.test(shown), false);
  await page.keyboard.press("Escape");
  await untilCount(opened, "#token[open]", 1);
  await page.locator("#token-input").fill("sesame");
  await page.keyboard.press("Enter");
  await page.locator("#token-note").getByText("That is not the token.").waitFor();
  await page.locator("#token-input").fill("open-sesame");
  await page.keyboard.press("Enter");
  await page.locator(".card").first().waitFor();
  await page.locator('[data-taskid="3"]').click();
  await page.locator("#task[open]").waitFor();
  assertEquals(opened.requests.filter((url) => url.includes("sesame")), []);
  await page.reload();
  await page.locator("#task[open]").waitFor();
  assertEquals(await page.evaluate("[localStorage.length, document.cookie]"), [0, ""]);
  const other = await page.context().newPage();
  await other.goto(`${opened.url}/#/compiler`);
  await other.locator("#token[open]").waitFor();
});
