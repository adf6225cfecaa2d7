/** The app with everything around it made up, for tests that need no worker. */
import { App, type AppOptions } from "../../src/http/app.ts";
import type { Served } from "../../src/http/ports.ts";
import type { WorkerStatus } from "../../src/worker/status.ts";
import { LogLines } from "./log_lines.ts";
import { MemoryBoards } from "./memory_boards.ts";

export const readyStatus: WorkerStatus = {
  notReady: null,
  isLeading: true,
  cursorSeq: 7,
  streamLastSeq: 8,
  lagMessages: 0,
  verifiedMsAgo: 12,
  podsInMemory: 3,
  outputsInFlight: 0,
};

export interface TestApp extends Disposable {
  readonly app: App;
  readonly boards: MemoryBoards;
  readonly log: LogLines;
  /** The response to a GET of the path. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
}

export interface TestAppOptions extends Partial<AppOptions> {
  readonly status?: () => WorkerStatus;
  readonly connection?: Served["connection"];
  /** Whether there is a worker yet. */
  readonly isServed?: boolean;
}

export function testApp(options: TestAppOptions = {}): TestApp {
  const { status = () => readyStatus, connection = goodConnection, isServed = true, ...appOptions } = options;
  const boards = new MemoryBoards();
  const log = new LogLines();
  const app = new App({
    version: "1.2.3",
    metrics: { contentType: "text/plain", text: (readings) => Promise.resolve(JSON.stringify(readings)) },
    logger: log,
    hasPage: true,
    token: null,
    pace: { tellEveryMs: 5, beatEveryMs: 1_000, nowMs: Date.now },
    ...appOptions,
  });
  if (isServed) app.serve({ worker: { status, boards }, connection });
  return {
    app,
    boards,
    log,
    get: (path, headers = {}) => app.handle(new Request(`http://127.0.0.1:8642${path}`, { headers })),
    [Symbol.dispose]: () => app[Symbol.dispose](),
  };
}

const goodConnection: Served["connection"] = {
  isConnected: true,
  reconnectCount: 0,
  answers: () => Promise.resolve(true),
};
