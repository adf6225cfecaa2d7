/** Programs from other Debian suites than the machine's own, with package lists apart: nothing is installed. */
import { join } from "node:path";
import { runCommand } from "../../src/private_server/run_command.ts";

const downloadMsMax = 300_000;
const extractMsMax = 60_000;

/**
 * The path of the program of the package that has the same name. It is fetched once and then kept below
 * `folder`: remove it there to have a newer one.
 *
 * @throws {Error} when this is no Debian machine, or the suite has no such package, or there is no network
 */
export async function programOfSuite(name: string, suite: string, folder: string): Promise<string> {
  const place = join(folder, `${name}-${suite}`);
  const program = join(place, "usr", "sbin", name);
  if (await isThere(program)) return program;
  await Deno.mkdir(folder, { recursive: true });
  const work = await Deno.makeTempDir({ dir: folder, prefix: "fetching-" });
  try {
    const archive = await download(name, suite, work);
    await runCommand("dpkg-deb", ["-x", archive, join(work, "unpacked")], { msMax: extractMsMax });
    await Deno.rename(join(work, "unpacked"), place).catch(async (error) => {
      // Another test has fetched it meanwhile.
      if (!await isThere(program)) throw error;
    });
    return program;
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/** The path of the downloaded package. */
async function download(name: string, suite: string, work: string): Promise<string> {
  const sources = join(work, "sources.list");
  const options = [
    `Dir::Etc::SourceList=${sources}`,
    "Dir::Etc::SourceParts=-",
    `Dir::State::Lists=${work}/lists`,
    `Dir::Cache=${work}/cache`,
    // Root's apt would give its rights away to a user who may not write to our folder.
    "APT::Sandbox::User=root",
  ].flatMap((option) => ["-o", option]);
  await Deno.writeTextFile(sources, `deb ${await repositoryAddress()} ${suite} main\n`);
  await Deno.mkdir(join(work, "lists", "partial"), { recursive: true });
  await Deno.mkdir(join(work, "cache", "archives", "partial"), { recursive: true });
  await aptGet(["update", ...options], work);
  await aptGet(["download", ...options, name], work);
  for await (const entry of Deno.readDir(work)) {
    if (entry.name.endsWith(".deb")) return join(work, entry.name);
  }
  throw new Error(`Cannot download ${name} of ${suite}: apt-get must leave a package: got none`);
}

/** Where this machine has Debian itself from: a repository with a component `main` whose path ends with `debian`. */
async function repositoryAddress(): Promise<string> {
  const format = "$(REPO_URI) $(COMPONENT)";
  const targets = await aptGet(["indextargets", "--format", format, "Created-By: Packages"], ".");
  const [, address] = /^(\S+\/debian\/?) main$/m.exec(targets) ?? [];
  if (address === undefined) {
    throw new Error("Cannot find Debian's repository: the machine's own must be Debian");
  }
  return address;
}

function aptGet(args: string[], cwd: string): Promise<string> {
  return runCommand("apt-get", ["-o", "Acquire::Retries=3", ...args], { cwd, msMax: downloadMsMax });
}

async function isThere(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
