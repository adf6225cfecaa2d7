/** A real nats-server with JetStream for one test, with its own port and its own folder. */

import { join } from "node:path";
import { freePort } from "../../src/private_server/loopback_port.ts";
import { readServerInfo } from "../../src/private_server/server_info.ts";
import { pauseProcess } from "./pause_process.ts";
import { testBinary } from "./test_binary.ts";

const readyMsMax = 60_000;
const pollMs = 10;
const portsMax = 3;

/**
 * `storeDir`: the folder of the streams, kept at dispose; by default a temporary one that is removed.
 * `extraConfig`: lines of a nats-server configuration file.
 * `hasJetStream`: by default true. `binary`: by default the one of the tests.
 */
export interface TestServerOptions {
  storeDir?: string;
  extraConfig?: string;
  hasJetStream?: boolean;
  binary?: string;
}

/** Everything resolves when it has happened: the process is gone, or it answers with JetStream. */
export interface TestServer extends AsyncDisposable {
  /** What it calls itself: the same at every start, and no other server's. */
  readonly name: string;
  readonly url: string;
  readonly port: number;
  readonly storeDir: string;
  /** The process that runs now, or ran last. */
  readonly pid: number;
  /** SIGKILL; nothing where it does not run. */
  kill(): Promise<void>;
  /** SIGTERM, also for a paused one; nothing where it does not run. */
  stop(): Promise<void>;
  /** Again, with the same port and folder; nothing where it runs. */
  start(): Promise<void>;
  /** It answers nobody, and connections to it stay open; nothing where it does not run. */
  pause(): Promise<void>;
  /** SIGCONT. */
  resume(): void;
  /** What it has written to its log since it was last started. */
  log(): Promise<string>;
}

/**
 * A server that answers. `TASUKI_TEST_NATS_SERVER` names the binary, else it is found as `serve` finds it.
 *
 * @throws {Error} when it does not come up within 60 s, with its log
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const binary = options.binary ?? await testBinary();
  for (let ports = 1;; ports++) {
    const folder = await Deno.makeTempDir({ prefix: "tasuki-test-server-" });
    const server = new OwnServer(binary, folder, options);
    try {
      await server.start();
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      if (ports === portsMax) throw error;
    }
  }
}

/** Where nobody listens but to say that a test has the port. */
const reservedAt = "127.0.0.2";

/**
 * A port that no other test takes while its server is down: tests run at the same time, and their clients would go on
 * with a server that is not theirs.
 */
export function reservePort(): { readonly port: number; readonly reservation: Disposable | null } {
  for (;;) {
    const port = freePort();
    try {
      return { port, reservation: Deno.listen({ hostname: reservedAt, port }) };
    } catch (error) {
      // Not on every system all of 127.0.0.0/8 is this machine.
      if (error instanceof Deno.errors.AddrNotAvailable) return { port, reservation: null };
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}

class OwnServer implements TestServer {
  readonly name = `test-${crypto.randomUUID()}`;
  readonly url: string;
  readonly port: number;
  readonly storeDir: string;
  private readonly reservation: Disposable | null;
  private process: Deno.ChildProcess | null = null;
  private lastPid = 0;

  constructor(
    private readonly binary: string,
    private readonly folder: string,
    private readonly options: TestServerOptions,
  ) {
    ({ port: this.port, reservation: this.reservation } = reservePort());
    this.url = `nats://127.0.0.1:${this.port}`;
    this.storeDir = options.storeDir ?? join(folder, "store");
  }

  private get wantsJetStream(): boolean {
    return this.options.hasJetStream ?? true;
  }

  get pid(): number {
    return this.lastPid;
  }

  async start(): Promise<void> {
    if (this.process !== null) return;
    this.process = await this.spawn();
    this.lastPid = this.process.pid;
    let hasEnded = false;
    this.process.status.then(() => hasEnded = true);
    const deadline = performance.now() + readyMsMax;
    while (!hasEnded && performance.now() < deadline) {
      const info = await readServerInfo(this.port);
      if (info?.name === this.name && info.hasJetStream === this.wantsJetStream) return;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
    throw new Error(
      `Cannot start a test server: it must answer at port ${this.port}: got ${await this.log()}`,
    );
  }

  kill(): Promise<void> {
    return this.end("SIGKILL");
  }

  stop(): Promise<void> {
    return this.end("SIGTERM");
  }

  async pause(): Promise<void> {
    if (this.process !== null) await pauseProcess(this.process);
  }

  resume(): void {
    this.process?.kill("SIGCONT");
  }

  log(): Promise<string> {
    return Deno.readTextFile(this.path("log"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.reservation?.[Symbol.dispose]();
    await Deno.remove(this.folder, { recursive: true });
  }

  /** What goes wrong before the log is open goes to the test's own standard error. */
  private async spawn(): Promise<Deno.ChildProcess> {
    const { extraConfig } = this.options;
    const place = ["-a", "127.0.0.1", "-p", String(this.port), "-n", this.name, "-sd", this.storeDir];
    if (this.wantsJetStream) place.push("-js");
    const config = extraConfig === undefined ? [] : ["-c", this.path("conf")];
    await Deno.writeTextFile(this.path("conf"), extraConfig ?? "");
    await Deno.writeTextFile(this.path("log"), "");
    return new Deno.Command(this.binary, {
      args: [...place, ...config, "-l", this.path("log")],
      stdin: "null",
      stdout: "null",
    }).spawn();
  }

  private async end(signal: Deno.Signal): Promise<void> {
    const process = this.process;
    if (process === null) return;
    this.process = null;
    try {
      process.kill(signal);
      process.kill("SIGCONT");
    } catch (error) {
      // It ended by itself.
      if (!(error instanceof Deno.errors.NotFound || error instanceof TypeError)) throw error;
    }
    await process.status;
  }

  private path(extension: string): string {
    return join(this.folder, `nats-server.${extension}`);
  }
}
