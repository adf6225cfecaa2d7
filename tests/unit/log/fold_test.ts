import { assertEquals } from "@std/assert";
import { Fold } from "../../../src/log/fold.ts";
import { MemoryLog, MemoryWorker, messageOf, subjects } from "../../helpers/memory_log.ts";
import { viewsOf } from "../../helpers/stores.ts";
import { TestPod } from "../../helpers/test_pod.ts";

function subjectsOf(fold: Fold): { readonly [pod: string]: readonly string[] } {
  return Object.fromEntries(
    [...fold.pods].map(([pod, { pod: { store } }]) => [pod, viewsOf(store).map(({ subject }) => subject)]),
  );
}

Deno.test("Fold keeps the pods of one log apart", () => {
  const log = new MemoryLog();
  for (const [pod, subject] of [["p", "a"], ["q", "b"], ["p", "c"]] as const) {
    log.publish(subjects.input(pod, "call.TaskCreate"), { call_id: "c", arguments: { subject } });
  }
  new MemoryWorker(log).settle();
  const fold = new Fold(subjects);
  for (const message of log.messages) fold.take(message);
  assertEquals(subjectsOf(fold), { p: ["a", "c"], q: ["b"] });
});

Deno.test("Fold goes on from pods that are given, and takes what they do not include", () => {
  const log = new MemoryLog();
  for (const [pod, subject] of [["p", "a"], ["q", "b"], ["p", "c"], ["r", "d"]] as const) {
    log.publish(subjects.input(pod, "call.TaskCreate"), { call_id: subject, arguments: { subject } });
    new MemoryWorker(log).settle();
  }
  const early = new Fold(subjects);
  for (const message of log.messages.slice(0, 4)) early.take(message);
  const fold = new Fold(subjects, [...early.pods.values()].map(({ pod }) => pod));
  for (const message of log.messages.slice(1)) fold.take(message);
  assertEquals(subjectsOf(fold), { p: ["a", "c"], q: ["b"], r: ["d"] });
});

Deno.test("Fold does not count another pod's output, though it names the input (R2)", () => {
  const fold = new Fold(subjects);
  const changes = [{ taskid: 1, status: "pending", subject: "stolen", description: "" }];
  fold.take(messageOf(1, "tasks.p.in.call.TaskCreate", { call_id: "c" }));
  fold.take(messageOf(2, "tasks.q.out.result", { v: 1, changes }, { "Tasuki-Input": "1" }));
  assertEquals([subjectsOf(fold), fold.pods.get("p")?.waitingCount], [{ p: [], q: [] }, 1]);
});

Deno.test("Fold gives the pod that a message belongs to, and null for what is none of ours", () => {
  const fold = new Fold(subjects);
  assertEquals(fold.take(messageOf(1, "tasks.p.in.call.TaskList", {}))?.pod.id, "p");
  assertEquals(fold.take(messageOf(2, "tasks.a*b.in.call.TaskList", {}))?.pod.id, "_");
  assertEquals(fold.take(messageOf(3, "jobs.p.in.call.TaskList", {})), null);
});

Deno.test("Fold holds a pod that is not served, and serves the others (R15)", () => {
  const pod = new TestPod("p");
  pod.call("TaskCreate", { subject: "a" });
  pod.log.publish("tasks.q.in.call.TaskCreate", { call_id: "c", arguments: { subject: "b" } });
  pod.log.publish("tasks.q.out.result", { v: 2 }, { "Tasuki-Input": "3" });
  pod.restart();
  const worker = new MemoryWorker(pod.log);
  worker.settle();
  const { pods } = worker.fold;
  assertEquals([pods.get("p")?.notServed, pods.get("q")?.notServed, subjectsOf(worker.fold)], [
    null,
    "Cannot apply the output at seq 4: this worker knows v 1: got 2",
    { p: ["a"], q: [] },
  ]);
});

Deno.test("a number that JSON writes in another way is the same live and folded", () => {
  const pod = new TestPod();
  const content =
    '{"call_id":"c","arguments":{"subject":"a","metadata":{"k":[-0,1e21,0.1e-7,100000000000000000001]}}}';
  pod.publish("call.TaskCreate", content);
  const { store } = pod;
  pod.restart();
  assertEquals(pod.store, store);
  assertEquals(viewsOf(store)[0]?.metadata, { k: [0, 1e21, 1e-8, 1e20] });
});

Deno.test("a hole in the log is decided at its place, and what follows is applied from its record (R13)", () => {
  const pod = new TestPod();
  pod.call("TaskCreate", { subject: "a" });
  pod.call("TaskUpdate", { taskid: 1, status: "inprogress", if_status: "pending" });
  pod.call("TaskUpdate", { taskid: 1, status: "completed" });
  pod.log.delete(4);
  pod.restart();
  const [hole] = pod.log.messages.slice(-1).map((message) =>
    JSON.parse(new TextDecoder().decode(message.data))
  );
  assertEquals([hole.input_seq, hole.changes, viewsOf(pod.store)], [
    3,
    [{ taskid: 1, status: "inprogress" }],
    [{ taskid: 1, status: "completed", subject: "a", description: "" }],
  ]);
});
