/**
 * Runs the test tiers, each with its own permissions, and ends with `N passed, N failed`.
 *
 *     deno run --allow-run --allow-env tests/run_tiers.ts [tier…]
 */

// All, since the private server looks at /proc/<pid>, which Deno guards with nothing less.
const real = ["--allow-all"];

interface Tier {
  readonly folder: string;
  readonly permissions: readonly string[];
  readonly env: { readonly [name: string]: string };
  /** Whether it runs only when it is named. */
  readonly onRequest?: boolean;
}

/** In the order in which they run; keyed by name. */
const tiers: ReadonlyMap<string, Tier> = new Map<string, Tier>([
  ["tidy", { folder: "tidy", permissions: ["--allow-read"], env: {} }],
  ["unit", { folder: "unit", permissions: [], env: {} }],
  ["property", { folder: "property", permissions: [], env: {} }],
  ["golden", { folder: "golden", permissions: ["--allow-read"], env: {} }],
  ["integration", { folder: "integration", permissions: real, env: {} }],
  // Once more with pods that leave memory whenever they can: every answer after a load from checkpoint and log.
  ["always-replay", {
    folder: "integration",
    permissions: real,
    env: { TEST_PODS_IN_MEMORY_MAX: "0" },
  }],
  ["acceptance", { folder: "acceptance", permissions: real, env: {} }],
  ["crash", { folder: "crash", permissions: real, env: {} }],
  // Three servers on two cores elect slowly, and at times not at all: too unsteady to stand in everybody's way.
  ["cluster", { folder: "cluster", permissions: real, env: {}, onRequest: true }],
  ["page", { folder: "page", permissions: real, env: {} }],
]);

interface Count {
  readonly passed: number;
  readonly failed: number;
}

/** The numbers of the runner's closing line; a tier that ends without one has failed. */
function countOf(output: string, isSuccess: boolean): Count {
  const counts = [...output.matchAll(/(\d+) passed(?: \(\d+ steps?\))? \| (\d+) failed/g)].at(-1);
  const passed = Number(counts?.[1] ?? 0);
  const failed = Number(counts?.[2] ?? 0);
  return { passed, failed: isSuccess ? failed : Math.max(failed, 1) };
}

async function run(name: string, { folder, permissions, env }: Tier): Promise<Count> {
  console.log(`\n== ${name}`);
  const process = new Deno.Command(Deno.execPath(), {
    args: ["test", "--quiet", "--frozen", ...permissions, `tests/${folder}/`],
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let output = "";
  for await (const text of process.stdout.pipeThrough(new TextDecoderStream())) {
    output += text;
    Deno.stdout.writeSync(new TextEncoder().encode(text));
  }
  const count = countOf(output, (await process.status).success);
  console.log(`${name}: ${count.passed} passed, ${count.failed} failed`);
  return count;
}

const unknown = Deno.args.filter((name) => !tiers.has(name));
if (unknown.length > 0) {
  console.error(`Cannot run ${unknown.join(", ")}: the tiers are ${[...tiers.keys()].join(", ")}`);
  Deno.exit(2);
}
let total: Count = { passed: 0, failed: 0 };
for (const [name, tier] of tiers) {
  if (Deno.args.length > 0 ? !Deno.args.includes(name) : tier.onRequest) continue;
  const { passed, failed } = await run(name, tier);
  total = { passed: total.passed + passed, failed: total.failed + failed };
}
console.log(`\n${total.passed} passed, ${total.failed} failed`);
Deno.exit(total.failed > 0 ? 1 : 0);
