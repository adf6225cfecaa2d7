/** What it costs, from what was measured: rows that need an operator's words rather than a programmer's. */
import { type Measure, shown, type Unit } from "./report.ts";

export const costsHead = ["what", "measured, or follows"] as const;

const secondsOfADay = 86_400;

/** @throws {Error} when a measure is missing */
export function costRows(measures: ReadonlyMap<string, Measure>): readonly (readonly string[])[] {
  const value = (id: string): number => {
    const measure = measures.get(id);
    if (!measure) throw new Error(`Cannot tell what it costs: ${id} was not measured`);
    return measure.value;
  };
  const text = (of: number, unit: Unit): string => shown({ value: of, unit });
  const updateBytes = value("bytes_TaskUpdate_of_a_status");
  return [
    ["log, a TaskCreate with its answer", text(value("bytes_TaskCreate"), "B")],
    ["log, a TaskUpdate with its answer", text(updateBytes, "B")],
    ["log, a TaskGet with its answer", text(value("bytes_TaskGet"), "B")],
    ["log, a TaskList of 100 tasks with its answer", text(value("bytes_TaskList_of_100_tasks"), "B")],
    ["log, one update a second for a day", text(updateBytes * secondsOfADay / 1e6, "MB")],
    ["memory, a worker without pods", text(value("resident_empty"), "MB")],
    [
      "memory, a task of 10,000 pods × 20, all that the worker has for it, at rest",
      text(value("bytes_per_task"), "B"),
    ],
    ["heap of a task, garbage not counted", text(value("heap_task"), "B")],
    ["heap of a task's line, once a list has shown it", text(value("heap_line"), "B")],
    ["heap of a remembered call, at most 1,024 a pod", text(value("heap_call"), "B")],
    ["bucket, a pod that remembers 1,024 calls", text(value("saved_pod"), "B")],
    ["CPU of the worker, a call at 16 in flight", text(value("16_worker_cpu"), "µs")],
    ["CPU of the worker, a call at 256 in flight", text(value("256_worker_cpu"), "µs")],
    ["CPU of the nats-server, a call at 256 in flight", text(value("256_server_cpu"), "µs")],
    ["one worker, with server and clients on the same two cores", text(value("256_result"), "/s")],
    ["the same at three servers with three copies", text(value("cluster_256"), "/s")],
    ["three servers against one of the same version", text(value("cluster_256_ratio"), "×")],
    ["one worker with a core of its own, by its CPU", text(1e6 / value("256_worker_cpu"), "/s")],
    ["one nats-server, a core of it, by its CPU", text(1e6 / value("256_server_cpu"), "/s")],
    ["start without any checkpoint, 1,000,000 messages", text(1e6 / value("replay"), "s")],
  ];
}
