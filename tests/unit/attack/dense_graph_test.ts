/** The graph at its largest: the store's limits keep what a call looks at small. */
import { assertEquals } from "@std/assert";
import { blockersMax, storeTasksMax } from "../../../src/tasks/limits.ts";
import { TestPod } from "../../helpers/test_pod.ts";

/** Far more than any of these takes. */
const patienceMs = 5_000;

/** Every task waits for the next ones, as many as may be, until the store is full. */
function densePod(tasks: number, blockers: number): TestPod {
  const pod = new TestPod();
  for (let first = 0; first < tasks; first += 100) {
    pod.call("TaskCreate", { tasks: Array.from({ length: 100 }, () => ({ subject: "a" })) });
  }
  for (let taskid = 1; taskid < tasks; taskid++) {
    const blockedBy = Array.from({ length: Math.min(blockers, tasks - taskid) }, (_, n) => taskid + n + 1);
    if (pod.call("TaskUpdate", { taskid, addBlockedBy: blockedBy }).result.isError) return pod;
  }
  return pod;
}

function everyTask({ store }: TestPod): readonly number[] {
  return store.tasks.map(({ taskid }) => taskid);
}

for (
  const [tasks, blockers] of [[storeTasksMax, blockersMax], [1_000, blockersMax], [400, blockersMax], [
    600,
    20,
  ]] as const
) {
  Deno.test(`calls on ${tasks} tasks that wait for ${blockers} others each take little time`, () => {
    const pod = densePod(tasks, blockers);
    const all = everyTask(pod);
    const last = all.at(-1);
    const calls: readonly [tool: string, args: unknown][] = [
      ["TaskUpdate", { taskid: last, addBlockedBy: [1] }],
      ["TaskUpdate", { taskid: last, addBlocks: all }],
      ["TaskUpdate", { taskid: 1, addBlocks: all }],
      ["TaskCreate", { tasks: Array.from({ length: 100 }, () => ({ subject: "a", blockedBy: all })) }],
      ["TaskCreate", { tasks: Array.from({ length: 100 }, () => ({ subject: "a", addBlocks: all })) }],
      ["TaskUpdate", { taskid: last, status: "completed" }],
      ["TaskUpdate", { taskid: 1, removeBlocks: all, removeBlockedBy: all }],
      ["TaskClaim", {}],
      ["TaskList", {}],
    ];
    for (const [tool, args] of calls) {
      const startedMs = performance.now();
      pod.call(tool, args);
      const ms = performance.now() - startedMs;
      assertEquals(ms < patienceMs, true, `${tool} ${JSON.stringify(args).slice(0, 100)}: ${ms} ms`);
    }
  });
}
