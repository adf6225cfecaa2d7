/**
 * Starts the nats-server of a data folder and waits for it. The caller holds the folder's lock.
 *
 * I1. The record is written before the process is started and again with its pid right after; the server
 *     writes its pid to a file too. So whenever its starter is killed, the process is found again, and no
 *     second server is started on the same streams.
 * I2. The server outlives its starter: a session of its own, no pipes.
 */

import { join } from "node:path";
import { OperatorError } from "../errors.ts";
import { freePort, portOf, untilFree } from "./loopback_port.ts";
import { readServerInfo } from "./server_info.ts";
import { isRunning, type MarkedProcess } from "./server_process.ts";
import { readServerRecord, type ServerRecord, writeServerRecord } from "./server_record.ts";

const startsMax = 3;
const readyMsMax = 60_000;
const pollMs = 20;
/** A server that was killed holds its port for a moment after its arguments can no longer be read. */
const portReleaseMsMax = 2_000;
/** A server writes its pid within the first few milliseconds. */
const pidFileMsMax = 2_000;

/** A server whose process runs. */
export interface LaunchedServer extends MarkedProcess {
  name: string;
  port: number;
}

/**
 * The server of the folder, which answers with JetStream when this resolves. Its port is the recorded one,
 * else the one that belongs to the folder, else a random one, whichever is free.
 *
 * @throws {OperatorError} when it ends by itself, or does not answer within a minute
 */
export async function launchServer(dataDir: string, binary: string): Promise<LaunchedServer> {
  const recorded = await readServerRecord(dataDir);
  if (recorded) await untilFree(recorded.port, portReleaseMsMax);
  const preferred = [...(recorded ? [recorded.port] : []), await portOf(dataDir)];
  for (let starts = 1;; starts++) {
    const port = freePort(preferred);
    const server = await startProcess(dataDir, binary, port);
    if (await becomesReady(server, dataDir)) return server;
    const isPortTaken = freePort([port]) !== port;
    if (!isPortTaken || starts === startsMax) throw await failedStart(dataDir, binary);
  }
}

/** The recorded server, whether it answers or not yet; null where its process does not run. */
export async function runningServer(dataDir: string): Promise<LaunchedServer | null> {
  const record = await readServerRecord(dataDir);
  if (record === null) return null;
  const pid = record.pid ?? await pidOfInterruptedStart(dataDir);
  if (pid === null) return null;
  const server = launched(dataDir, record, pid);
  return await isRunning(server) ? server : null;
}

/** Whether it answers now, with JetStream. */
async function isReady(server: LaunchedServer): Promise<boolean> {
  const info = await readServerInfo(server.port);
  return info?.name === server.name && info.hasJetStream;
}

/**
 * True when it answers, false when it has ended instead.
 *
 * @throws {OperatorError} when it runs and does not answer within a minute
 */
export async function becomesReady(server: LaunchedServer, dataDir: string): Promise<boolean> {
  const deadline = performance.now() + readyMsMax;
  while (await isRunning(server)) {
    if (await isReady(server)) return true;
    if (performance.now() >= deadline) throw noAnswer(server, dataDir);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return false;
}

async function startProcess(dataDir: string, binary: string, port: number): Promise<LaunchedServer> {
  const record: ServerRecord = { name: `tasuki-${crypto.randomUUID()}`, port, pid: null };
  await Deno.writeTextFile(pidPath(dataDir), "");
  await Deno.writeTextFile(logPath(dataDir), "");
  writeServerRecord(dataDir, record);
  const child = new Deno.Command(binary, {
    // deno-fmt-ignore
    args: [
      "--addr", "127.0.0.1", "--port", String(port), "--server_name", record.name,
      "--jetstream", "--store_dir", storeDir(dataDir),
      "--log", logPath(dataDir), "--pid", pidPath(dataDir),
    ],
    cwd: dataDir,
    detached: true,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  writeServerRecord(dataDir, { ...record, pid: child.pid });
  child.unref();
  return launched(dataDir, record, child.pid);
}

function launched(dataDir: string, { name, port }: ServerRecord, pid: number): LaunchedServer {
  return { name, port, pid, marks: [name, storeDir(dataDir)] };
}

/** Its starter was killed before it could record the pid (I1). Null where there was no start either. */
async function pidOfInterruptedStart(dataDir: string): Promise<number | null> {
  const deadline = performance.now() + pidFileMsMax;
  while (performance.now() < deadline) {
    const text = await Deno.readTextFile(pidPath(dataDir));
    if (/^\d+$/.test(text)) return Number(text);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return null;
}

function noAnswer({ port, pid }: LaunchedServer, dataDir: string): OperatorError {
  const rule = `it must answer at 127.0.0.1:${port} within ${readyMsMax} ms, see "${logPath(dataDir)}"`;
  return new OperatorError(`Cannot use nats-server: ${rule}: got no answer from process ${pid}`);
}

async function failedStart(dataDir: string, binary: string): Promise<OperatorError> {
  const lines = (await Deno.readTextFile(logPath(dataDir))).trim().split("\n");
  const reason = lines.find((line) => line.includes("[FTL]")) ?? lines.at(-1);
  const rule = `it must stay up, see "${logPath(dataDir)}"`;
  return new OperatorError(`Cannot start ${binary}: ${rule}: got ${JSON.stringify(reason)}`);
}

function storeDir(dataDir: string): string {
  return join(dataDir, "jetstream");
}

/** Where its server logs: only what it has logged since its last start. */
export function logPath(dataDir: string): string {
  return join(dataDir, "nats-server.log");
}

function pidPath(dataDir: string): string {
  return join(dataDir, "nats-server.pid");
}
