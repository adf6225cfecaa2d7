/** A worker in the test's own process, constructed as `main.ts` does. */
import { loadConfig } from "../../src/config/load.ts";
import type { Config } from "../../src/config/settings.ts";
import { Subjects } from "../../src/log/subjects.ts";
import { openLog } from "../../src/nats/open_log.ts";
import type { Boards } from "../../src/worker/status.ts";
import { Worker } from "../../src/worker/worker.ts";
import { LogLines } from "./log_lines.ts";
import { within } from "./within.ts";

/** Disposing stops it. */
export interface TestWorker extends AsyncDisposable {
  readonly log: LogLines;
  readonly boards: Boards;
  /** Resolves when it has replayed the log; rejects when it ends before. */
  readonly ready: Promise<void>;
  /** Resolves when its work ends by a stop, rejects when it ends otherwise. */
  readonly ended: Promise<void>;
  /** As SIGTERM does: resolves when all is closed. Once is enough. */
  stop(): Promise<void>;
}

/** A configuration as the worker would read it: only the server is set. */
export function testConfig(servers: readonly string[], overrides: Partial<Config> = {}): Config {
  const { config } = loadConfig({
    env: {},
    flags: {},
    cwd: "/",
    readTextFile: () => {
      throw new Deno.errors.NotFound();
    },
  });
  return { ...config, nats: { ...config.nats, servers }, ...overrides };
}

/**
 * Resolves when it is ready.
 *
 * @throws {Error} when it cannot start
 */
export async function startWorker(
  server: { readonly url: string },
  overrides: Partial<Config> = {},
): Promise<TestWorker> {
  const worker = await beginWorker(server, overrides);
  try {
    await within(worker.ready, () => `ready: ${JSON.stringify(worker.log.all)}`);
    return worker;
  } catch (error) {
    await worker.stop().catch(() => {});
    throw error;
  }
}

/** Resolves when it is connected and the stream is there. */
export async function beginWorker(
  server: { readonly url: string },
  overrides: Partial<Config> = {},
): Promise<TestWorker> {
  const log = new LogLines();
  const config = testConfig([server.url], overrides);
  const subjects = new Subjects(config.prefix);
  const opened = await openLog({ config, subjects, logger: log, name: "tasuki-test", waitForServer: true });
  const worker = new Worker({ ...opened, logger: log, subjects, settings: config });
  const stopping = new AbortController();
  const ended = worker.run(stopping.signal).finally(() => opened[Symbol.asyncDispose]());
  ended.catch(() => {});
  const ready = Promise.race([
    worker.ready,
    ended.then(() => Promise.reject(new Error("the worker stopped before it was ready"))),
  ]);
  ready.catch(() => {});
  const stop = async (): Promise<void> => {
    stopping.abort();
    await ended;
  };
  return { log, boards: worker.boards, ready, ended, stop, [Symbol.asyncDispose]: stop };
}
