/** A worker in the test's own process, constructed as `main.ts` does. */
import { loadConfig } from "../../src/config/load.ts";
import type { Config } from "../../src/config/settings.ts";
import { Subjects } from "../../src/log/subjects.ts";
import { openLog } from "../../src/nats/open_log.ts";
import type { Boards, WorkerStatus } from "../../src/worker/status.ts";
import { Worker } from "../../src/worker/worker.ts";
import type { WorkerOptions } from "../../src/worker/worker_options.ts";
import { LogLines } from "./log_lines.ts";
import { tierEnv, watchIdlePods } from "./tier.ts";
import { within } from "./within.ts";

/** Disposing stops it. */
export interface TestWorker extends AsyncDisposable {
  readonly log: LogLines;
  readonly boards: Boards;
  status(): WorkerStatus;
  /** Resolves when it has replayed the log; rejects when it ends before. */
  readonly ready: Promise<void>;
  /** Resolves when its work ends by a stop, rejects when it ends otherwise. */
  readonly ended: Promise<void>;
  /** As SIGTERM does: resolves when all is closed. Once is enough. */
  stop(): Promise<void>;
}

/** A configuration as a worker of this tier would read it: only the server is set. */
export function testConfig(servers: readonly string[], overrides: Partial<Config> = {}): Config {
  const { config } = loadConfig({
    env: tierEnv(),
    flags: {},
    problems: [],
    cwd: "/",
    readTextFile: () => {
      throw new Deno.errors.NotFound();
    },
  });
  return { ...config, nats: { ...config.nats, servers }, ...overrides };
}

export type WorkerPorts = Pick<WorkerOptions, "log" | "readLane" | "bucket">;

/**
 * Resolves when it is ready.
 *
 * @param through what stands between the worker and its real ports
 * @throws {Error} when it cannot start
 */
export async function startWorker(
  server: { readonly url: string },
  overrides: Partial<Config> = {},
  through: (ports: WorkerPorts) => WorkerPorts = (ports) => ports,
): Promise<TestWorker> {
  const worker = await beginWorker(server, overrides, through);
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
  through: (ports: WorkerPorts) => WorkerPorts = (ports) => ports,
): Promise<TestWorker> {
  const log = new LogLines();
  const config = testConfig([server.url], overrides);
  const subjects = new Subjects(config.prefix);
  const opened = await openLog({ config, subjects, logger: log, name: "tasuki-test", waitForServer: true });
  const worker = new Worker({ ...through(opened), logger: log, subjects, settings: config });
  const stopping = new AbortController();
  const ended = worker.run(stopping.signal).finally(() => opened[Symbol.asyncDispose]());
  ended.catch(() => {});
  watchIdlePods(() => worker.status().podsInMemory, ended);
  const ready = Promise.race([
    worker.ready,
    ended.then(() => Promise.reject(new Error("the worker stopped before it was ready"))),
  ]);
  ready.catch(() => {});
  const stop = async (): Promise<void> => {
    stopping.abort();
    await ended;
  };
  const status = (): WorkerStatus => worker.status();
  return { log, boards: worker.boards, status, ready, ended, stop, [Symbol.asyncDispose]: stop };
}
