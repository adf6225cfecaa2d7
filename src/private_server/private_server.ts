/**
 * The nats-server of a folder, for workers that were given no NATS address: the first one starts it, later
 * ones adopt it, the last one that leaves stops it. A worker that is killed leaves it to the next. A server that
 * is killed is started again by whichever worker notices it first.
 */

import { OperatorError, UsageError } from "../errors.ts";
import { findDataFolder, prepareDataFolder } from "./data_folder.ts";
import { FolderLocks } from "./folder_locks.ts";
import { becomesReady, type LaunchedServer, launchServer, logPath, runningServer } from "./server_launch.ts";
import { endProcess, isRunning } from "./server_process.ts";
import { readServerRecord, removeServerRecord } from "./server_record.ts";
import { keepUp } from "./server_watch.ts";

/**
 * `dataDir` may be relative, and is made where it is missing. `binary` finds the nats-server to run, and is
 * asked only where one must be started. `say` is told in a line what takes time and what was done. `lost` is
 * told once where the server has ended and a person has to do something about it.
 */
interface PrivateServerOptions {
  dataDir: string;
  binary: () => Promise<string>;
  say: (message: string) => void;
  lost: (error: unknown) => void;
}

/** A worker's hold on the server of its folder: disposing of the last one stops the server. */
export interface PrivateServer extends AsyncDisposable {
  readonly url: string;
  /** Whether it ran already. */
  readonly isAdopted: boolean;
}

/** Where programs may not be run (the image, a unit), the worker is meant for a server that is there. */
function requireRunPermission(): void {
  if (Deno.permissions.querySync({ name: "run" }).state === "granted") return;
  throw new UsageError(
    "Cannot start: nats.servers (NATS_URL) must name a server: got none, and without --allow-all this process may " +
      "not start a private one",
  );
}

/**
 * The server of the folder, which answers with JetStream when this resolves.
 *
 * @throws {UsageError} when this process may not start one
 * @throws {OperatorError} when the folder cannot be used, no server can be started, or one that runs does not
 * answer within a minute; and what `binary` throws
 */
export async function openPrivateServer(options: PrivateServerOptions): Promise<PrivateServer> {
  const { binary, say, lost } = options;
  requireRunPermission();
  const dataDir = await prepareDataFolder(options.dataDir);
  const locks = await FolderLocks.open(dataDir);
  const inTurn = <T>(action: () => Promise<T>) =>
    locks.inTurn(
      action,
      () => say(`Waiting for another worker that starts or stops the server of ${dataDir}`),
    );
  const adoptOrLaunch = async (): Promise<Opened> => {
    const adopted = await adopt(dataDir);
    return { server: adopted ?? await launchServer(dataDir, await binary()), isAdopted: adopted !== null };
  };

  try {
    const opened = await inTurn(async () => {
      const { server, isAdopted } = await adoptOrLaunch();
      await locks.joinUsers();
      say(`${isAdopted ? "Adopted" : "Started"} nats-server at ${urlOf(server)} with its data in ${dataDir}`);
      return { server, isAdopted };
    });
    const { isAdopted } = opened;
    let { server } = opened;
    const url = urlOf(server);
    const watch = keepUp({
      isUp: () => isRunning(server),
      async startAgain() {
        say(`nats-server at ${url} has ended`);
        const again = await inTurn(adoptOrLaunch);
        server = again.server;
        if (urlOf(server) !== url) throw movedAway(url, urlOf(server));
        say(`nats-server at ${url} was started again${again.isAdopted ? " by another worker" : ""}`);
      },
      logPath: logPath(dataDir),
      failed: lost,
    });
    return {
      url,
      isAdopted,
      async [Symbol.asyncDispose]() {
        using _closing = locks;
        // First, since a lock does not keep this process from itself.
        await watch[Symbol.asyncDispose]();
        await inTurn(async () => {
          if (await locks.leaveUsers() && await stop(dataDir, server)) {
            say(`Stopped nats-server at ${urlOf(server)}`);
          }
        });
      },
    };
  } catch (error) {
    locks[Symbol.dispose]();
    throw error;
  }
}

interface Opened {
  readonly server: LaunchedServer;
  readonly isAdopted: boolean;
}

/**
 * The address of the server that runs for this folder, as soon as it answers; null where none runs.
 *
 * @throws {OperatorError} when it does not answer within a minute
 */
export async function findPrivateServer(dataDir: string): Promise<string | null> {
  const path = await findDataFolder(dataDir);
  const server = path === null ? null : await adopt(path);
  return server && urlOf(server);
}

/** @throws {OperatorError} when no server answers for this folder */
export async function requirePrivateServer(dataDir: string): Promise<string> {
  const url = await findPrivateServer(dataDir);
  if (url !== null) return url;
  const path = await findDataFolder(dataDir);
  const hasRecord = path !== null && await readServerRecord(path) !== null;
  const what = hasRecord
    ? `The nats-server of ${path} does not answer, it may have died: start it again`
    : `No server is running for ${path ?? dataDir}: start one`;
  throw new OperatorError(`${what} with \`deno task start\`, or set NATS_URL`);
}

async function adopt(dataDir: string): Promise<LaunchedServer | null> {
  const server = await runningServer(dataDir);
  return server !== null && await becomesReady(server, dataDir) ? server : null;
}

/** Another worker may have replaced a server that died: the recorded one is stopped. False where none ran. */
async function stop(dataDir: string, ours: LaunchedServer): Promise<boolean> {
  const recorded = await runningServer(dataDir);
  const wasRunning = recorded !== null || await isRunning(ours);
  await endProcess(recorded ?? ours);
  await removeServerRecord(dataDir);
  return wasRunning;
}

function movedAway(url: string, newUrl: string): OperatorError {
  return new OperatorError(
    `Cannot go on with nats-server: it must be at ${url}, where another program is now: got ${newUrl}: start again`,
  );
}

function urlOf({ port }: LaunchedServer): string {
  return `nats://127.0.0.1:${port}`;
}
