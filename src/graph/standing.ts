/** How a task stands in the graph, for whoever looks at it. */
import { isReady, type Task } from "../tasks/task.ts";

/** `claimed`: pending, nothing to wait for, and somebody's already. */
const standings = ["ready", "claimed", "running", "blocked", "done", "deleted"] as const;
export type Standing = typeof standings[number];

export function standingOf(task: Task): Standing {
  switch (task.status) {
    case "inprogress":
      return "running";
    case "completed":
      return "done";
    case "deleted":
      return "deleted";
    case "pending":
      if (task.openBlockers.length > 0) return "blocked";
      return isReady(task) ? "ready" : "claimed";
  }
}

/** One column wide in every terminal, also where ambiguous characters take two. */
export const signs: { readonly [standing in Standing | "missing"]: string } = {
  ready: "◦",
  claimed: "◦",
  running: "▸",
  blocked: "⊘",
  done: "✓",
  deleted: "✗",
  missing: "?",
};
