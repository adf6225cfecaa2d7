/** The ids of real folders, and the taskids that they become. */
import { assertEquals } from "@std/assert";
import { MemoryFolder } from "../../helpers/memory_folder.ts";
import { imported } from "../../helpers/task_files.ts";

function task(
  id: unknown,
  more: { readonly [name: string]: unknown } = {},
): { readonly [name: string]: unknown } {
  return { id, subject: "s", ...more };
}

/** Of each task its id, what it waits for, and its metadata. */
async function graphOf(files: MemoryFolder | { readonly [name: string]: unknown }) {
  const { tasks, nextTaskid, notes } = await imported(files);
  return {
    tasks: tasks.map(({ taskid, blockedBy = [], missing = [], metadata = null }) => ({
      taskid,
      blockedBy,
      missing,
      old: metadata?.id ?? null,
    })),
    nextTaskid,
    notes,
  };
}

function plain(taskid: number, ...blockedBy: readonly number[]) {
  return { taskid, blockedBy, missing: [] as readonly number[], old: null };
}

Deno.test("import keeps taskids and the gaps between them", async () => {
  assertEquals(await graphOf({ "task_2.json": task(2), "task_10.json": task("10", { blockedBy: ["2"] }) }), {
    tasks: [plain(2), plain(10, 2)],
    nextTaskid: 11,
    notes: [],
  });
});

Deno.test("import numbers tasks with other ids in the order of their times, and carries their edges over", async () => {
  const [schema, endpoints, tests] = [
    "task_1730000000_ff00aa11",
    "task_1730000001_00000001",
    "task_1730000001_aaaaaaaa",
  ];
  const folder = new MemoryFolder();
  folder.put(`${tests}.json`, task(tests, { blockedBy: [endpoints] }), { madeMs: 3 });
  folder.put(`${endpoints}.json`, task(endpoints, { blockedBy: [schema] }), { madeMs: 2 });
  folder.put(`${schema}.json`, task(schema), { madeMs: 9 });
  assertEquals(await graphOf(folder), {
    tasks: [
      { ...plain(1), old: schema },
      { ...plain(2, 1), old: endpoints },
      { ...plain(3, 2), old: tests },
    ],
    nextTaskid: 4,
    notes: [
      `${schema}.json: "${schema}" is now task 1`,
      `${endpoints}.json: "${endpoints}" is now task 2`,
      `${tests}.json: "${tests}" is now task 3`,
    ],
  });
});

Deno.test("import numbers other ids above every taskid that the folder names", async () => {
  assertEquals(
    await graphOf({ "3.json": task(3, { blockedBy: [8, 0] }), "0.json": task(0), ".highwatermark": "5" }),
    {
      tasks: [{ ...plain(3, 8, 9), missing: [8] }, { ...plain(9), old: "0" }],
      nextTaskid: 10,
      notes: ['0.json: "0" is now task 9', "3.json: waits for 8, which is missing"],
    },
  );
});

Deno.test("import keeps waiting for what is missing, under an id that no task will get", async () => {
  const files = { "1.json": task(1, { blockedBy: ["gone", 4], blocks: [7, "lost"] }) };
  const notes = [
    '1.json: waits for "gone", now 5, which is missing',
    "1.json: waits for 4, which is missing",
    "1.json: no longer blocks 7, which is missing",
    '1.json: no longer blocks "lost", which is missing',
  ];
  assertEquals(await graphOf(files), {
    tasks: [{ ...plain(1, 4, 5), missing: [4, 5] }],
    nextTaskid: 6,
    notes,
  });
});

Deno.test("import takes the high-water mark for the last taskid, unless a task has a higher one", async () => {
  for (const [mark, nextTaskid] of [["1", 3], [" 6\n", 7]] as const) {
    assertEquals(await graphOf({ "2.json": task(2, { blockedBy: [9] }), ".highwatermark": mark }), {
      tasks: [{ ...plain(2, 9), missing: [9] }],
      nextTaskid,
      notes: ["2.json: waits for 9, which is missing"],
    });
  }
});

Deno.test("import ignores a high-water mark that is none, and says so", async () => {
  for (const mark of ["", "many", "-1", "999999999999999", "1".repeat(2_000)]) {
    assertEquals(await graphOf({ "2.json": task(2), ".highwatermark": mark }), {
      tasks: [plain(2)],
      nextTaskid: 3,
      notes: [".highwatermark: must be a file with the highest taskid: it is ignored"],
    });
  }
});

Deno.test("import takes of several files with an id the one that is named after it", async () => {
  const files = { "1 (copy).json": task(1), "2.json": task(1), "task_1.json": task(1, { subject: "this" }) };
  const { tasks, notes } = await imported(files);
  assertEquals({ tasks, notes }, {
    tasks: [{ taskid: 1, status: "pending", subject: "this", description: "" }],
    notes: ["✗ 1 (copy).json: has the id 1 of task_1.json", "✗ 2.json: has the id 1 of task_1.json"],
  });
});

Deno.test("import opens circles where an earlier task waits for a later one, and says so", async () => {
  const files = {
    "1.json": task(1, { blockedBy: [3] }),
    "2.json": task(2, { blockedBy: [1, 2] }),
    "3.json": task(3, { blockedBy: [2] }),
  };
  assertEquals(await graphOf(files), {
    tasks: [plain(1), plain(2, 1), plain(3, 2)],
    nextTaskid: 4,
    notes: [
      "1.json: no longer waits for 3, as they wait in a circle: 3 → 2 → 1 → 3",
      "2.json: no longer waits for 2, as they wait in a circle: 2 → 2",
    ],
  });
});

Deno.test("import keeps 64 blockers of a task, the open ones first, and says so", async () => {
  const blockers = Array.from({ length: 66 }, (_, index) => index + 1);
  const files = Object.fromEntries(
    blockers.map((id) => [`${id}.json`, task(id, { status: id === 5 ? "completed" : "pending" })]),
  );
  const { tasks, notes } = await graphOf({ ...files, "67.json": task(67, { blockedBy: blockers }) });
  assertEquals([tasks.at(-1), notes], [
    plain(67, ...blockers.filter((id) => id !== 5 && id !== 66)),
    ["67.json: no longer waits for 5, 66: a task waits for at most 64 others"],
  ]);
});

Deno.test("import names links, folders and devices, and takes the others", async () => {
  const folder = new MemoryFolder({ "1.json": task(1) });
  for (const kind of ["link", "folder", "device"] as const) folder.put(`${kind}.json`, "", { kind });
  assertEquals(await graphOf(folder), {
    tasks: [plain(1)],
    nextTaskid: 2,
    notes: ["device", "folder", "link"].map((kind) => `✗ ${kind}.json: must be a plain file: got a ${kind}`),
  });
});
