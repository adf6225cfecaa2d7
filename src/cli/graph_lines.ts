/** What waits for what in a pod's list, as a tree, as much of it as there is room for. */
import type { Look } from "../graph/palette.ts";
import { signs, standingOf } from "../graph/standing.ts";
import { type TreeRow, treeRows } from "../graph/tree.ts";
import { unsettled } from "../graph/unsettled.ts";
import type { Task } from "../tasks/task.ts";
import { type Board, type BoardView, headLines } from "./board.ts";
import type { Line, Span, Style } from "./painted_line.ts";
import { lineForTerminal } from "./terminal_text.ts";

/** Where there is no room for all, what is done and nobody waits for is the first to go. */
export function graphLines(board: Board, { linesMax, fresh }: BoardView): readonly Line[] {
  const head = headLines(board);
  const room = linesMax - head.length;
  const all = treeRows(board.store);
  if (all.length <= room) return [...head, ...all.map((row) => rowLine(row, fresh))];
  const shown = treeRows(unsettled(board.store)).slice(0, Math.max(0, room - 1));
  return [
    ...head,
    ...shown.map((row) => rowLine(row, fresh)),
    [dim(`and ${all.length - shown.length} more`)],
  ];
}

function rowLine({ guide, taskid, task, stands }: TreeRow, fresh: ReadonlySet<number>): Line {
  const look = task === null ? "missing" : standingOf(task);
  const subject = lineForTerminal(task?.subject ?? "missing");
  if (stands !== "here") return [dim(`${guide}${signs[look]} ${taskid} ${subject}  (${stands})`)];
  return [
    dim(guide),
    { text: signs[look], style: styles[look] },
    { text: ` ${taskid} ` },
    fresh.has(taskid)
      ? { text: subject, style: "bold" }
      : look === "done" || look === "deleted"
      ? dim(subject)
      : { text: subject },
    dim(task === null ? "" : remark(task)),
  ];
}

const styles: { readonly [look in Look]: Style } = {
  ready: "cyan",
  claimed: "cyan",
  running: "yellow",
  blocked: "dim",
  done: "green",
  deleted: "dim",
  missing: "red",
};

/** How the task stands, in words. */
function remark(task: Task): string {
  const standing = standingOf(task);
  const owner = task.owner === null ? "" : ` @${task.owner}`;
  const waitsFor = task.openBlockers.length === 0 ? "" : `waits for ${task.openBlockers.join(", ")}`;
  switch (standing) {
    case "ready":
      return "  ready";
    case "claimed":
      return `  claimed${owner}`;
    case "running":
      return `  running${owner}${waitsFor === "" ? "" : `, though it ${waitsFor}`}`;
    case "blocked":
      return `  ${waitsFor}${owner}`;
    case "done":
    case "deleted":
      return "";
  }
}

function dim(text: string): Span {
  return { text, style: "dim" };
}
