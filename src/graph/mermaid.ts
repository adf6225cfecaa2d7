/** The graph as Mermaid text, for documents that draw it themselves. */
import type { TaskStore } from "../tasks/store.ts";
import { cutText } from "../tasks/text.ts";
import { graphOf } from "./graph.ts";
import { light, type Look } from "./palette.ts";
import { signs, standingOf } from "./standing.ts";
import { visibleText } from "./visible_text.ts";

/** UTF-16 units of a subject; longer ones make boxes that nobody reads. */
const subjectLengthMax = 80;

/** One line per task, then one per edge. Subjects can say what they like: all but letters, digits and blanks is encoded. */
export function mermaidText(store: TaskStore): string {
  const { missing, dependents } = graphOf(store);
  const lines = [
    "flowchart LR",
    ...missing.map((taskid) => nodeText(taskid, "missing", "missing")),
    ...store.tasks.map((task) => {
      const subject = cutText(visibleText(task.subject), subjectLengthMax);
      const owner = task.owner === null || task.status !== "inprogress" ? "" : ` (${task.owner})`;
      return nodeText(task.taskid, standingOf(task), subject + owner);
    }),
    ...[...dependents].sort(([a], [b]) => a - b).flatMap(([blocker, waiting]) =>
      waiting.map((dependent) => `  t${blocker} --> t${dependent}`)
    ),
    // Boxes bring their own ground, so those for light pages can be read on dark ones, too.
    ...Object.entries(light.boxes).map(([look, { fill, line, ink }]) =>
      `  classDef ${look} fill:${fill},stroke:${line},color:${ink}`
    ),
  ];
  return lines.join("\n") + "\n";
}

function nodeText(taskid: number, look: Look, text: string): string {
  return `  t${taskid}["${signs[look]} ${taskid} ${encoded(text)}"]:::${look}`;
}

/** As Mermaid's entity codes: `#60;`. */
function encoded(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N} ]/gu, (character) => `#${character.codePointAt(0)};`);
}
