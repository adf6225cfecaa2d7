/** A pod's list as a person wants to see it: one line per task, as many as there is room for. */
import type { TaskStore } from "../tasks/store.ts";
import type { Status, Task } from "../tasks/task.ts";
import { age } from "./age.ts";
import type { Line, Span, Style } from "./painted_line.ts";
import { lineForTerminal } from "./terminal_text.ts";

export interface Board {
  readonly pod: string;
  readonly store: TaskStore;
  /** Inputs that have no answer yet. */
  readonly waitingCount: number;
  /** Why this version cannot read the pod's log to its end; null where it can. */
  readonly notServed: string | null;
}

export interface BoardView {
  readonly nowMs: number;
  /** Lines that there is room for; at least 5. */
  readonly linesMax: number;
  /** Tasks that changed a moment ago. */
  readonly fresh: ReadonlySet<number>;
}

/** A way to show a board. */
export type BoardLines = (board: Board, view: BoardView) => readonly Line[];

/** Signs that are one column wide everywhere, also where ambiguous ones are two. */
const signs: { readonly [status in Status]: { readonly icon: string; readonly style: Style } } = {
  pending: { icon: "◦", style: "cyan" },
  inprogress: { icon: "▸", style: "yellow" },
  completed: { icon: "✓", style: "green" },
  deleted: { icon: "✗", style: "dim" },
};

export function boardLines(board: Board, view: BoardView): readonly Line[] {
  const head = headLines(board);
  const { tasks } = board.store;
  if (tasks.length === 0) return head;
  const shown = mostWanted(tasks, view.linesMax - head.length - 1, view.fresh);
  const idWidth = String(shown.at(-1)?.taskid).length;
  const titles = dim(`   ${"".padStart(idWidth)}  created  changed`);
  const hidden = tasks.length - shown.length;
  return [
    ...head,
    [titles],
    ...shown.map((task) => taskLine(task, idWidth, view)),
    ...(hidden === 0 ? [] : [[dim(`   and ${hidden} more`)]]),
  ];
}

/** What a board begins with, however its tasks are shown. */
export function headLines(board: Board): readonly Line[] {
  return [headline(board), ...notices(board)];
}

function headline({ pod, store }: Board): Line {
  const counts = Object.entries(store.counts).filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`);
  const size = store.tasks.length === 1 ? "1 task" : `${store.tasks.length} tasks`;
  return [{ text: pod, style: "bold" }, { text: `: ${[size, ...counts].join(", ")}` }];
}

function notices({ waitingCount, notServed }: Board): readonly Line[] {
  if (notServed !== null) {
    return [[{ text: `not served by this version: ${lineForTerminal(notServed)}`, style: "red" }]];
  }
  if (waitingCount === 0) return [];
  const what = waitingCount === 1 ? "1 call waits" : `${waitingCount} calls wait`;
  return [[{ text: `${what} for a worker's answer`, style: "yellow" }]];
}

function taskLine(task: Task, idWidth: number, { nowMs, fresh }: BoardView): Line {
  const { icon, style } = signs[task.status];
  const isFresh = fresh.has(task.taskid);
  const ages = `${age(task.createdMs, nowMs).padStart(9)}${age(task.changedMs, nowMs).padStart(9)}`;
  return [
    isFresh ? { text: "*", style: "bold" } : { text: " " },
    { text: icon, style },
    { text: ` ${String(task.taskid).padStart(idWidth)}` },
    dim(ages),
    { text: "  " },
    subjectOf(task, isFresh),
    ...more(task),
  ];
}

function subjectOf(task: Task, isFresh: boolean): Span {
  const text = lineForTerminal(task.subject);
  if (isFresh) return { text, style: "bold" };
  return task.status === "completed" || task.status === "deleted" ? dim(text) : { text };
}

/** What is set beside the subject, and of interest while the task is open. */
function more(task: Task): readonly Span[] {
  const parts = [
    ...(task.status === "inprogress" && task.activeForm !== null ? [task.activeForm] : []),
    ...(task.owner === null ? [] : [`@${task.owner}`]),
    ...(task.status === "pending" && task.openBlockers.length > 0
      ? [`waits for ${task.openBlockers.join(", ")}`]
      : []),
  ];
  return parts.map((part) => dim(`  ${lineForTerminal(part)}`));
}

/** All tasks where there is room; else, with a line left for the count, those that a reader would miss most. */
function mostWanted(
  tasks: readonly Task[],
  linesMax: number,
  fresh: ReadonlySet<number>,
): readonly Task[] {
  if (tasks.length <= linesMax) return tasks;
  const rank = ({ taskid, status }: Task): number =>
    status !== "inprogress" && fresh.has(taskid) ? 1 : ranks[status];
  // What is still to be done is wanted in its order, anything else the latest first.
  const lateness = (task: Task): number => rank(task) === ranks.pending ? 0 : task.changedMs;
  const wanted = tasks.toSorted((a, b) => rank(a) - rank(b) || lateness(b) - lateness(a))
    .slice(0, Math.max(0, linesMax - 1));
  return wanted.sort((a, b) => a.taskid - b.taskid);
}

const ranks: { readonly [status in Status]: number } = {
  inprogress: 0,
  pending: 2,
  completed: 3,
  deleted: 4,
};

function dim(text: string): Span {
  return { text, style: "dim" };
}
