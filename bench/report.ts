/** What the programs of the bench report: a line for people, and a record for `run.ts`. */
import { z } from "zod";

const unit = z.enum(["", "× raw", "×", "ms", "µs", "/s", "MB", "B", "s"]);
export type Unit = z.infer<typeof unit>;

const measure = z.object({
  kind: z.literal("measure"),
  /** Names it in `targets.ts` and `costs.ts`. */
  id: z.string(),
  what: z.string(),
  value: z.number(),
  unit,
});
/** One number that was measured, or follows from what was. */
export type Measure = z.infer<typeof measure>;

const curve = z.object({
  kind: z.literal("curve"),
  /** Of the picture, without folder and extension. */
  file: z.string(),
  title: z.string(),
  x: z.string(),
  y: z.string(),
  /** On which axes equal distances are equal ratios. */
  logarithmic: z.enum(["none", "x", "both"]),
  series: z.array(z.object({ name: z.string(), points: z.array(z.tuple([z.number(), z.number()])) })),
});
/** How a cost grows. */
export type Curve = z.infer<typeof curve>;

/** What was there to measure on. */
const setting = z.object({ kind: z.literal("setting"), server: z.string() });

const record = z.discriminatedUnion("kind", [measure, curve, setting]);
type BenchRecord = z.infer<typeof record>;

/** Names the file in which `run.ts` collects the records; where it is not set there are only the lines. */
export const recordsVariable = "TASUKI_BENCH_RECORDS";

export function report(id: string, what: string, value: number, unit: Unit): void {
  console.log(`  ${what.padEnd(72)} ${shown({ value, unit })}`);
  keep({ kind: "measure", id, what, value, unit });
}

export function reportCurve(of: Omit<Curve, "kind">): void {
  console.log(`  ${of.title}, by ${of.x}, in ${of.y}`);
  for (const { name, points } of of.series) {
    const values = points.map(([x, y]) => `${numberText(x)}: ${numberText(y)}`).join("  ");
    console.log(`    ${name.padEnd(36)} ${values}`);
  }
  keep({ kind: "curve", ...of });
}

/** @param server its name and version */
export function reportSetting(server: string): void {
  keep({ kind: "setting", server });
}

function keep(entry: BenchRecord): void {
  const file = Deno.env.get(recordsVariable);
  if (file !== undefined) Deno.writeTextFileSync(file, JSON.stringify(entry) + "\n", { append: true });
}

/** @throws {Error} when something else wrote to the file */
export function readRecords(text: string): readonly BenchRecord[] {
  return text.split("\n").filter((line) => line !== "").map((line) => record.parse(JSON.parse(line)));
}

export function shown({ value, unit }: Pick<Measure, "value" | "unit">): string {
  return numberText(value) + (unit === "/s" ? "/s" : unit === "" ? "" : ` ${unit}`);
}

/** Three digits that count. */
export function numberText(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en-US", { maximumFractionDigits: digits });
}
