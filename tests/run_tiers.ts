/**
 * Runs the test tiers, each with its own permissions, prints what failed once more at the end, and closes with
 * `N passed, N failed`.
 *
 *     deno run --allow-run --allow-env tests/run_tiers.ts [tier…]
 */

// All, since the private server looks at /proc/<pid>, which Deno guards with nothing less.
const real = ["--allow-all"];

interface Tier {
  readonly folder: string;
  readonly permissions: readonly string[];
  /** Files that run at the same time; by default one. */
  readonly jobs?: number;
  readonly env?: { readonly [name: string]: string };
  /** Files of the folder that do not run, without their `_test.ts`. */
  readonly without?: readonly string[];
}

/** Integration tests that would prove the same once more: no answer of theirs depends on where a pod's list comes from. */
const withoutLists = [
  // What comes before any worker.
  ...["connection", "deploy", "deno_permissions", "private_server", "serve_start", "server_binary", "stream"],
  // What stands beside the worker, or reads the log by itself.
  ...["cli", "disk_folder", "files", "graph", "http", "permissions", "pull_reader", "session_log", "tracing"],
];

/** In the order in which they run; keyed by name. */
const tiers: ReadonlyMap<string, Tier> = new Map<string, Tier>([
  ["tidy", { folder: "tidy", permissions: ["--allow-read"] }],
  ["unit", { folder: "unit", permissions: [], jobs: 2 }],
  ["property", { folder: "property", permissions: [], jobs: 2 }],
  ["golden", { folder: "golden", permissions: ["--allow-read"] }],
  // Most of what they do is waiting.
  ["integration", { folder: "integration", permissions: real, jobs: 5 }],
  // Once more with pods that leave memory whenever they can: every answer after a load from checkpoint and log.
  ["always-replay", {
    folder: "integration",
    permissions: real,
    jobs: 5,
    env: { TEST_PODS_IN_MEMORY_MAX: "0" },
    without: withoutLists,
  }],
  ["acceptance", { folder: "acceptance", permissions: real }],
  ["crash", { folder: "crash", permissions: real, jobs: 3 }],
  ["cluster", { folder: "cluster", permissions: real, jobs: 2 }],
  ["page", { folder: "page", permissions: real }],
]);

interface Outcome {
  readonly passed: number;
  readonly failed: number;
  /** What failed, each with the first lines of its error. */
  readonly failures: readonly string[];
}

const errorLinesMax = 8;

/** A tier that ends without its closing line has failed, too. */
function outcomeOf(name: string, output: string, isSuccess: boolean): Outcome {
  const counts = [...output.matchAll(/^(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed/gm)].at(-1);
  const passed = Number(counts?.[1] ?? 0);
  const failed = Number(counts?.[2] ?? 0);
  if (isSuccess) return { passed, failed, failures: [] };
  const errors = output.split("\n ERRORS \n").at(-1)?.split("\n FAILURES \n")[0] ?? "";
  const failures = errors.split(/\n\n(?=.* => \.\/tests\/|\.\/tests\/.* \(uncaught error\))/)
    .map((error) => error.trim().split("\n").slice(0, errorLinesMax).join("\n"));
  const whole = counts ? failures : [`${name} did not come to its end: see above`];
  return { passed, failed: Math.max(failed, 1), failures: whole };
}

/** Of the runner's lines those that say that something failed, and what tests print themselves. */
class Shown {
  #isOutput = false;

  take(line: string): void {
    if (/^-{7} (?:post-test )?output -{7}$/.test(line)) this.#isOutput = true;
    else if (/-{5} (?:post-test )?output end -{5}$/.test(line)) this.#isOutput = false;
    else if (this.#isOutput || / \.\.\. FAILED|^Uncaught error/.test(line)) console.log(line);
  }
}

async function run(
  name: string,
  { folder, permissions, jobs = 1, env = {}, without = [] }: Tier,
): Promise<Outcome> {
  console.log(`\n== ${name}`);
  const startedMs = performance.now();
  const ignored = without.map((file) => `tests/${folder}/${file}_test.ts`).join();
  const process = new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "--frozen",
      "--no-check",
      "--parallel",
      ...permissions,
      ...(ignored === "" ? [] : [`--ignore=${ignored}`]),
      `tests/${folder}/`,
    ],
    env: { ...env, NO_COLOR: "1", DENO_JOBS: String(jobs) },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const shown = new Shown();
  let output = "";
  let line = "";
  for await (const text of process.stdout.pipeThrough(new TextDecoderStream())) {
    output += text;
    const lines = (line + text).split("\n");
    line = lines.pop() ?? "";
    for (const whole of lines) shown.take(whole);
  }
  const outcome = outcomeOf(name, output, (await process.status).success);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  console.log(`${name}: ${outcome.passed} passed, ${outcome.failed} failed (${seconds} s)`);
  return outcome;
}

/** All types of the tiers at once, since each tier alone would check most of the project again. */
async function check(folders: readonly string[]): Promise<Outcome> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--quiet", "--frozen", ...folders.map((folder) => `tests/${folder}/`)],
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  return success
    ? { passed: 0, failed: 0, failures: [] }
    : { passed: 0, failed: 1, failures: ["types are wrong: see above"] };
}

const unknown = Deno.args.filter((name) => !tiers.has(name));
if (unknown.length > 0) {
  console.error(`Cannot run ${unknown.join(", ")}: the tiers are ${[...tiers.keys()].join(", ")}`);
  Deno.exit(2);
}
const chosen = [...tiers].filter(([name]) => Deno.args.length === 0 || Deno.args.includes(name));
const outcomes = [await check(chosen.map(([, { folder }]) => folder))];
for (const [name, tier] of chosen) outcomes.push(await run(name, tier));
for (const failure of outcomes.flatMap(({ failures }) => failures)) console.log(`\n${failure}`);
const sum = (count: (outcome: Outcome) => number) => outcomes.map(count).reduce((a, b) => a + b);
const failed = sum((outcome) => outcome.failed);
console.log(`\n${sum(({ passed }) => passed)} passed, ${failed} failed`);
Deno.exit(failed > 0 ? 1 : 0);
