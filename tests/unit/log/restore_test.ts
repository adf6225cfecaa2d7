import { assertEquals } from "@std/assert";
import { callsRememberedMax, restoredCallsBytesMax } from "../../../src/tasks/limits.ts";
import { viewsOf } from "../../helpers/stores.ts";
import { systemMessage, toolCall, toolResult } from "../../helpers/restoring.ts";
import { structuredOf, TestPod } from "../../helpers/test_pod.ts";

Deno.test("a restore applies a session's own calls in order, and records what it did (§7)", () => {
  const pod = new TestPod();
  const entries = [
    { type: "message", role: "user", text: "please" },
    toolCall("c1", { subject: "a", description: "d" }),
    toolResult("c1", { taskid: 1 }),
    toolCall("c2", { taskid: 1, status: "done" }, "TaskUpdate"),
  ];
  const { calls, ...event } = pod.event("session.restore", { restore_id: "r", entries });
  assertEquals(event, {
    v: 1,
    rules: 1,
    input_seq: 1,
    kind: "session.restore",
    restore_id: "r",
    reset: { next_taskid: 2 },
    changes: [{ taskid: 1, status: "completed", subject: "a", description: "d" }],
    applied: 2,
    snapshots: 0,
    passed_over: { refused: 0, unreadable: 0, seen_before: 0, over_limits: 0, failed: 0 },
    differing: [],
  });
  assertEquals(
    pod.pod.calls.all().map(({ hash, callId, taskids, isRestored }) => ({
      hash,
      callId,
      taskids,
      isRestored,
    })),
    [
      { hash: Array.isArray(calls) ? calls[0].hash : "", callId: "c1", taskids: [1], isRestored: true },
      { hash: Array.isArray(calls) ? calls[1].hash : "", callId: "c2", taskids: [1], isRestored: true },
    ],
  );
});

Deno.test("a restore remembers its newest 1,024 calls, and no more than its event can carry", () => {
  const calls = Array.from(
    { length: callsRememberedMax + 76 },
    (_, index) => toolCall(`c${index}`, { id: 1, subject: `s${index}` }, "TaskUpdate"),
  );
  const many = new TestPod();
  many.event("session.restore", { restore_id: "r", entries: [toolCall("c", { subject: "a" }), ...calls] });
  assertEquals(
    many.pod.calls.all().map(({ callId }) => callId),
    calls.slice(76).map(({ call_id }) => call_id),
  );

  // Batches of a hundred, each into a store that a snapshot has emptied again.
  const empty = '[Session TaskStore snapshot]\n```json\n{"tasks":[],"next_taskid":999999999999000}\n```';
  const tasks = Array.from({ length: 100 }, () => ({ title: "a" }));
  const batches = Array.from({ length: 400 }, (_, index) => [
    systemMessage(empty),
    toolCall(`b${index}`, { tasks }),
  ]);
  const long = new TestPod();
  const { calls: kept } = long.event("session.restore", { restore_id: "r", entries: batches.flat() });
  const bytes = JSON.stringify(kept).length;
  assertEquals([bytes <= restoredCallsBytesMax, bytes > restoredCallsBytesMax - 2_000], [true, true]);
  assertEquals(long.pod.calls.all().at(-1)?.callId, "b399");
});

Deno.test("a restored call that changed nothing is not remembered", () => {
  const pod = new TestPod();
  const entries = [
    toolCall("c", { subject: "a" }),
    toolCall("u", { taskid: 1, status: "todo" }, "TaskUpdate"),
  ];
  assertEquals(pod.event("session.restore", { restore_id: "r", entries }).applied, 2);
  assertEquals(pod.pod.calls.all().map(({ callId }) => callId), ["c"]);
});

for (
  const [about, entries, subjects, error] of [
    ["that are all unreadable leave the store as it was", [toolCall("c", [1]), null], ["old"], {
      code: "invalid_arguments",
      message: "nothing of these entries could be read: the store is left as it was",
      unreadable: 2,
    }],
    ["of which one can be read replace it", [null, toolCall("c", { subject: "new" })], ["new"], undefined],
    ["of which there are none empty it", [], [], undefined],
  ] as const
) {
  Deno.test(`a restore's entries ${about}`, () => {
    const pod = new TestPod();
    pod.call("TaskCreate", { subject: "old" });
    const event = pod.event("session.restore", { restore_id: "r", mode: "replace", entries });
    assertEquals([pod.store.tasks.map(({ subject }) => subject), event.error], [[...subjects], error]);
  });
}

Deno.test("a restored store has everything of its tasks", () => {
  const pod = new TestPod();
  pod.event("session.restore", {
    restore_id: "r",
    entries: [
      toolCall("c", {
        tasks: [{ subject: "a" }, {
          subject: "b",
          blockedBy: ["$1"],
          metadata: { k: 1 },
          activeForm: "b-ing",
          owner: "w",
        }],
      }),
    ],
  });
  assertEquals(viewsOf(pod.store), [
    { taskid: 1, status: "pending", subject: "a", description: "", blocks: [2] },
    {
      taskid: 2,
      status: "pending",
      subject: "b",
      description: "",
      activeForm: "b-ing",
      owner: "w",
      blockedBy: [1],
      openBlockers: [1],
      metadata: { k: 1 },
    },
  ]);
});

for (const mode of ["into_empty", undefined]) {
  Deno.test(`a restore with mode ${mode} is refused where the store has tasks (R24)`, () => {
    const pod = new TestPod();
    pod.call("TaskCreate", { subject: "kept" });
    const request = {
      restore_id: "r",
      entries: [toolCall("c", { subject: "a" })],
      ...(mode ? { mode } : {}),
    };
    const event = pod.event("session.restore", request);
    assertEquals([event.changes, event.error, viewsOf(pod.store).length], [
      [],
      {
        code: "wrong_status",
        message: 'a restore goes into an empty store unless its mode is "replace": this one has 1 task(s)',
        tasks: 1,
      },
      1,
    ]);
    assertEquals(pod.event("session.restore", { ...request, mode: "replace" }).duplicate, true);
  });
}

Deno.test('a restore with mode "replace" replaces the store and what it remembered (R24)', () => {
  const pod = new TestPod();
  pod.call("TaskCreate", { subject: "old" }, { call_id: "old" });
  pod.event("session.restore", {
    restore_id: "r",
    mode: "replace",
    entries: [toolCall("c", { subject: "new" })],
  });
  assertEquals(viewsOf(pod.store).map(({ subject }) => subject), ["new"]);
  assertEquals(pod.call("TaskCreate", { subject: "old" }, { call_id: "old" }).duplicate, undefined);
});

Deno.test('a restore with mode "replace" of which nothing can be read is refused and loses nothing', () => {
  const pod = new TestPod();
  pod.call("TaskCreate", { subject: "kept" });
  const event = pod.event("session.restore", {
    restore_id: "r",
    mode: "replace",
    entries: [toolCall("c", {}), 7],
  });
  assertEquals([event.changes, event.error, viewsOf(pod.store).length], [
    [],
    {
      code: "invalid_arguments",
      message: "nothing of these entries could be read: the store is left as it was",
      unreadable: 2,
    },
    1,
  ]);
});

for (const restart of [false, true]) {
  Deno.test(`a restored call is a repeat for every agent and session, ${restart ? "after a restart, too" : "at once"} (R24)`, () => {
    const pod = new TestPod();
    pod.event("session.restore", {
      restore_id: "r",
      entries: [toolCall("c", { subject: "a" }), toolCall("u", { taskid: 1, status: "done" }, "TaskUpdate")],
    });
    if (restart) pod.restart();
    const answers = [{}, { agent: "w", session: "s" }].map((fields) =>
      pod.call("create_task", { subject: "a" }, { call_id: "c", ...fields })
    );
    const task = { taskid: 1, status: "completed", subject: "a", description: "" };
    assertEquals(answers.map((answer) => [answer.duplicate, answer.changes, structuredOf(answer)]), [
      [true, [], { task }],
      [true, [], { task }],
    ]);
    assertEquals(pod.store.tasks.length, 1);
  });
}
