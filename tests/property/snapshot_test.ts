/** The texts that carry a list across a compaction are read back to the same tasks. */
import fc from "fast-check";
import { assertEquals } from "@std/assert";
import { readSnapshotText } from "../../src/log/snapshot_block.ts";
import { changeThatMakes } from "../../src/log/restore.ts";
import { carriedOverText, listText, summarySourceText } from "../../src/tasks/list_text.ts";
import { emptyStore, evolve, type TaskStore } from "../../src/tasks/store.ts";
import { podInputs } from "../helpers/pod_inputs.ts";
import { MemoryLog, MemoryWorker, subjects } from "../helpers/memory_log.ts";

const atMs = 5_000;

/** The stores that a pod has on its way through these inputs. */
const store = podInputs.map((inputs): TaskStore => {
  const log = new MemoryLog();
  const worker = new MemoryWorker(log);
  for (const { rest, content } of inputs) log.publish(subjects.input("p", rest), content);
  worker.settle();
  return worker.fold.pods.get("p")?.pod.store ?? emptyStore();
});

/** The store as if everything in it were made now. */
function madeNow({ tasks, nextTaskid }: TaskStore): TaskStore {
  return evolve(emptyStore(nextTaskid), { changes: tasks.map(changeThatMakes) }, atMs);
}

Deno.test("readSnapshotText() of a snapshot or an injection gives the same store", () => {
  fc.assert(
    fc.property(store, (store) => {
      assertEquals(readSnapshotText(carriedOverText(store), atMs), madeNow(store));
      assertEquals(readSnapshotText(summarySourceText(store), atMs), madeNow(store));
    }),
    { numRuns: 500 },
  );
});

Deno.test("listText() has one line per task and one fence, whatever the tasks say (R22)", () => {
  fc.assert(
    fc.property(store, (store) => {
      const text = listText(store);
      const lines = text.split(/[\n\v\f\r\x85\u2028\u2029]/);
      const { length } = store.tasks;
      assertEquals(lines.length, length === 0 ? 4 : length + 5);
      assertEquals([...text.matchAll(/`+/g)].map(([ticks]) => ticks), ["```", "```"]);
      const unsafe = /[<>&\p{Cc}\p{Bidi_Control}]|[\u{e0000}-\u{e007f}]/u;
      assertEquals(lines.filter((line) => unsafe.test(line)), []);
    }),
    { numRuns: 500 },
  );
});
