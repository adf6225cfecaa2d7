import { assertEquals } from "@std/assert";
import { statuses } from "../../../src/tasks/task.ts";
import { after, changed, ids, outcomeOf, storeOf, update, updateEdges } from "../../helpers/stores.ts";

for (const from of statuses) {
  for (const to of statuses.filter((status) => status !== from)) {
    Deno.test(`update takes a task from ${from} to ${to}`, () => {
      const warnings = from === "deleted" ? [`task 1 was deleted: it is ${to} again`] : [];
      assertEquals(outcomeOf(storeOf({ status: from }), update(1, { status: to })), {
        changes: [{ taskid: 1, status: to }],
        warnings,
        unblocked: [],
      });
    });
  }
}

Deno.test("update changes every field at once, and names only those that differ", () => {
  const store = storeOf({ subject: "same", owner: "w" });
  const edit = { subject: "same", description: "d", activeForm: "Doing", owner: "v", metadata: { k: 1 } };
  assertEquals(
    outcomeOf(store, update(1, edit)),
    changed({ taskid: 1, description: "d", activeForm: "Doing", owner: "v", metadata: { k: 1 } }),
  );
});

Deno.test("update clears the owner and the active form with null", () => {
  assertEquals(
    outcomeOf(storeOf({ owner: "w", activeForm: "Doing" }), update(1, { owner: null, activeForm: null })),
    changed({ taskid: 1, activeForm: null, owner: null }),
  );
});

Deno.test("update changes nothing where metadata comes in another order of its keys", () => {
  const store = storeOf({ metadata: { a: { x: 1, y: [{ p: 1, q: 2 }] }, b: 2 } });
  const same = update(1, { metadata: { b: 2, a: { y: [{ q: 2, p: 1 }], x: 1 } } });
  assertEquals(outcomeOf(store, same), { changes: [], warnings: [], unblocked: [] });
  const other = update(1, { metadata: { a: { y: [{ q: 1, p: 2 }], x: 1 } } });
  assertEquals(
    outcomeOf(store, other),
    changed({ taskid: 1, metadata: { a: { y: [{ q: 1, p: 2 }], x: 1 }, b: 2 } }),
  );
});

Deno.test("update changes nothing where every value is already so", () => {
  const store = storeOf({}, { status: "completed", blockedBy: [1], metadata: { a: { b: [1] } } });
  const edit = {
    status: "completed" as const,
    subject: "task 2",
    description: "",
    activeForm: null,
    owner: null,
    metadata: { a: { b: [1] }, gone: null },
  };
  assertEquals(outcomeOf(store, update(2, edit, { edges: { addBlockedBy: ids(1) } })), changed());
});

for (
  const [about, before, edit, after] of [
    ["adds keys", { a: 1 }, { b: [2] }, { a: 1, b: [2] }],
    ["replaces a value whole", { a: { x: 1 } }, { a: { y: 2 } }, { a: { y: 2 } }],
    ["removes a key with null", { a: 1, b: 2 }, { a: null }, { b: 2 }],
    ["keeps a null inside a value", null, { a: { x: null } }, { a: { x: null } }],
    ["is unset with its last key", { a: 1 }, { a: null }, null],
  ] as const
) {
  Deno.test(`update of metadata ${about}`, () => {
    assertEquals(
      outcomeOf(storeOf({ metadata: before }), update(1, { metadata: edit })),
      changed({ taskid: 1, metadata: after }),
    );
  });
}

for (
  const [about, status, edit, change] of [
    ["clears the owner", "inprogress", {}, { status: "pending", owner: null }],
    ["sets the owner that the call sets", "completed", { owner: "v" }, { status: "pending", owner: "v" }],
    ["keeps the owner that the call sets again", "inprogress", { owner: "w" }, { status: "pending" }],
    ["from pending is none, and keeps the owner", "pending", { subject: "s" }, { subject: "s" }],
  ] as const
) {
  Deno.test(`update to pending ${about}`, () => {
    assertEquals(
      outcomeOf(storeOf({ status, owner: "w" }), update(1, { status: "pending", ...edit })),
      changed({ taskid: 1, ...change }),
    );
  });
}

for (const status of ["inprogress", "completed"] as const) {
  Deno.test(`update of a blocked task to ${status} is allowed, with a warning (R26)`, () => {
    const store = storeOf({}, { status: "completed" }, { blockedBy: [1, 2, 9] });
    assertEquals(outcomeOf(store, update(3, { status })), {
      changes: [{ taskid: 3, status }],
      warnings: ["task 3 still waits for 1, 9"],
      unblocked: [],
    });
  });
}

for (
  const [about, edges, warnings] of [
    ["the blockers that it adds", { addBlockedBy: ids(1, 2) }, ["task 3 still waits for 1, 4"]],
    ["no blocker that it removes", { removeBlockedBy: ids(4) }, []],
  ] as const
) {
  Deno.test(`update that starts a task warns of ${about}`, () => {
    const store = storeOf({}, { status: "deleted" }, { blockedBy: [4] }, {});
    const { warnings: said } = {
      warnings: [],
      ...outcomeOf(store, update(3, { status: "inprogress" }, { edges })),
    };
    assertEquals(said, warnings);
  });
}

Deno.test("update with if_status changes a task that has the status", () => {
  assertEquals(
    outcomeOf(storeOf({}), update(1, { status: "inprogress" }, { ifStatus: "pending" })),
    changed({ taskid: 1, status: "inprogress" }),
  );
});

/** In the order in which update looks for a reason to refuse: each call here would be refused by all that follow. */
const wrong = { subject: "x".repeat(501), metadata: { k: "x".repeat(5_000) } };
const wrongEdges = { addBlockedBy: ids(77, 2) };
for (
  const [code, message, fields, command] of [
    [
      "task_not_found",
      "there is no task 9: taskids run from 1 to 2",
      { taskid: 9 },
      update(9, wrong, { edges: wrongEdges, ifStatus: "completed" }),
    ],
    [
      "wrong_status",
      "task 2 must be completed for this update: it is inprogress",
      { taskid: 2, status: "inprogress" },
      update(2, wrong, { edges: wrongEdges, ifStatus: "completed" }),
    ],
    [
      "invalid_arguments",
      "subject may have at most 500 characters: got 501",
      { field: "subject" },
      update(2, wrong, { edges: wrongEdges }),
    ],
    [
      "invalid_arguments",
      "metadata may have at most 4096 bytes of JSON: got 5008",
      { field: "metadata" },
      update(2, { metadata: wrong.metadata }, { edges: wrongEdges }),
    ],
    [
      "invalid_arguments",
      "an edge needs two tasks, and there is no task 77: taskids run from 1 to 2",
      { taskid: 77 },
      updateEdges(2, wrongEdges),
    ],
    [
      "dependency_cycle",
      'tasks cannot wait for each other in a circle: 2 → 2 (read → as "waits for")',
      { cycle: [2, 2] },
      updateEdges(2, { addBlockedBy: ids(2) }),
    ],
  ] as const
) {
  Deno.test(`update is refused with ${code}: ${message}`, () => {
    assertEquals(outcomeOf(storeOf({}, { status: "inprogress" }), command), { code, message, fields });
  });
}

Deno.test("update guesses which task words mean", () => {
  const store = after(storeOf({}, {}), update(2, { subject: "Write the parser" }));
  const command = { ...update(2, { status: "completed" }), task: { words: "write the parser" } };
  assertEquals(outcomeOf(store, command), {
    code: "invalid_arguments",
    message: 'a taskid is an integer like 3: got "write the parser": did you mean 2?',
    fields: { didYouMean: 2 },
  });
});
