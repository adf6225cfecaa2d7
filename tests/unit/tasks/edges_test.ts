import { assertEquals } from "@std/assert";
import { findCycle, hasCycle } from "../../../src/tasks/graph.ts";
import { blockersMax } from "../../../src/tasks/limits.ts";
import { changed, create, ids, type Outcome, outcomeOf, storeOf, updateEdges } from "../../helpers/stores.ts";

function refusedCycle(cycle: readonly number[]): Outcome {
  const path = cycle.join(" → ");
  return {
    code: "dependency_cycle",
    message: `tasks cannot wait for each other in a circle: ${path} (read → as "waits for")`,
    fields: { cycle },
  };
}

/** 2 waits for 1, 3 for 2, 4 for 3. */
const chain = storeOf({}, { blockedBy: [1] }, { blockedBy: [2] }, { blockedBy: [3] });

for (
  const [about, taskid, edges, cycle] of [
    ["an edge to itself", 2, { addBlockedBy: ids(2) }, [2, 2]],
    ["an edge to itself from the other side", 2, { addBlocks: ids(2) }, [2, 2]],
    ["an edge that turns another around", 1, { addBlockedBy: ids(2) }, [1, 2, 1]],
    ['a longer cycle, along "waits for"', 1, { addBlockedBy: ids(3) }, [1, 3, 2, 1]],
    ["a cycle that addBlocks closes", 4, { addBlocks: ids(2) }, [2, 4, 3, 2]],
    ["the shortest of two cycles", 1, { addBlockedBy: ids(4, 2) }, [1, 2, 1]],
    ["a cycle of two edges of one call", 1, { addBlockedBy: ids(4), addBlocks: ids(4) }, [1, 4, 1]],
  ] as const
) {
  Deno.test(`edges refuse ${about}`, () => {
    assertEquals(outcomeOf(chain, updateEdges(taskid, edges)), refusedCycle(cycle));
  });
}

Deno.test("edges refuse a cycle over completed tasks: they may be reopened", () => {
  const store = storeOf({ status: "completed" }, { status: "completed", blockedBy: [1] });
  assertEquals(outcomeOf(store, updateEdges(1, { addBlockedBy: ids(2) })), refusedCycle([1, 2, 1]));
});

Deno.test("edges refuse a new task between two that wait for each other through it", () => {
  const cycle = refusedCycle([5, 2, 1, 5]);
  assertEquals(outcomeOf(chain, create({ blockedBy: ids(2), addBlocks: ids(1) })), cycle);
});

Deno.test("edges of one call are all set or none", () => {
  assertEquals(
    outcomeOf(chain, updateEdges(4, { addBlockedBy: ids(1, 99) })),
    {
      code: "invalid_arguments",
      message: "an edge needs two tasks, and there is no task 99: taskids run from 1 to 4",
      fields: { taskid: 99 },
    },
  );
});

Deno.test("edges are removed before others are added, so that one call can turn an edge around", () => {
  assertEquals(
    outcomeOf(
      storeOf({}, { blockedBy: [1] }),
      updateEdges(2, { removeBlockedBy: ids(1), addBlocks: ids(1) }),
    ),
    {
      changes: [{ taskid: 2, blockedBy: null }, { taskid: 1, blockedBy: [2] }],
      warnings: [],
      unblocked: [2],
    },
  );
});

Deno.test("edges that one call removes and adds again are no change", () => {
  assertEquals(
    outcomeOf(chain, updateEdges(3, { removeBlockedBy: ids(2), addBlockedBy: ids(2) })),
    changed(),
  );
});

Deno.test("edges are added once, however often and from whichever side a call names them", () => {
  assertEquals(
    outcomeOf(storeOf({}, {}), updateEdges(2, { addBlockedBy: ids(1, 1) })),
    changed({ taskid: 2, blockedBy: [1] }),
  );
  assertEquals(outcomeOf(storeOf({}, { blockedBy: [1] }), updateEdges(1, { addBlocks: ids(2) })), changed());
});

Deno.test("edges are removed from either side", () => {
  const gone = { changes: [{ taskid: 4, blockedBy: null }], warnings: [], unblocked: [4] };
  assertEquals(outcomeOf(chain, updateEdges(4, { removeBlockedBy: ids(3) })), gone);
  assertEquals(outcomeOf(chain, updateEdges(3, { removeBlocks: ids(4) })), gone);
});

Deno.test("edges that are not there count as removed, and a dangling one can be (R27)", () => {
  const store = storeOf({}, { blockedBy: [1, 9] });
  assertEquals(
    outcomeOf(store, updateEdges(2, { removeBlockedBy: ids(5), removeBlocks: ids(1, 77) })),
    changed(),
  );
  assertEquals(
    outcomeOf(store, updateEdges(2, { removeBlockedBy: ids(9) })),
    changed({ taskid: 2, blockedBy: [1] }),
  );
});

for (const side of ["removeBlockedBy", "removeBlocks", "addBlockedBy", "addBlocks"] as const) {
  Deno.test(`edges refuse words in ${side}, and guess what they mean`, () => {
    assertEquals(outcomeOf(chain, updateEdges(2, { [side]: [{ words: "Task 3" }] })), {
      code: "invalid_arguments",
      message: 'a taskid is an integer like 3: got "Task 3": did you mean 3?',
      fields: { didYouMean: 3 },
    });
  });
}

for (
  const [side, words] of [
    ["removeBlockedBy", 'a taskid is an integer like 3: got "$1"; taskids run from 1 to 4'],
    ["addBlocks", '"$1" names a task of the same batch, and this call creates none: give a taskid'],
  ] as const
) {
  Deno.test(`edges refuse a sibling in ${side} of an update`, () => {
    assertEquals(outcomeOf(chain, updateEdges(2, { [side]: [{ sibling: 1 }] })), {
      code: "invalid_arguments",
      message: words,
      fields: {},
    });
  });
}

Deno.test(`a task waits for ${blockersMax} others and no more`, () => {
  const numbers = Array.from({ length: blockersMax + 1 }, (_, index) => index + 1);
  const store = storeOf(...numbers.map(() => ({})), { blockedBy: numbers.slice(0, -1) });
  const last = blockersMax + 2;
  assertEquals(
    outcomeOf(store, create({ blockedBy: ids(...numbers.slice(1)) })),
    changed({
      taskid: last + 1,
      status: "pending",
      subject: "new",
      description: "",
      blockedBy: numbers.slice(1),
    }),
  );
  const tooMany: Outcome = {
    code: "invalid_arguments",
    message: `a task waits for at most 64 others: task ${last} would wait for 65`,
    fields: { taskid: last, blockers: 65, blockersMax: 64 },
  };
  assertEquals(outcomeOf(store, updateEdges(last, { addBlockedBy: ids(65) })), tooMany);
  assertEquals(outcomeOf(store, updateEdges(65, { addBlocks: ids(last) })), tooMany);
  assertEquals(
    outcomeOf(store, updateEdges(last, { addBlockedBy: ids(65), removeBlockedBy: ids(1) })),
    changed({ taskid: last, blockedBy: numbers.slice(1) }),
  );
});

Deno.test("findCycle() finds nothing where no way leads back", () => {
  assertEquals(findCycle(4, [3, 1], (taskid) => (taskid > 1 ? [taskid - 1] : [])), null);
});

Deno.test("findCycle() looks at each task once, and goes the shortest way", () => {
  // Forty layers of two tasks that wait for both of the next: a million million ways from the first to the last.
  const next = (
    taskid: number,
  ) => (taskid >= 79 ? [] : [taskid + 2 - (taskid + 1) % 2, taskid + 3 - (taskid + 1) % 2]);
  const detour = (taskid: number) => (taskid === 79 ? [1] : next(taskid));
  assertEquals(findCycle(1, [3, 4], next), null);
  assertEquals(findCycle(1, [3, 4], detour)?.length, 41);
});

for (
  const [about, store, isCyclic] of [
    ["a chain", chain, false],
    ["a diamond", storeOf({}, { blockedBy: [1] }, { blockedBy: [1] }, { blockedBy: [2, 3] }), false],
    ["dangling edges", storeOf({ blockedBy: [8, 9] }, { blockedBy: [1, 8] }), false],
    ["a task that waits for itself", storeOf({}, { blockedBy: [2] }), true],
    [
      "three in a circle behind a chain",
      storeOf({}, { blockedBy: [1, 4] }, { blockedBy: [2] }, { blockedBy: [3] }),
      true,
    ],
  ] as const
) {
  Deno.test(`hasCycle() is ${isCyclic} for ${about}`, () => assertEquals(hasCycle(store), isCyclic));
}
