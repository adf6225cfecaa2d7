import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultCacheDir } from "../../src/private_server/server_binary.ts";

const script = fileURLToPath(new URL("../helpers/find_server_binary.ts", import.meta.url));
const folders = (Deno.env.get("PATH") ?? "").split(delimiter);
const foldersWithoutServer = folders.filter((folder) => !isThere(join(folder, "nats-server")));
const pathWithoutServer = foldersWithoutServer.join(delimiter);
const hasAptGet = foldersWithoutServer.some((folder) => isThere(join(folder, "apt-get")));

Deno.test("findServerBinary() takes the first in PATH that answers, before the cached one", async () => {
  await using folder = await makeFolder();
  await writeProgram(folder.path, "broken", `echo "cannot run here" >&2; exit 3`);
  await writeProgram(folder.path, "other", `echo "nats-streaming v1"`);
  await writeProgram(folder.path, "good", `echo "nats-server: v2.9.10"`);
  await writeProgram(folder.path, "cache", `echo "nats-server: v2.9.10"`);
  const places = ["missing", "broken", "other", "good"].map((name) => join(folder.path, name));
  const { answer, said } = await find(join(folder.path, "cache"), { PATH: ["", ...places].join(delimiter) });

  assertEquals(answer, join(folder.path, "good", "nats-server"));
  assertEquals(said, [
    `Passing over ${places[1]}/nats-server: Cannot run ${places[1]}/nats-server --version: ` +
    "it must end with 0: got exit code 3, cannot run here",
    `Passing over ${places[2]}/nats-server: it answers --version with "nats-streaming v1"`,
  ]);
});

Deno.test("findServerBinary() takes the cached one where PATH has none", async () => {
  await using folder = await makeFolder();
  await writeProgram(folder.path, "cache", `echo "nats-server: v2.9.10"`);
  const { answer, said } = await find(join(folder.path, "cache"), { PATH: "" });

  assertEquals(answer, join(folder.path, "cache", "nats-server"));
  assertEquals(said, []);
});

Deno.test("findServerBinary() names the ways to get one, in a line, when nothing works", async () => {
  await using folder = await makeFolder();
  const { answer } = await find(join(folder.path, "cache"), { PATH: "" });

  assertMatch(answer, /^OperatorError: Cannot find nats-server: it must be in PATH, in ".*cache" or /);
  for (const way of ["apt install", "brew install", "docker run", "NATS_URL"]) {
    assertStringIncludes(answer, way);
  }
  assertMatch(answer, /: got ".*apt-get.*"$/);
  assertEquals(await namesIn(join(folder.path, "cache")), []);
});

Deno.test("findServerBinary() passes over a program that never ends", async () => {
  await using folder = await makeFolder();
  await writeProgram(folder.path, "hanging", `exec tail -f /dev/null`);
  await writeProgram(folder.path, "cache", `echo "nats-server: v2.9.10"`);
  const { answer } = await find(join(folder.path, "cache"), { PATH: `${folder.path}/hanging:/usr/bin:/bin` });

  assertEquals(answer, join(folder.path, "cache", "nats-server"));
});

Deno.test({
  name: "findServerBinary() fetches one from Debian's packages, once, and leaves nothing else behind",
  ignore: !hasAptGet,
  async fn() {
    await using folder = await makeFolder();
    const cache = join(folder.path, "not there", "it's a cache");
    const first = await find(cache, { PATH: pathWithoutServer });
    const second = await find(cache, { PATH: "" });

    assertEquals(first.answer, join(cache, "nats-server"));
    assertEquals(first.said, [`Fetching nats-server from Debian's packages into ${cache}`]);
    assertEquals(second, { answer: first.answer, said: [] });
    assertEquals(await namesIn(cache), ["nats-server"]);
  },
});

Deno.test({
  name: "findServerBinary() fetches package lists of its own where the machine has none",
  ignore: !hasAptGet,
  async fn() {
    await using folder = await makeFolder();
    const lists = join(folder.path, "lists");
    await Deno.mkdir(lists);
    const config = join(folder.path, "apt.conf");
    await Deno.writeTextFile(config, `Dir::State::Lists "${lists}";\n`);
    const cache = join(folder.path, "cache");
    const { answer } = await find(cache, { PATH: pathWithoutServer, APT_CONFIG: config });

    assertEquals(answer, join(cache, "nats-server"));
    assertEquals(await namesIn(cache), ["nats-server"]);
  },
});

Deno.test({
  name: "findServerBinary() gives a whole program when several fetch at once and one is killed",
  ignore: !hasAptGet,
  async fn() {
    await using folder = await makeFolder();
    const environment = { PATH: pathWithoutServer };
    const killed = start(folder.path, environment);
    const others = [find(folder.path, environment), find(folder.path, environment)];
    while ((await namesIn(folder.path)).length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    killUnlessEnded(killed);
    await killed.output();

    for (const { answer } of await Promise.all(others)) {
      assertEquals(answer, join(folder.path, "nats-server"));
    }
  },
});

Deno.test(
  "findServerBinary() fetches anew where the cached one does not run",
  { ignore: !hasAptGet },
  async () => {
    await using folder = await makeFolder();
    await writeProgram(folder.path, "cache", "exit 1");
    const { answer } = await find(join(folder.path, "cache"), { PATH: pathWithoutServer });

    assertEquals(answer, join(folder.path, "cache", "nats-server"));
    assertMatch(await versionOf(answer), /^nats-server: v2\./);
  },
);

Deno.test("defaultCacheDir() is a folder of ours below an absolute path", () => {
  assertMatch(defaultCacheDir(), /^\/.*\/tasuki/);
});

interface Found {
  answer: string;
  said: string[];
}

async function find(cacheDir: string, environment: Record<string, string>): Promise<Found> {
  const { stdout, stderr } = await start(cacheDir, environment).output();
  return { answer: linesOf(stdout).join("\n"), said: linesOf(stderr) };
}

/** In a process of its own: the environment is the whole process's. */
function start(cacheDir: string, environment: Record<string, string>): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--quiet", script, cacheDir],
    env: environment,
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** On a busy machine it may have got what it wanted by now. */
function killUnlessEnded(process: Deno.ChildProcess): void {
  try {
    process.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function versionOf(program: string): Promise<string> {
  return new TextDecoder().decode((await new Deno.Command(program, { args: ["--version"] }).output()).stdout);
}

/** A folder with a `nats-server` that is this shell script. */
async function writeProgram(parent: string, name: string, script: string): Promise<void> {
  await Deno.mkdir(join(parent, name));
  await Deno.writeTextFile(join(parent, name, "nats-server"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

async function namesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
}

function linesOf(bytes: Uint8Array): string[] {
  return new TextDecoder().decode(bytes).split("\n").filter((line) => line !== "");
}

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}

async function makeFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "tasuki-test-binary-" }));
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
