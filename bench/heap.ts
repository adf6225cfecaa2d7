/**
 * What a pod, a task and a remembered call take of the heap, garbage not counted, and a saved pod of the bucket.
 *
 *     deno run --allow-all --v8-flags=--expose-gc bench/heap.ts
 */
import { encodePod } from "../src/log/saved_pod.ts";
import { Pod } from "../src/log/pod.ts";
import { PodLog } from "../src/log/pod_log.ts";
import { callsRememberedMax } from "../src/tasks/limits.ts";
import { newTask, newTasks, statusChange } from "./calls.ts";
import { answered, answeredAndApplied, loggedCall } from "./kernel_pod.ts";
import { report } from "./report.ts";
import { sized } from "./sizes.ts";

/** A later collection finds what an earlier one has only let go. */
const collections = 4;

function heapBytes(): number {
  const collect: unknown = Reflect.get(globalThis, "gc");
  if (typeof collect !== "function") {
    throw new Error("Cannot measure the heap: it must be run with --v8-flags=--expose-gc");
  }
  for (let index = 0; index < collections; index++) collect();
  return Deno.memoryUsage().heapUsed;
}

/** Bytes for each of `count` things that are made. */
function bytesOf(count: number, make: (index: number) => unknown): number {
  const before = heapBytes();
  const kept = Array.from({ length: count }, (_, index) => make(index));
  return (heapBytes() - before) / kept.length;
}

function podWithTasks(index: number, tasks: number): Pod {
  const pod = new Pod(`pod-${index}`);
  answeredAndApplied(pod, loggedCall(pod.id, 1, "TaskCreate", tasks === 1 ? newTask(1) : newTasks(tasks)));
  return pod;
}

function podWithCalls(index: number, calls: number): Pod {
  const pod = podWithTasks(index, 1);
  for (let turn = 0; turn < calls; turn++) {
    answeredAndApplied(pod, loggedCall(pod.id, 2 + turn, "TaskUpdate", statusChange(1, turn)));
  }
  return pod;
}

const pods = sized(1_000, 100);
bytesOf(10, (index) => podWithCalls(index, 100));
const empty = bytesOf(pods, (index) => new PodLog(new Pod(`pod-${index}`)));
report("heap_pod", "heap of a pod without tasks", empty, "B");
const fewTasks = bytesOf(pods, (index) => podWithTasks(index, 20));
const manyTasks = bytesOf(pods, (index) => podWithTasks(index, 80));
report("heap_task", "heap of a task", (manyTasks - fewTasks) / 60, "B");
const listed = bytesOf(pods, (index) => {
  const pod = podWithTasks(index, 20);
  answered(pod, loggedCall(pod.id, 2, "TaskList", {}));
  return pod;
});
report("heap_line", "heap of a task's line, once a list has shown it", (listed - fewTasks) / 20, "B");
const fewCalls = bytesOf(sized(100, 10), (index) => podWithCalls(index, 0));
const manyCalls = bytesOf(sized(100, 10), (index) => podWithCalls(index, callsRememberedMax - 1));
report("heap_call", "heap of a remembered call", (manyCalls - fewCalls) / (callsRememberedMax - 1), "B");

const busy = podWithCalls(0, callsRememberedMax);
const saved = encodePod(busy, busy, "00000000-0000-0000-0000-000000000000");
report("saved_pod", "a saved pod with one task that remembers all the calls it may", saved.length, "B");
