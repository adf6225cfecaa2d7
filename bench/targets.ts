/** The targets, and which measure decides each. */
import { type Measure, numberText, shown } from "./report.ts";

interface Target {
  readonly what: string;
  /** Of the measure. */
  readonly id: string;
  readonly is: "at most" | "at least";
  readonly limit: number;
}

const targets: readonly Target[] = [
  {
    what: "call → result on `out.result`, one at a time, p50",
    id: "one_result_ratio",
    is: "at most",
    limit: 1,
  },
  {
    what: "call → result by `Tasuki-Reply`, one at a time, p50",
    id: "one_reply_ratio",
    is: "at most",
    limit: 1,
  },
  { what: "calls/s on `out.result`, 16 in flight", id: "16_result_ratio", is: "at least", limit: 1 },
  { what: "calls/s by `Tasuki-Reply`, 16 in flight", id: "16_reply_ratio", is: "at least", limit: 1 },
  { what: "calls/s on `out.result`, 256 in flight", id: "256_result_ratio", is: "at least", limit: 0.9 },
  { what: "calls/s by `Tasuki-Reply`, 256 in flight", id: "256_reply_ratio", is: "at least", limit: 0.9 },
  { what: "calls/s on one single pod, 16 in flight", id: "16_single_ratio", is: "at least", limit: 0.8 },
  { what: "replay, inputs and outputs", id: "replay", is: "at least", limit: 150_000 },
  { what: "replay against a bare ordered read", id: "replay_ratio", is: "at least", limit: 0.6 },
  { what: "start behind 1,000,000 messages, 10,000 to read", id: "start_ms", is: "at most", limit: 1_500 },
  { what: "one pod, call number 10,000 against number 10", id: "age_ratio", is: "at most", limit: 1.5 },
  {
    what: "TaskList of 100 tasks against a TaskGet, call → result",
    id: "list_ratio",
    is: "at most",
    limit: 2,
  },
  {
    what: "the same without the way there and back: the kernel alone",
    id: "kernel_list_ratio",
    is: "at most",
    limit: 2,
  },
  { what: "10,000 pods × 20 tasks, resident, at rest", id: "resident_at_rest", is: "at most", limit: 300 },
  { what: "the same right after they were made", id: "resident_most", is: "at most", limit: 300 },
  { what: "first answer of an idle pod in memory, p50", id: "idle_in_memory_ms", is: "at most", limit: 5 },
  {
    what: "first answer of an idle pod that had left memory, p50",
    id: "idle_evicted_ms",
    is: "at most",
    limit: 5,
  },
  { what: "the same where the pod remembers 1,024 calls", id: "idle_busy_ms", is: "at most", limit: 5 },
  {
    what: "1,000 tasks, 5,000 edges: complete with notices",
    id: "kernel_complete_ms",
    is: "at most",
    limit: 1,
  },
  { what: "1,000 tasks: complete what 999 others wait for", id: "kernel_fan_ms", is: "at most", limit: 1 },
];

export const targetsHead = ["what", "target", "measured", "met"] as const;

/** @throws {Error} when a target's measure is missing */
export function targetRows(measures: ReadonlyMap<string, Measure>): readonly (readonly string[])[] {
  return targets.map(({ what, id, is, limit }) => {
    const measure = measures.get(id);
    if (!measure) throw new Error(`Cannot tell whether a target is met: ${id} was not measured`);
    const isMet = is === "at most" ? measure.value <= limit : measure.value >= limit;
    const target = `${is === "at most" ? "≤" : "≥"} ${shown({ ...measure, value: limit })}`;
    return [what, target, shown(measure), isMet ? "yes" : "**no**"];
  });
}

/** How many targets are met, in words. */
export function targetsSummary(rows: readonly (readonly string[])[]): string {
  const met = rows.filter((row) => row.at(-1) === "yes").length;
  return `${numberText(met)} of ${numberText(rows.length)} are met.`;
}
