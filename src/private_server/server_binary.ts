/**
 * Finds the `nats-server` that a private server runs: in `PATH`, else in a cache folder, else among Debian's
 * packages. How a package is fetched is `debian_package.ts`'s business.
 */

import { homedir, tmpdir } from "node:os";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { OperatorError } from "../errors.ts";
import { fetchDebianBinary } from "./debian_package.ts";
import { runCommand } from "./run_command.ts";

const binaryName = "nats-server";
const versionMsMax = 5_000;

const waysToGetIt = "install it (apt install nats-server, apk add nats-server, brew install nats-server), " +
  "or run it in a container (docker run -p 4222:4222 nats -js) or elsewhere and name it in NATS_URL";

/** What a search needs: where fetched binaries are kept, and who is told of what takes time. */
interface ServerBinaryOptions {
  cacheDir: string;
  say: (message: string) => void;
}

/**
 * The absolute path of a `nats-server` that answered `--version`. One that is fetched is kept in `cacheDir`,
 * where it appears whole or not at all, also when two processes fetch at once or one of them is killed.
 *
 * @throws {OperatorError} when there is none and none could be fetched; the message names the ways to get one
 */
export async function findServerBinary({ cacheDir, say }: ServerBinaryOptions): Promise<string> {
  const cached = resolve(cacheDir, binaryName);
  for (const path of [...searchPath(), cached]) {
    if (!await isFile(path)) continue;
    const problem = await problemOf(path);
    if (problem === null) return path;
    say(`Passing over ${path}: ${problem}`);
  }
  try {
    say(`Fetching nats-server from Debian's packages into ${cacheDir}`);
    await fetchDebianBinary(binaryName, cached);
  } catch (error) {
    throw missing(cacheDir, messageOf(error), error);
  }
  const problem = await problemOf(cached);
  if (problem !== null) throw missing(cacheDir, problem);
  return cached;
}

/** The user's cache folder for Tasuki; one below the temporary folder for a user who has no home. */
export function defaultCacheDir(): string {
  const configured = Deno.env.get("XDG_CACHE_HOME") ?? "";
  if (isAbsolute(configured)) return join(configured, "tasuki");
  const home = homedir();
  return home ? join(home, ".cache", "tasuki") : join(tmpdir(), `tasuki-${Deno.uid()}`);
}

function searchPath(): string[] {
  const folders = (Deno.env.get("PATH") ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => resolve(folder, binaryName));
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

function isAbsence(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory ||
    error instanceof Deno.errors.PermissionDenied;
}

/** Why the file is no nats-server that runs here, or null where it is one. */
async function problemOf(path: string): Promise<string | null> {
  try {
    const answer = await runCommand(path, ["--version"], { msMax: versionMsMax });
    return answer.startsWith("nats-server: v") ? null : `it answers --version with "${answer.trim()}"`;
  } catch (error) {
    return messageOf(error);
  }
}

function missing(cacheDir: string, reason: string, cause?: unknown): OperatorError {
  const rule = `it must be in PATH, in "${cacheDir}" or among Debian's packages; ${waysToGetIt}`;
  return new OperatorError(`Cannot find nats-server: ${rule}: got "${reason}"`, { cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
