import { assertEquals } from "@std/assert";
import { WatchedPods } from "../../../src/cli/watched_pods.ts";
import type { EventKind } from "../../../src/log/read_input.ts";
import { bytesOf, MemoryLog, MemoryWorker, subjects } from "../../helpers/memory_log.ts";

/** A pod whose messages are watched as they are recorded. */
class Watched {
  readonly #log = new MemoryLog();
  readonly #worker = new MemoryWorker(this.#log);
  readonly #pods = new WatchedPods(subjects);
  #calls = 0;

  /** The lines on an input and its output. */
  publish(rest: string, content: unknown): readonly string[] {
    const input = this.#log.publish(subjects.input("p", rest), content);
    const outputs = this.#worker.settle();
    return [input, ...outputs].flatMap((message) => this.#pods.takeNew(message)?.lines ?? []);
  }

  call(tool: string, args: unknown, fields: { readonly call_id?: string } = {}): readonly string[] {
    return this.publish(`call.${tool}`, { call_id: `c${++this.#calls}`, arguments: args, ...fields });
  }

  event(kind: EventKind, body: { readonly [name: string]: unknown }): readonly string[] {
    return this.publish(kind, body);
  }
}

Deno.test("each change of a task is a line that says what changed", () => {
  const pod = new Watched();
  assertEquals(pod.call("TaskCreate", { subject: "parse" }), ["task 1 created: parse"]);
  assertEquals(pod.call("TaskUpdate", { taskid: 1, status: "inprogress" }), [
    "task 1 pending → inprogress: parse",
  ]);
  assertEquals(pod.call("TaskUpdate", { taskid: 1, status: "completed", subject: "Parse", owner: "al" }), [
    "task 1 inprogress → completed (subject, owner): Parse",
  ]);
  assertEquals(pod.call("TaskUpdate", { taskid: 1, description: "x" }), [
    "task 1 changed (description): Parse",
  ]);
  assertEquals(pod.call("TaskCreate", { tasks: [{ subject: "a" }, { subject: "b" }] }), [
    "task 2 created: a",
    "task 3 created: b",
  ]);
});

Deno.test("reads, repeats and calls that change nothing are no event", () => {
  const pod = new Watched();
  pod.call("TaskCreate", { subject: "parse" }, { call_id: "same" });
  assertEquals(pod.call("TaskCreate", { subject: "parse" }, { call_id: "same" }), []);
  assertEquals(pod.call("TaskList", {}), []);
  assertEquals(pod.call("TaskUpdate", { taskid: 1, status: "pending" }), []);
});

Deno.test("refusals and rejections are events, whatever the caller wrote", () => {
  const pod = new Watched();
  assertEquals(pod.call("TaskGet", { taskid: 7 }), ["TaskGet refused (task_not_found)"]);
  assertEquals(pod.call("TaskFly", {}), ["TaskFly refused (unknown_tool)"]);
  assertEquals(pod.event("session.restore", { restore_id: "r", entries: 1 }), [
    "session.restore refused (invalid_arguments)",
  ]);
  const [line = ""] = pod.publish("call.TaskList", bytesOf("\x1b]0;title\x07"));
  assertEquals(/^input 7 rejected \(not_json\): [\x20-\x7e]+$/.test(line), true, line);
});

Deno.test("compactions, restores, exits and ends are events", () => {
  const pod = new Watched();
  pod.call("TaskCreate", { subject: "parse", owner: "al" });
  assertEquals(pod.event("compact.started", { compact_id: "k" }), ["compaction k started"]);
  assertEquals(pod.event("compact.failed", { compact_id: "k" }), ["compaction k failed"]);
  assertEquals(pod.event("compact.finished", { compact_id: "k" }), [
    "compaction k finished: the list is carried over",
  ]);
  assertEquals(pod.event("agent.exited", { event_id: "e", agent: "al" }), [
    "agent al exited",
    "task 1 changed (owner): parse",
  ]);
  const entries = [{ type: "tool_call", call_id: "c", name: "TaskCreate", arguments: { subject: "new" } }];
  assertEquals(pod.event("session.restore", { restore_id: "r", entries, mode: "replace" }), [
    "list restored: 1 call(s) and 0 snapshot(s) applied",
  ]);
  assertEquals(pod.event("session.closed", { event_id: "e2" }), ["session closed: the list is empty"]);
});

Deno.test("the past is taken without a word", () => {
  const log = new MemoryLog();
  const pods = new WatchedPods(subjects);
  log.publish(subjects.input("p", "call.TaskCreate"), { call_id: "c", arguments: { subject: "old" } });
  new MemoryWorker(log).settle();
  for (const message of log.messages) pods.take(message);
  assertEquals(pods.board("p").store.tasks.map(({ subject }) => subject), ["old"]);
  assertEquals(pods.board("q"), { pod: "q", store: pods.board("q").store, waitingCount: 0, notServed: null });
  assertEquals(pods.board("q").store.tasks, []);
  pods.begin([]);
  assertEquals(pods.board("p").store.tasks, []);
});
