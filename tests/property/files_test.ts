/** A folder says all that a store says: an import of an export gives the same store. */
import fc from "fast-check";
import { assertEquals } from "@std/assert";
import { type Flavour, flavours } from "../../src/files/flavour.ts";
import { readFolder } from "../../src/files/read_folder.ts";
import { writeFolder } from "../../src/files/write_folder.ts";
import { changeThatMakes } from "../../src/log/restore.ts";
import { readSnapshotText } from "../../src/log/snapshot_block.ts";
import { decide } from "../../src/tasks/decide.ts";
import { carriedOverText } from "../../src/tasks/list_text.ts";
import { isRefusal } from "../../src/tasks/refusal.ts";
import { emptyStore, evolve, type TaskStore } from "../../src/tasks/store.ts";
import { toolNames } from "../../src/tools/names.ts";
import { readCall } from "../../src/tools/read_call.ts";
import { boardCalls, type Call } from "../helpers/board_calls.ts";
import { oddArguments, oddText } from "../helpers/odd_arguments.ts";
import { MemoryFolder } from "../helpers/memory_folder.ts";
import { by, madeMs } from "../helpers/stores.ts";

function storeAfter(calls: readonly Call[]): TaskStore {
  return calls.reduce((store, { tool, args }) => {
    const name = toolNames.find((name) => name === tool);
    const call = name === undefined ? null : readCall(name, args);
    if (call === null || isRefusal(call)) return store;
    const decision = decide(store, call.command, by("w"));
    return isRefusal(decision) ? store : decision.after;
  }, emptyStore());
}

/** The store as it would be had it been imported: all tasks made at once, some of them missing. */
function importable(store: TaskStore, missing: ReadonlySet<number>, unused: number): TaskStore {
  const changes = store.tasks.filter(({ taskid }) => !missing.has(taskid)).map(changeThatMakes);
  return evolve(emptyStore(store.nextTaskid + unused), { changes }, madeMs);
}

const stores = fc.tuple(
  boardCalls,
  fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { maxLength: 2 }),
  fc.nat(3),
)
  .map(([calls, missing, unused]) => importable(storeAfter(calls), new Set(missing), unused));

async function exported(store: TaskStore, flavour: Flavour): Promise<MemoryFolder> {
  const folder = new MemoryFolder();
  await writeFolder(folder, store, null, { flavour, isForced: false });
  return folder;
}

for (const flavour of flavours) {
  Deno.test(`import of an export in the form of ${flavour} gives the same store`, async () => {
    await fc.assert(fc.asyncProperty(stores, async (store) => {
      const reading = await readFolder(await exported(store, flavour), madeMs);
      assertEquals(isRefusal(reading) ? reading : reading.store, store);
    }));
  });

  Deno.test(`export of an import in the form of ${flavour} gives the same files`, async () => {
    await fc.assert(fc.asyncProperty(stores, async (store) => {
      const folder = await exported(store, flavour);
      const reading = await readFolder(folder, madeMs);
      if (isRefusal(reading)) throw new Error(reading.message);
      assertEquals((await exported(reading.store, flavour)).contents(), folder.contents());
    }));
  });
}

const names = fc.constantFrom(
  "1.json",
  "task_1.json",
  "2.json",
  "task_x_12345678901.json",
  "x.json",
  ".highwatermark",
);
const oddFile = fc.oneof(
  oddArguments,
  oddText,
  fc.record({ subject: oddText, blockedBy: fc.jsonValue(), id: fc.jsonValue() }),
);

Deno.test("import never throws, and what it gives can be restored from a snapshot as it is", async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(names, oddFile, { maxKeys: 5 }), async (files) => {
      const reading = await readFolder(new MemoryFolder(files), madeMs);
      if (isRefusal(reading)) return;
      assertEquals(readSnapshotText(carriedOverText(reading.store), madeMs), reading.store);
    }),
    { numRuns: 500 },
  );
});
