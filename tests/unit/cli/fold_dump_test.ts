import { assertEquals, assertThrows } from "@std/assert";
import { foldDump } from "../../../src/cli/fold_dump.ts";
import { headerNames } from "../../../src/log/log_message.ts";
import { UnreadableRecord } from "../../../src/log/recorded.ts";
import { MemoryLog, MemoryWorker, subjects } from "../../helpers/memory_log.ts";

function logOf(...calls: readonly (readonly [pod: string, subject: string])[]): MemoryLog {
  const log = new MemoryLog();
  for (const [index, [pod, subject]] of calls.entries()) {
    log.publish(subjects.input(pod, "call.TaskCreate"), { call_id: `c${index}`, arguments: { subject } });
  }
  return log;
}

function subjectsOf(log: MemoryLog, pod: string): readonly string[] | undefined {
  return foldDump(log.messages, subjects).pods.get(pod)?.store.tasks.map(({ subject }) => subject);
}

Deno.test("foldDump() gives the pods as a worker has them", () => {
  const log = logOf(["p", "a"], ["q", "b"], ["p", "c"]);
  const worker = new MemoryWorker(log);
  worker.settle();
  const folded = foldDump(log.messages, subjects);
  assertEquals([folded.recorded, folded.decided], [3, 0]);
  for (const [id, { pod }] of worker.fold.pods) assertEquals(folded.pods.get(id)?.store, pod.store);
});

Deno.test("foldDump() decides an input without an output at its place", () => {
  const log = logOf(["p", "a"], ["p", "b"], ["p", "c"]);
  const store = new MemoryWorker(log);
  store.settle();
  log.delete(log.messages.find((message) => message.header(headerNames.input) === "2")?.seq ?? 0);
  const folded = foldDump(log.messages, subjects);
  assertEquals([folded.recorded, folded.decided], [2, 1]);
  assertEquals(folded.pods.get("p")?.store, store.fold.pods.get("p")?.pod.store);
});

Deno.test("foldDump() believes the first output of an input, on its own pod and behind it", () => {
  const log = logOf(["p", "a"]);
  const forged = (subject: string) => ({
    v: 1,
    changes: [{ taskid: 1, status: "pending", subject, description: "" }],
  });
  log.publish(subjects.output("q", "result"), forged("of another pod"), { [headerNames.input]: "1" });
  log.publish(subjects.output("p", "result"), forged("first"), { [headerNames.input]: "1" });
  log.publish(subjects.output("p", "result"), forged("second"), { [headerNames.input]: "1" });
  assertEquals(subjectsOf(log, "p"), ["first"]);
});

Deno.test("foldDump() does not take an output of a newer version", () => {
  const log = logOf(["p", "a"]);
  log.publish(subjects.output("p", "result"), { v: 99 }, { [headerNames.input]: "1" });
  assertThrows(() => foldDump(log.messages, subjects), UnreadableRecord);
});
