import { assertEquals } from "@std/assert";
import { readFolder } from "../../../src/files/read_folder.ts";
import { storeCostBytesMax } from "../../../src/tasks/limits.ts";
import { MemoryFolder } from "../../helpers/memory_folder.ts";
import { madeMs, storeOf } from "../../helpers/stores.ts";

function filesOf(count: number, more: { readonly [name: string]: unknown }): MemoryFolder {
  const taskids = Array.from({ length: count }, (_, index) => index + 1);
  return new MemoryFolder(
    Object.fromEntries(taskids.map((id) => [`${id}.json`, { id, ...more }])),
  );
}

const description = "x".repeat(16_000);
const largeStore = storeOf(...Array.from({ length: 70 }, () => ({ subject: "s", description })));

for (
  const [about, folder, message] of [
    [
      "files than a store holds tasks",
      filesOf(2_001, { subject: "s" }),
      "a store holds 2000 tasks: got 2001 files",
    ],
    [
      "text than a store may cost",
      filesOf(largeStore.tasks.length, { subject: "s", description }),
      `a store may cost ${storeCostBytesMax} bytes on the wire: got ${largeStore.costBytes}`,
    ],
    [
      "taskids than there are",
      new MemoryFolder({ "999999999999999.json": { subject: "last" }, "next.json": { subject: "one more" } }),
      "a taskid is at most 999999999999999: there are too many ids to be numbered anew",
    ],
  ] as const
) {
  Deno.test(`import refuses a folder with more ${about}`, async () => {
    assertEquals(await readFolder(folder, madeMs), {
      isRefusal: true,
      code: "store_full",
      message,
      fields: {},
    });
  });
}
