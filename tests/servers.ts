/**
 * Runs the tiers that need a server once more, on the nats-servers of newer Debian suites than the floor's.
 *
 *     deno task test:servers [tier…]
 */
import { fileURLToPath } from "node:url";
import { runCommand } from "../src/private_server/run_command.ts";
import { defaultCacheDir } from "../src/private_server/server_binary.ts";
import { programOfSuite } from "./helpers/debian_suite.ts";

/** nats-server 2.10, and a current one. */
const suites = ["trixie", "sid"];
const tiersByDefault = ["integration", "acceptance", "crash", "cluster"];
const versionMsMax = 5_000;

const runner = fileURLToPath(new URL("run_tiers.ts", import.meta.url));

async function run(binary: string, tiers: readonly string[]): Promise<boolean> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-run", "--allow-env", "--allow-read", runner, ...tiers],
    env: { TASUKI_TEST_NATS_SERVER: binary },
    stdin: "null",
  }).spawn().status;
  return success;
}

const tiers = Deno.args.length > 0 ? Deno.args : tiersByDefault;
const summary: { readonly suite: string; readonly version: string; readonly isGood: boolean }[] = [];
for (const suite of suites) {
  const binary = await programOfSuite("nats-server", suite, defaultCacheDir());
  const version = (await runCommand(binary, ["--version"], { msMax: versionMsMax })).trim();
  console.log(`\n==== ${suite}: ${version}`);
  summary.push({ suite, version, isGood: await run(binary, tiers) });
}
console.log();
for (const { suite, version, isGood } of summary) {
  console.log(`${suite}: ${version}: ${isGood ? "passed" : "FAILED"}`);
}
Deno.exit(summary.every(({ isGood }) => isGood) ? 0 : 1);
