/**
 * The two forms of a folder with one JSON file per task, as they are written (SPEC §9). A name comes from a taskid and
 * from nothing else. Both say all that a store says, so that an import of an export gives the same store:
 *
 * - `course` keeps only open blockers in `blockedBy`; an edge that is no longer waited for stands in the blocker's
 *   `blocks`. It has no `activeForm` and no `metadata`: they are written where they are set.
 * - Neither has the status `deleted`. It is written all the same: the agents of both take nothing but `pending` for
 *   work to be done, and no task waits for it.
 */
import type { JsonObject, Status, Task } from "../tasks/task.ts";

export const flavours = ["course", "claude"] as const;
export type Flavour = typeof flavours[number];

const nameForms: { readonly [flavour in Flavour]: { readonly start: string; readonly pattern: RegExp } } = {
  course: { start: "task_", pattern: /^task_([1-9]\d{0,14})\.json$/ },
  claude: { start: "", pattern: /^([1-9]\d{0,14})\.json$/ },
};

export function fileName(flavour: Flavour, taskid: number): string {
  return `${nameForms[flavour].start}${taskid}.json`;
}

/** The task that a file of this name would hold; null where it is no name of the flavour. */
export function taskidOfName(flavour: Flavour, name: string): number | null {
  const digits = nameForms[flavour].pattern.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** What the task's file says. */
export function fileContent(flavour: Flavour, task: Task): JsonObject {
  switch (flavour) {
    case "course":
      return {
        id: task.taskid,
        subject: task.subject,
        description: task.description,
        status: statusWords[task.status],
        blockedBy: task.openBlockers,
        blocks: task.blocks,
        owner: task.owner ?? "",
        ...(task.activeForm === null ? {} : { activeForm: task.activeForm }),
        ...(task.metadata === null ? {} : { metadata: task.metadata }),
      };
    case "claude":
      return {
        id: String(task.taskid),
        subject: task.subject,
        description: task.description,
        ...(task.activeForm === null ? {} : { activeForm: task.activeForm }),
        ...(task.owner === null ? {} : { owner: task.owner }),
        status: statusWords[task.status],
        blocks: task.blocks.map(String),
        blockedBy: task.blockedBy.map(String),
        ...(task.metadata === null ? {} : { metadata: task.metadata }),
      };
  }
}

const statusWords: { readonly [status in Status]: string } = {
  pending: "pending",
  inprogress: "in_progress",
  completed: "completed",
  deleted: "deleted",
};

export function fileText(content: JsonObject): string {
  return JSON.stringify(content, null, 2) + "\n";
}
