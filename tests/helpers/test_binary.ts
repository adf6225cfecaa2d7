import { runCommand } from "../../src/private_server/run_command.ts";
import { defaultCacheDir, findServerBinary } from "../../src/private_server/server_binary.ts";
import { programOfSuite } from "./debian_suite.ts";

const variable = "TASUKI_TEST_NATS_SERVER";
const versionMsMax = 10_000;

/** The nats-server of the tests: `TASUKI_TEST_NATS_SERVER`, else the one that `serve` finds. */
export async function testBinary(): Promise<string> {
  return Deno.env.get(variable) ?? await findServerBinary({ cacheDir: defaultCacheDir(), say: () => {} });
}

/**
 * The nats-server of the tests that an old one does not pass, and whether it is current: 2.12 or later, which is what
 * Tasuki is promised for in a cluster. Where the tests' own is older, a current one is fetched from Debian; where that
 * cannot be, it is the older one.
 */
export async function currentBinary(): Promise<{ readonly binary: string; readonly isCurrent: boolean }> {
  const binary = await testBinary();
  if (await isCurrent(binary)) return { binary, isCurrent: true };
  if (Deno.env.has(variable)) return { binary, isCurrent: false };
  try {
    return { binary: await programOfSuite("nats-server", "sid", defaultCacheDir()), isCurrent: true };
  } catch (error) {
    console.warn(`No current nats-server, so some of what needs one is not tested: ${error}`);
    return { binary, isCurrent: false };
  }
}

async function isCurrent(binary: string): Promise<boolean> {
  const version = await runCommand(binary, ["--version"], { msMax: versionMsMax });
  const [major = 0, minor = 0] = (/\d+\.\d+/.exec(version)?.[0] ?? "").split(".").map(Number);
  return major > 2 || (major === 2 && minor >= 12);
}
