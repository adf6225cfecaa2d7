/** `pods`: which pods there are, and how each of them stands. */
import type { PodLog } from "../log/pod_log.ts";
import { noPod } from "../log/subjects.ts";
import { statuses } from "../tasks/task.ts";
import { age } from "./age.ts";
import type { Command } from "./command.ts";
import type { Remote, World } from "./ports.ts";
import { foldLog } from "./read_log.ts";
import { tableText } from "./table.ts";
import { jsonForTerminal, lineForTerminal } from "./terminal_text.ts";

export const pods: Command = {
  name: "pods",
  form: "",
  about: [
    "Shows the pods that there are, with the number of their tasks by status.",
    "It reads log and checkpoint, so it shows the truth also while no worker runs.",
  ],
  options: { json: { type: "boolean", description: "one JSON object with all pods" } },
  async run(world, given) {
    await using remote = await world.openRemote();
    const found = await podsOf(world, remote);
    const text = given.isSet("json")
      ? `${jsonForTerminal({ pods: found.map(podJson) }, 2)}\n`
      : podTable(found, world.nowMs());
    await world.out.write(text);
    return 0;
  },
};

/** By name; without the inputs whose pod is no legal one. */
async function podsOf(world: World, remote: Remote): Promise<readonly PodLog[]> {
  const fold = await foldLog(world, remote, null);
  const found = [...fold.pods.values()].filter(({ pod }) => pod.id !== noPod);
  return found.sort((a, b) => a.pod.id < b.pod.id ? -1 : 1);
}

/**
 * When a call last changed the list, in milliseconds since the epoch; of an empty one, when its last input came; null
 * where no input is answered yet.
 */
function lastChangeMs({ pod }: PodLog): number | null {
  if (pod.inputSeq === 0) return null;
  const { tasks } = pod.store;
  return tasks.length === 0
    ? pod.changedMs
    : tasks.reduce((latest, task) => Math.max(latest, task.changedMs), 0);
}

function podJson(podLog: PodLog): { readonly [name: string]: unknown } {
  const { pod, waitingCount, notServed } = podLog;
  const changedMs = lastChangeMs(podLog);
  return {
    pod: pod.id,
    tasks: pod.store.tasks.length,
    counts: pod.store.counts,
    unanswered: waitingCount,
    last_change: changedMs === null ? null : new Date(changedMs).toISOString(),
    ...(notServed === null ? {} : { not_served: notServed }),
  };
}

function podTable(found: readonly PodLog[], nowMs: number): string {
  if (found.length === 0) return "No pod has published anything yet\n";
  const titles = ["pod", "tasks", ...statuses, "unanswered", "changed", ""];
  const sides = titles.map((title) => title === "pod" || title === "" ? "left" : "right");
  return tableText([titles, ...found.map((podLog) => podCells(podLog, nowMs))], sides);
}

function podCells(podLog: PodLog, nowMs: number): readonly string[] {
  const { pod: { id, store }, waitingCount, notServed } = podLog;
  const changedMs = lastChangeMs(podLog);
  return [
    id,
    String(store.tasks.length),
    ...statuses.map((status) => String(store.counts[status])),
    String(waitingCount),
    changedMs === null ? "never" : `${age(changedMs, nowMs)} ago`,
    notServed === null ? "" : `not served: ${lineForTerminal(notServed)}`,
  ];
}
