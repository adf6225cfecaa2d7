/**
 * The nats-server of a folder, for workers that were given no NATS address: the first one starts it, later
 * ones adopt it, the last one that leaves stops it. A worker that is killed leaves it to the next.
 */

import { OperatorError, UsageError } from "../errors.ts";
import { findDataFolder, prepareDataFolder } from "./data_folder.ts";
import { FolderLocks } from "./folder_locks.ts";
import { becomesReady, isReady, type LaunchedServer, launchServer, runningServer } from "./server_launch.ts";
import { endProcess } from "./server_process.ts";
import { removeServerRecord } from "./server_record.ts";

/**
 * `dataDir` may be relative, and is made where it is missing. `binary` finds the nats-server to run, and is
 * asked only where one must be started. `say` is told in a line what takes time and what was done.
 */
export interface PrivateServerOptions {
  dataDir: string;
  binary: () => Promise<string>;
  say: (message: string) => void;
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
  const { binary, say } = options;
  requireRunPermission();
  const dataDir = await prepareDataFolder(options.dataDir);
  const locks = await FolderLocks.open(dataDir);
  const inTurn = <T>(action: () => Promise<T>) =>
    locks.inTurn(
      action,
      () => say(`Waiting for another worker that starts or stops the server of ${dataDir}`),
    );

  try {
    return await inTurn(async () => {
      const adopted = await adopt(dataDir);
      const server = adopted ?? await launchServer(dataDir, await binary());
      await locks.joinUsers();
      const isAdopted = adopted !== null;
      say(`${isAdopted ? "Adopted" : "Started"} nats-server at ${urlOf(server)} with its data in ${dataDir}`);
      return {
        url: urlOf(server),
        isAdopted,
        async [Symbol.asyncDispose]() {
          using _closing = locks;
          await inTurn(async () => {
            if (!await locks.leaveUsers()) return;
            await stop(dataDir, server);
            say(`Stopped nats-server at ${urlOf(server)}`);
          });
        },
      };
    });
  } catch (error) {
    locks[Symbol.dispose]();
    throw error;
  }
}

/** The address of the server that answers for this folder now; null where none does. */
export async function findPrivateServer(dataDir: string): Promise<string | null> {
  const path = await findDataFolder(dataDir);
  const server = path === null ? null : await runningServer(path);
  return server !== null && await isReady(server) ? urlOf(server) : null;
}

/** @throws {OperatorError} when no server answers for this folder */
export async function requirePrivateServer(dataDir: string): Promise<string> {
  const url = await findPrivateServer(dataDir);
  if (url !== null) return url;
  throw new OperatorError("No server is running here: start one with `deno task start`, or set NATS_URL");
}

async function adopt(dataDir: string): Promise<LaunchedServer | null> {
  const server = await runningServer(dataDir);
  return server !== null && await becomesReady(server, dataDir) ? server : null;
}

/** Another worker may have replaced a server that died: the recorded one is stopped, ours where none is. */
async function stop(dataDir: string, ours: LaunchedServer): Promise<void> {
  await endProcess(await runningServer(dataDir) ?? ours);
  await removeServerRecord(dataDir);
}

function urlOf({ port }: LaunchedServer): string {
  return `nats://127.0.0.1:${port}`;
}
