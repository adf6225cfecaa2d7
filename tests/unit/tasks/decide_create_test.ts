import { assertEquals } from "@std/assert";
import { emptyStore } from "../../../src/tasks/store.ts";
import {
  after,
  changed,
  create,
  createBatch,
  decisionOf,
  ids,
  outcomeOf,
  storeOf,
  viewsOf,
} from "../../helpers/stores.ts";

Deno.test("create appends a pending task with the next taskid", () => {
  const decision = decisionOf(storeOf({}, { status: "deleted" }), create({ subject: "s", description: "d" }));
  assertEquals([decision.changes, decision.after.nextTaskid], [
    [{ taskid: 3, status: "pending", subject: "s", description: "d" }],
    4,
  ]);
});

Deno.test("create never uses a taskid again: deleted tasks keep theirs", () => {
  const store = after(emptyStore(5), create());
  assertEquals(viewsOf(store), [{ taskid: 5, status: "pending", subject: "new", description: "" }]);
});

Deno.test("create sets every field that the call gives", () => {
  const fields = { activeForm: "Doing", owner: "w", metadata: { k: 1 }, blockedBy: ids(2, 1, 2) };
  assertEquals(
    outcomeOf(storeOf({}, { status: "completed" }), create(fields)),
    changed({
      taskid: 3,
      status: "pending",
      subject: "new",
      description: "",
      activeForm: "Doing",
      owner: "w",
      blockedBy: [1, 2],
      metadata: { k: 1 },
    }),
  );
});

Deno.test("create with addBlocks makes other tasks wait, each shown by its whole blockedBy", () => {
  assertEquals(
    outcomeOf(storeOf({}, { blockedBy: [1] }, {}), create({ addBlocks: ids(3, 2) })),
    changed(
      { taskid: 4, status: "pending", subject: "new", description: "" },
      { taskid: 3, blockedBy: [4] },
      { taskid: 2, blockedBy: [1, 4] },
    ),
  );
});

Deno.test("a batch makes its tasks in order, with edges between siblings in both directions", () => {
  const command = createBatch(
    { subject: "a", blockedBy: [{ sibling: 3 }] },
    { subject: "b", blockedBy: [{ taskid: 1 }, { sibling: 1 }] },
    { subject: "c", addBlocks: [{ sibling: 2 }, { taskid: 1 }] },
  );
  assertEquals(
    outcomeOf(storeOf({}, {}), command),
    changed(
      { taskid: 3, status: "pending", subject: "a", description: "", blockedBy: [5] },
      { taskid: 4, status: "pending", subject: "b", description: "", blockedBy: [1, 3, 5] },
      { taskid: 5, status: "pending", subject: "c", description: "" },
      { taskid: 1, blockedBy: [5] },
    ),
  );
});

Deno.test("a batch is all or nothing: of fifty tasks one has a bad edge", () => {
  const tasks = Array.from({ length: 50 }, (_, index) => ({
    subject: `t${index}`,
    blockedBy: index === 0 ? [] : [{ sibling: index }],
  }));
  const good = after(emptyStore(), createBatch(...tasks));
  assertEquals(good.tasks.map((task) => task.blockedBy), [
    [],
    ...tasks.slice(1).map((_, index) => [index + 1]),
  ]);
  assertEquals(outcomeOf(good, createBatch(...tasks.slice(0, 49), { blockedBy: ids(7, 999) })), {
    code: "invalid_arguments",
    message: "an edge needs two tasks, and there is no task 999: taskids run from 1 to 50; " +
      'the tasks of this batch are "$1" to "$50"',
    fields: { taskid: 999 },
  });
});

for (
  const [about, store, command, message, fields] of [
    [
      "an unknown blocker",
      storeOf({}),
      create({ blockedBy: ids(2) }),
      "an edge needs two tasks, and there is no task 2: the only taskid is 1",
      { taskid: 2 },
    ],
    [
      "an unknown dependent",
      emptyStore(),
      create({ addBlocks: ids(1) }),
      "an edge needs two tasks, and there is no task 1: the store has no tasks yet",
      { taskid: 1 },
    ],
    [
      "a sibling where the call makes one task",
      storeOf({}),
      create({ blockedBy: [{ sibling: 1 }] }),
      '"$1" names a task of the same batch, and this call creates none: give a taskid',
      {},
    ],
    [
      "a sibling past the end of the batch",
      storeOf({}),
      createBatch({}, { blockedBy: [{ sibling: 3 }] }),
      'there is no "$3" in this batch: it has "$1" to "$2"',
      {},
    ],
    [
      "a taskid that the batch itself would get",
      storeOf({}),
      createBatch({}, { blockedBy: ids(2) }),
      'an edge needs two tasks, and there is no task 2: the only taskid is 1; the tasks of this batch are "$1" to "$2"',
      { taskid: 2 },
    ],
    [
      "a subject where an id belongs",
      storeOf({ subject: "Set up" }, { subject: "Write it" }),
      create({ blockedBy: [{ words: " write IT " }] }),
      'a taskid is an integer like 3: got " write IT ": did you mean 2?',
      { didYouMean: 2 },
    ],
    [
      "words that are no subject",
      storeOf({}, {}),
      create({ blockedBy: [{ words: 'the "first"\n' }] }),
      'a taskid is an integer like 3: got "the \\"first\\"\\u000a"; taskids run from 1 to 2',
      {},
    ],
    [
      "a blank subject of a batch, which it counts from 0",
      storeOf({}),
      createBatch({}, { subject: "\u200b" }),
      "tasks[1]: subject must have something to read: got only blanks",
      { field: "subject" },
    ],
  ] as const
) {
  Deno.test(`create refuses ${about}`, () => {
    assertEquals(outcomeOf(store, command), { code: "invalid_arguments", message, fields });
  });
}
