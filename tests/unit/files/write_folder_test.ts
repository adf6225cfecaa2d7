import { assertEquals } from "@std/assert";
import { type FolderWriting, writeFolder } from "../../../src/files/write_folder.ts";
import type { TaskStore } from "../../../src/tasks/store.ts";
import { MemoryFolder } from "../../helpers/memory_folder.ts";
import { after, claim, complete, create, madeMs, nowMs, storeOf, update } from "../../helpers/stores.ts";

const course: FolderWriting = { flavour: "course", isForced: false };
const claude: FolderWriting = { flavour: "claude", isForced: false };

/** 3 waits for 1, which is done, for 2, and for 9, which is missing; 4 is deleted. */
const store = storeOf(
  { status: "completed", subject: "a" },
  { status: "inprogress", subject: "b", owner: "w", activeForm: "Doing b", metadata: { k: [1] } },
  { subject: "c", description: "x\n", blockedBy: [1, 2, 9] },
  { status: "deleted", subject: "d" },
);

function written(folder: MemoryFolder, store: TaskStore, writing = course, before: TaskStore | null = null) {
  folder.written.splice(0);
  return writeFolder(folder, store, before, writing).then(({ written, unchanged, notes }) => ({
    written,
    unchanged,
    names: folder.written.slice(),
    notes: notes.map(({ file, message, isLeftOut }) => `${isLeftOut ? "✗ " : ""}${file}: ${message}`),
  }));
}

Deno.test("export writes the files of the course: integer ids, open blockers only, blocks always", async () => {
  const folder = new MemoryFolder();
  await writeFolder(folder, store, null, course);
  const none = { description: "", blockedBy: [], blocks: [], owner: "" };
  assertEquals(folder.contents(), {
    ".highwatermark": "4\n",
    "task_1.json": { ...none, id: 1, subject: "a", status: "completed", blocks: [3] },
    "task_2.json": {
      ...none,
      id: 2,
      subject: "b",
      status: "in_progress",
      blocks: [3],
      owner: "w",
      activeForm: "Doing b",
      metadata: { k: [1] },
    },
    "task_3.json": { ...none, id: 3, subject: "c", description: "x\n", status: "pending", blockedBy: [2, 9] },
    "task_4.json": { ...none, id: 4, subject: "d", status: "deleted" },
  });
});

Deno.test("export writes the files of Claude Code: ids as text, all edges, fields only where they are set", async () => {
  const folder = new MemoryFolder();
  await writeFolder(folder, store, null, claude);
  const none = { description: "", blocks: [], blockedBy: [] };
  assertEquals(folder.contents(), {
    ".highwatermark": "4\n",
    "1.json": { ...none, id: "1", subject: "a", status: "completed", blocks: ["3"] },
    "2.json": {
      ...none,
      id: "2",
      subject: "b",
      activeForm: "Doing b",
      owner: "w",
      status: "in_progress",
      blocks: ["3"],
      metadata: { k: [1] },
    },
    "3.json": {
      ...none,
      id: "3",
      subject: "c",
      description: "x\n",
      status: "pending",
      blockedBy: ["1", "2", "9"],
    },
    "4.json": { ...none, id: "4", subject: "d", status: "deleted" },
  });
});

Deno.test("export leaves files alone that say the same already, in whatever spelling", async () => {
  const folder = new MemoryFolder();
  const two = storeOf({ subject: "é" }, {});
  await writeFolder(folder, two, null, course);
  const { id, subject, ...rest } = JSON.parse(folder.text("task_1.json"));
  const respelled = JSON.stringify({ ...rest, subject, id }).replace("é", "\\u00e9");
  folder.put("task_1.json", respelled, { changedMs: nowMs });
  assertEquals(await written(folder, two), { written: 0, unchanged: 2, names: [], notes: [] });
});

Deno.test("export writes over no file that is newer than what the store knows, unless it is forced", async () => {
  const two = storeOf({}, {});
  const folder = new MemoryFolder();
  folder.put("task_1.json", { id: 1, subject: "edited" }, { changedMs: madeMs + 1 });
  folder.put("task_2.json", "half a fi", { changedMs: madeMs });
  assertEquals(await written(folder, two), {
    written: 1,
    unchanged: 0,
    names: [".highwatermark", "task_2.json"],
    notes: ["✗ task_1.json: is newer than what the pod's list knows"],
  });
  assertEquals(await written(folder, two, { ...course, isForced: true }), {
    written: 1,
    unchanged: 1,
    names: ["task_1.json"],
    notes: [],
  });
  assertEquals((await folder.entry("task_1.json"))?.changedMs, madeMs);
});

Deno.test("export writes over a task's file once the task has changed after it", async () => {
  const folder = new MemoryFolder();
  folder.put("task_1.json", { id: 1, subject: "edited" }, { changedMs: madeMs + 1 });
  const changed = after(storeOf({}), update(1, { subject: "newer still" }));
  assertEquals((await written(folder, changed)).written, 1);
});

Deno.test("export leaves files of tasks that the store does not have, and says so", async () => {
  const folder = new MemoryFolder({
    "task_7.json": { id: 7 },
    "task_07.json": {},
    "8.json": {},
    "task_x.json": {},
  });
  assertEquals(await written(folder, storeOf({})), {
    written: 1,
    unchanged: 0,
    names: [".highwatermark", "task_1.json"],
    notes: ["task_7.json: is left as it is: the pod's list has no such task"],
  });
});

Deno.test("export never follows or replaces what is no plain file, forced or not", async () => {
  const folder = new MemoryFolder();
  folder.put("task_1.json", "", { kind: "link" });
  folder.put("task_2.json", "", { kind: "folder" });
  assertEquals(await written(folder, storeOf({}, {}), { ...course, isForced: true }), {
    written: 0,
    unchanged: 0,
    names: [".highwatermark"],
    notes: [
      "✗ task_1.json: must be a plain file: got a link",
      "✗ task_2.json: must be a plain file: got a folder",
    ],
  });
});

Deno.test("export never lowers the high-water mark", async () => {
  const folder = new MemoryFolder({ ".highwatermark": "12" });
  await writeFolder(folder, storeOf({}), null, course);
  assertEquals(folder.text(".highwatermark"), "12");
});

Deno.test("writeFolder writes what differs from the store before: the task, and those that waited for it", async () => {
  const before = storeOf({}, { blockedBy: [1] }, {});
  const folder = new MemoryFolder();
  await writeFolder(folder, before, null, course);
  const claimed = after(before, claim(1));
  assertEquals((await written(folder, claimed, course, before)).names, ["task_1.json"]);
  const done = after(claimed, complete(1));
  assertEquals((await written(folder, done, course, claimed)).names, ["task_1.json", "task_2.json"]);
  const more = after(done, create());
  assertEquals((await written(folder, more, course, done)).names, [".highwatermark", "task_4.json"]);
});

Deno.test("writeFolder names the files of tasks that are gone when a store begins anew", async () => {
  const before = storeOf({}, {});
  const folder = new MemoryFolder();
  await writeFolder(folder, before, null, course);
  assertEquals((await written(folder, storeOf({}), course, before)).notes, [
    "task_2.json: is left as it is: the pod's list has no such task",
  ]);
});
