/**
 * Runs the programs of the bench, each in a process of its own, and writes one table: to standard output, and into
 * `docs/PERFORMANCE.md` with its pictures where all of them ran at full size.
 *
 *     deno task bench [--small] [program…]
 */
import { costRows, costsHead } from "./costs.ts";
import { markdownTable, withPart } from "./page.ts";
import { plotSvg } from "./plot.ts";
import { readRecords, recordsVariable, shown } from "./report.ts";
import { targetRows, targetsHead, targetsSummary } from "./targets.ts";

const programs = ["kernel", "heap", "end_to_end", "cluster", "replay", "growth", "memory"];
const page = "docs/PERFORMANCE.md";

/** @throws {Error} when it fails */
async function run(program: string, options: readonly string[], recordsFile: string): Promise<void> {
  const startedMs = performance.now();
  console.log(`\n${program}`);
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--frozen", "--v8-flags=--expose-gc", `bench/${program}.ts`, ...options],
    env: { [recordsVariable]: recordsFile },
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`${program} failed`);
  console.log(`  (${Math.round((performance.now() - startedMs) / 1000)} s)`);
}

/** What was there to measure on, without a name. */
function machineText(server: string, loadBefore: number): string {
  const cores = navigator.hardwareConcurrency;
  const gigabytes = Math.round(Deno.systemMemoryInfo().total / 1e9);
  return `Measured on a virtual machine with ${cores} cores and ${gigabytes} GB, ${Deno.build.os} ${Deno.build.arch}, ` +
    `Deno ${Deno.version.deno}, ${server}, everything on this one machine. ` +
    `Load average before the run: ${loadBefore.toFixed(1)}.`;
}

const options = Deno.args.filter((arg) => arg.startsWith("--"));
const chosen = Deno.args.filter((arg) => !arg.startsWith("--"));
const [loadBefore = 0] = Deno.loadavg();
const recordsFile = await Deno.makeTempFile({ prefix: "tasuki-bench-" });
try {
  const startedMs = performance.now();
  for (const program of chosen.length > 0 ? chosen : programs) await run(program, options, recordsFile);
  console.log(`\nall in ${Math.round((performance.now() - startedMs) / 1000)} s\n`);
  if (chosen.length === 0) {
    await writeUp(await Deno.readTextFile(recordsFile), options.includes("--small"));
  }
} finally {
  await Deno.remove(recordsFile);
}

async function writeUp(recordsText: string, isSmall: boolean): Promise<void> {
  const records = readRecords(recordsText);
  const all = records.flatMap((record) => record.kind === "measure" ? [record] : []);
  const measures = new Map(all.map((measure) => [measure.id, measure]));
  const targets = targetRows(measures);
  const server = records.find((record) => record.kind === "setting")?.server ?? "";
  const parts = {
    machine: machineText(server, loadBefore),
    targets: `${markdownTable(targetsHead, targets)}\n\n${targetsSummary(targets)}`,
    costs: markdownTable(costsHead, costRows(measures)),
    numbers: markdownTable(["what", "measured"], all.map((measure) => [measure.what, shown(measure)])),
  };
  console.log(`${parts.machine}\n\n${parts.targets}\n\n${parts.costs}`);
  if (isSmall) return;
  const written = [page];
  await Deno.writeTextFile(
    page,
    Object.entries(parts).reduce(
      (text, [name, part]) => withPart(text, name, part),
      await Deno.readTextFile(page),
    ),
  );
  for (const record of records) {
    if (record.kind !== "curve") continue;
    const file = `docs/${record.file}.svg`;
    await Deno.writeTextFile(file, plotSvg(record));
    written.push(file);
  }
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", ...written] }).output();
}
