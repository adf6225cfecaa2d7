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
 * The nats-server of the tests that need a cluster, and whether it is one that Tasuki is promised for there: 2.12 or
 * later. Where the tests' own is older, a current one is fetched from Debian; where that cannot be, it is the older one.
 */
export async function clusterBinary(): Promise<{ readonly binary: string; readonly isPromised: boolean }> {
  const binary = await testBinary();
  if (await isForClusters(binary)) return { binary, isPromised: true };
  if (Deno.env.has(variable)) return { binary, isPromised: false };
  try {
    return { binary: await programOfSuite("nats-server", "sid", defaultCacheDir()), isPromised: true };
  } catch (error) {
    console.warn(`No current nats-server for a cluster, so some of it is not tested: ${error}`);
    return { binary, isPromised: false };
  }
}

async function isForClusters(binary: string): Promise<boolean> {
  const version = await runCommand(binary, ["--version"], { msMax: versionMsMax });
  const [major = 0, minor = 0] = (/\d+\.\d+/.exec(version)?.[0] ?? "").split(".").map(Number);
  return major > 2 || (major === 2 && minor >= 12);
}
