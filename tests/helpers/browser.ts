/** The page in a real browser: Chromium without a window, over an app whose boards a test makes up. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type TestApp, testApp, type TestAppOptions } from "./http_app.ts";

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Null where there is none: `TASUKI_TEST_CHROMIUM` names another, `apt-get install chromium` brings Debian's. */
export const chromiumPath: string | null =
  [Deno.env.get("TASUKI_TEST_CHROMIUM") ?? "", ...places].find(isFile) ?? null;

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** What has not happened after this long will not happen, in milliseconds. */
const patienceMs = 60_000;
const pollMs = 20;

/** Asks until the answer is as wanted. @throws {AssertionError} with the difference, when it does not become so */
export async function until<T>(ask: () => Promise<T>, wanted: T): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (isDeepStrictEqual(answer, wanted)) return;
    if (performance.now() > deadline) return assertEquals(answer, wanted, `not in ${patienceMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

const switches = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A served page, and the browser that looks at it. */
export interface OpenedPage extends AsyncDisposable {
  readonly test: TestApp;
  readonly page: Page;
  readonly url: string;
  /** What the page complained of: errors, what its policy forbade, requests that failed. */
  readonly complaints: readonly string[];
  /** Where the page sent requests. */
  readonly requests: readonly string[];
  /** As a picture in the folder that `TASUKI_TEST_SCREENSHOTS` names, for somebody to look at. */
  picture(name: string): Promise<void>;
  /** The server is gone, and comes back at the same address. */
  stopServer(): Promise<void>;
  startServer(): void;
}

export interface PageOptions extends TestAppOptions {
  /** After the `#` of the address. */
  readonly place?: string;
  readonly browser?: BrowserContextOptions;
  /** Makes the boards before the page is opened. */
  readonly given?: (test: TestApp) => void;
}

export async function openPage(
  { place = "/", browser = {}, given, ...options }: PageOptions = {},
): Promise<OpenedPage> {
  const test = testApp({ pace: { tellEveryMs: 20, beatEveryMs: 5_000, nowMs: Date.now }, ...options });
  given?.(test);
  let server = serve(test, 0);
  const { port } = server;
  const url = `http://127.0.0.1:${port}`;
  const launched = await launch();
  const context = await launched.newContext({ viewport: { width: 1280, height: 800 }, ...browser });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => void complaints.push(error.message));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => void requests.push(request.url()));
  await page.goto(`${url}/#${place}`);
  const folder = Deno.env.get("TASUKI_TEST_SCREENSHOTS");
  return {
    test,
    page,
    url,
    complaints,
    requests,
    async picture(name) {
      if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
    },
    stopServer: () => server.stop(),
    startServer() {
      server = serve(test, port);
    },
    async [Symbol.asyncDispose]() {
      await launched.close();
      test[Symbol.dispose]();
      await server.stop();
    },
  };
}

function serve(test: TestApp, port: number): { readonly port: number; stop(): Promise<void> } {
  const ending = new AbortController();
  const options = { hostname: "127.0.0.1", port, signal: ending.signal, onListen: () => {} };
  const server = Deno.serve(options, test.app.handle);
  const stop = async (): Promise<void> => {
    ending.abort();
    await server.finished;
  };
  return { port: server.addr.port, stop };
}

async function launch(): Promise<Browser> {
  if (chromiumPath === null) throw new Error("There is no Chromium here");
  return await chromium.launch({ executablePath: chromiumPath, args: switches, timeout: patienceMs });
}

/** A test that is passed over, visibly, where there is no Chromium. */
export function pageTest(name: string, run: () => Promise<void>): void {
  Deno.test({ name, ignore: chromiumPath === null, fn: run, sanitizeOps: false, sanitizeResources: false });
}
