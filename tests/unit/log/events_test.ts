import { assertEquals } from "@std/assert";
import { emptyStore } from "../../../src/tasks/store.ts";
import { viewsOf } from "../../helpers/stores.ts";
import { TestPod } from "../../helpers/test_pod.ts";

/** A pod with a task that `w` works on, one that is pending for it, and one that it finished. */
function busyPod(): TestPod {
  const pod = new TestPod();
  for (const subject of ["a", "b", "c"]) pod.call("TaskCreate", { subject });
  pod.call("TaskClaim", { taskid: 1 }, { agent: "w" });
  pod.call("TaskUpdate", { taskid: 2, owner: "w" });
  pod.call("TaskClaim", { taskid: 3 }, { agent: "w" });
  pod.call("TaskComplete", { taskid: 3 }, { agent: "w" });
  return pod;
}

Deno.test("agent.exited frees the agent's open tasks in one recorded step that names them (R29)", () => {
  const pod = busyPod();
  assertEquals(pod.event("agent.exited", { event_id: "e1", agent: "w", reason: "killed" }), {
    v: 1,
    rules: 1,
    input_seq: 15,
    kind: "agent.exited",
    event_id: "e1",
    changes: [{ taskid: 1, status: "pending", owner: null }, { taskid: 2, owner: null }],
    agent: "w",
    reason: "killed",
    released: [{ taskid: 1, subject: "a" }, { taskid: 2, subject: "b" }],
  });
  assertEquals(viewsOf(pod.store), [
    { taskid: 1, status: "pending", subject: "a", description: "" },
    { taskid: 2, status: "pending", subject: "b", description: "" },
    { taskid: 3, status: "completed", subject: "c", description: "", owner: "w" },
  ]);
});

Deno.test("agent.exited with the same id changes nothing and gets the first answer; with a new one it frees again", () => {
  const pod = busyPod();
  const first = pod.event("agent.exited", { event_id: "e1", agent: "w" });
  pod.call("TaskClaim", { taskid: 1 }, { agent: "w" });
  assertEquals(pod.event("agent.exited", { event_id: "e1", agent: "w" }), {
    ...first,
    input_seq: 19,
    duplicate: true,
    changes: [],
  });
  assertEquals(pod.event("agent.exited", { event_id: "e2", agent: "w" }).changes, [
    { taskid: 1, status: "pending", owner: null },
  ]);
});

Deno.test("agent.exited without an agent is refused, and recorded (§3)", () => {
  const pod = busyPod();
  const { store } = pod;
  assertEquals(pod.event("agent.exited", { event_id: "e1", agent: "a b" }), {
    v: 1,
    rules: 1,
    input_seq: 15,
    kind: "agent.exited",
    event_id: "e1",
    changes: [],
    error: {
      code: "invalid_arguments",
      message: 'agent must be 1 to 64 of A-Z a-z 0-9 _ . : @ / -: got "a b"',
    },
  });
  assertEquals(pod.store === store, true);
});

Deno.test("session.closed ends the store with its pod: a later call starts a new one at taskid 1", () => {
  const pod = busyPod();
  assertEquals(pod.event("session.closed", { event_id: "e1" }), {
    v: 1,
    rules: 1,
    input_seq: 15,
    kind: "session.closed",
    event_id: "e1",
    reset: { next_taskid: 1 },
    changes: [],
  });
  assertEquals(pod.store, emptyStore());
  pod.call("TaskCreate", { subject: "new" });
  assertEquals(viewsOf(pod.store), [{ taskid: 1, status: "pending", subject: "new", description: "" }]);
});

Deno.test("session.closed once more with the same id closes nothing, past the close and a restart, too (R6)", () => {
  const pod = busyPod();
  const { reset: _, ...first } = pod.event("session.closed", { event_id: "e1" });
  pod.call("TaskCreate", { subject: "new" });
  pod.restart();
  assertEquals(pod.event("session.closed", { event_id: "e1" }), { ...first, input_seq: 19, duplicate: true });
  assertEquals(pod.store.tasks.length, 1);
});

for (const [about, between, isRepeat] of [["255", 255, true], ["256", 256, false]] as const) {
  Deno.test(`an event's id is ${isRepeat ? "known" : "forgotten"} after ${about} others of its kind`, () => {
    const pod = new TestPod();
    pod.event("agent.exited", { event_id: "e", agent: "w" });
    for (let i = 0; i < between; i++) pod.event("agent.exited", { event_id: `x${i}`, agent: "w" });
    for (let i = 0; i < 300; i++) pod.event("compact.failed", { compact_id: `k${i}` });
    assertEquals(pod.event("agent.exited", { event_id: "e", agent: "w" }).duplicate ?? false, isRepeat);
  });
}

Deno.test("an event's id is remembered for its kind only", () => {
  const pod = new TestPod();
  pod.event("agent.exited", { event_id: "e", agent: "w" });
  assertEquals(pod.event("session.closed", { event_id: "e" }).duplicate, undefined);
});

Deno.test("an event whose first answer the log no longer has is told that it was a repeat", () => {
  const pod = busyPod();
  pod.event("agent.exited", { event_id: "e", agent: "w" });
  pod.log.delete(16);
  assertEquals(pod.event("agent.exited", { event_id: "e", agent: "w" }), {
    v: 1,
    rules: 1,
    input_seq: 17,
    kind: "agent.exited",
    event_id: "e",
    changes: [],
    duplicate: true,
  });
});
