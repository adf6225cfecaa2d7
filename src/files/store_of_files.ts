/** From the files of a folder to the store that they tell (SPEC §9), with a note on everything that could not be taken. */
import { storeCostBytesMax, storeTasksMax, taskidMax } from "../tasks/limits.ts";
import { type Refusal, refuse } from "../tasks/refusal.ts";
import { emptyStore, evolve, type TaskStore } from "../tasks/store.ts";
import { shown } from "../tools/shown.ts";
import { edgesOf } from "./file_edges.ts";
import { fileIdOfName } from "./file_id.ts";
import { type FileNote, leftOut, noteOn } from "./file_note.ts";
import { type MadeTask, TaskidMap } from "./taskid_map.ts";

export interface FolderReading {
  readonly store: TaskStore;
  readonly notes: readonly FileNote[];
}

/**
 * @param read what the folder's files hold
 * @param highWatermark the highest taskid that the folder ever had; null where it does not say
 * @param atMs when the tasks count as made and changed, in milliseconds since the epoch
 * @returns a refusal where one store cannot hold them all
 */
export function storeOfFiles(
  read: readonly MadeTask[],
  highWatermark: number | null,
  atMs: number,
): FolderReading | Refusal {
  const { tasks, duplicates } = oneOfEachId(read);
  const map = new TaskidMap(tasks, highWatermark);
  const { blockers, notes } = edgesOf(tasks, map);
  if (map.isExhausted) {
    return refuse(
      "store_full",
      `a taskid is at most ${taskidMax}: there are too many ids to be numbered anew`,
    );
  }
  const changes = tasks.map(({ id, fields }) => {
    const taskid = map.taskidOf(id);
    const blockedBy = blockers.get(taskid) ?? [];
    return { taskid, ...fields, ...(blockedBy.length === 0 ? {} : { blockedBy }) };
  }).sort((a, b) => a.taskid - b.taskid);
  const store = evolve(emptyStore(map.nextTaskid), { changes }, atMs);
  return overLimits(store) ??
    { store, notes: [...duplicates, ...tasks.flatMap((task) => ownNotes(task, map)), ...notes] };
}

function overLimits({ tasks, costBytes }: TaskStore): Refusal | null {
  if (tasks.length > storeTasksMax) {
    return refuse("store_full", `a store holds ${storeTasksMax} tasks: got ${tasks.length}`);
  }
  if (costBytes > storeCostBytesMax) {
    return refuse("store_full", `a store may cost ${storeCostBytesMax} bytes on the wire: got ${costBytes}`);
  }
  return null;
}

/** Where several files have an id, the one that is named after it counts, else the first by name. */
function oneOfEachId(
  read: readonly MadeTask[],
): { readonly tasks: readonly MadeTask[]; readonly duplicates: readonly FileNote[] } {
  const chosen = new Map<MadeTask["id"], MadeTask>();
  const duplicates: FileNote[] = [];
  const inOrder = read.toSorted((a, b) => nameRank(a) - nameRank(b) || (a.file < b.file ? -1 : 1));
  for (const task of inOrder) {
    const first = chosen.get(task.id);
    if (first) duplicates.push(leftOut(task.file, `has the id ${shown(task.id)} of ${first.file}`));
    else chosen.set(task.id, task);
  }
  return { tasks: [...chosen.values()], duplicates };
}

function nameRank({ file, id }: MadeTask): number {
  return fileIdOfName(file) === id ? 0 : 1;
}

function ownNotes({ file, id, notes }: MadeTask, map: TaskidMap): readonly FileNote[] {
  const renumbered = typeof id === "string" ? [`${shown(id)} is now task ${map.taskidOf(id)}`] : [];
  return [...renumbered, ...notes].map((message) => noteOn(file, message));
}
