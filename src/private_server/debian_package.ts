/**
 * Takes one program out of a Debian package with `apt-get download` and `dpkg-deb -x`: nothing is installed,
 * and where the machine's package lists do not know the package, a private copy of them is fetched.
 */

import { dirname, join } from "node:path";
import { runCommand } from "./run_command.ts";

const downloadMsMax = 120_000;
const extractMsMax = 60_000;

/**
 * Puts the program of the package that has the same name at `target`, replacing what was there in one step.
 *
 * @throws {Error} when there is no apt-get, no such package, no network or no room; then `target` is
 * untouched
 */
export async function fetchDebianBinary(name: string, target: string): Promise<void> {
  const folder = dirname(target);
  await Deno.mkdir(folder, { recursive: true });
  const work = await Deno.makeTempDir({ dir: folder, prefix: "fetching-" });
  try {
    const archive = await download(name, work);
    await runCommand("dpkg-deb", ["-x", archive, work], { msMax: extractMsMax });
    await Deno.rename(await find(name, work), target);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/** The path of the downloaded package. */
async function download(name: string, work: string): Promise<string> {
  // Root's apt would give its rights away to a user who may not write to our folder.
  const unsandboxed = ["-o", "APT::Sandbox::User=root"];
  try {
    await aptGet(["download", ...unsandboxed, name], work);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw error;
    const lists = ["-o", `Dir::State::Lists=${work}/lists`, "-o", `Dir::Cache=${work}/cache`, ...unsandboxed];
    await Deno.mkdir(join(work, "lists", "partial"), { recursive: true });
    await Deno.mkdir(join(work, "cache", "archives", "partial"), { recursive: true });
    await aptGet(["update", ...lists], work);
    await aptGet(["download", ...lists, name], work);
  }
  for await (const entry of Deno.readDir(work)) {
    if (entry.name.endsWith(".deb")) return join(work, entry.name);
  }
  throw new Error(`Cannot download ${name}: apt-get must leave a package: got none`);
}

function aptGet(args: string[], cwd: string): Promise<string> {
  return runCommand("apt-get", ["-o", "Acquire::Retries=3", ...args], { cwd, msMax: downloadMsMax });
}

async function find(name: string, work: string): Promise<string> {
  for (const folder of ["usr/sbin", "usr/bin"]) {
    const path = join(work, folder, name);
    try {
      await Deno.stat(path);
      return path;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  throw new Error(`Cannot unpack ${name}: it must be in usr/sbin or usr/bin of its package: got neither`);
}
