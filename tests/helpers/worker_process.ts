/** A worker as its own process: `main.ts serve` with the server's address. */
import { fileURLToPath } from "node:url";
import { LogLines } from "./log_lines.ts";
import { pauseProcess } from "./pause_process.ts";
import { inheritedEnv, tierEnv, watchIdlePods } from "./tier.ts";
import { within } from "./within.ts";

const project = fileURLToPath(new URL("../../", import.meta.url));

export interface WorkerEnd {
  readonly code: number;
  /** Lines on its standard error that are no log lines. */
  readonly stderr: readonly string[];
}

/** Disposing kills it where it still runs. */
export interface WorkerProcess extends AsyncDisposable {
  readonly pid: number;
  readonly log: LogLines;
  /** Resolves when it says that it is ready; rejects when it ends before. */
  readonly ready: Promise<void>;
  readonly ended: Promise<WorkerEnd>;
  /** SIGKILL. */
  kill(): Promise<WorkerEnd>;
  /** SIGTERM. */
  stop(): Promise<WorkerEnd>;
  /** Signals, one right after the other. */
  signal(...names: Deno.Signal[]): Promise<WorkerEnd>;
  /** It does nothing, and its connection stays open. */
  pause(): Promise<void>;
  /** SIGCONT. */
  resume(): void;
}

/** Resolves when it is ready. @throws {Error} when it cannot start */
export async function spawnWorker(
  server: { readonly url: string },
  env: Readonly<Record<string, string>> = {},
  permissions = ["-A"],
): Promise<WorkerProcess> {
  const worker = launchWorker(server, env, permissions);
  try {
    await within(worker.ready, () => `ready: ${JSON.stringify(worker.log.all)}`);
    return worker;
  } catch (error) {
    await worker.kill();
    throw error;
  }
}

/** Does not wait for anything. */
export function launchWorker(
  server: { readonly url: string },
  env: Readonly<Record<string, string>> = {},
  permissions = ["-A"],
): WorkerProcess {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", ...permissions, "--no-prompt", "main.ts", "serve"],
    cwd: project,
    clearEnv: true,
    env: { ...inheritedEnv(), NATS_URL: server.url, TASUKI_HTTP: "off", ...tierEnv(), ...env },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const log = new LogLines();
  const stderr: string[] = [];
  const reading = readLines(process.stderr, (line) => takeLine(line, log, stderr));
  const ended = Promise.all([process.status, reading]).then(([{ code }]) => ({ code, stderr }));
  const ready = Promise.race([
    log.next("ready").then(() => {}),
    ended.then(({ code }) =>
      Promise.reject(new Error(`the worker ended with ${code}: ${stderr.join("\n")}`))
    ),
  ]);
  ready.catch(() => {});
  let hasEnded = false;
  ended.then(() => hasEnded = true);
  // Nobody sees how many it has.
  watchIdlePods(() => Infinity, ended);
  const signal = async (...names: Deno.Signal[]): Promise<WorkerEnd> => {
    if (!hasEnded) {
      try {
        for (const name of names) process.kill(name);
      } catch (error) {
        if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    return await within(ended, `end by ${names[0]}`);
  };
  return {
    pid: process.pid,
    log,
    ready,
    ended,
    kill: () => signal("SIGKILL"),
    stop: () => signal("SIGTERM", "SIGCONT"),
    signal,
    pause: () => pauseProcess(process),
    resume: () => process.kill("SIGCONT"),
    [Symbol.asyncDispose]: async () => {
      await signal("SIGKILL");
    },
  };
}

async function readLines(stream: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(take);
  }
  if (rest !== "") take(rest);
}

function takeLine(line: string, log: LogLines, stderr: string[]): void {
  if (!line.startsWith('{"ts":')) {
    stderr.push(line);
    return;
  }
  const { level, msg, ts: _, ...fields } = JSON.parse(line);
  log.add({ level, msg, fields });
}
