// How many of a pod's tasks stand where, as a bar.
import { element } from "./dom.js";

const parts = ["completed", "inprogress", "pending"];

/** @param {{ pending: number, inprogress: number, completed: number }} counts */
export function shareElement(counts) {
  const bar = element("span", { className: "share", aria: { hidden: "true" } });
  for (const part of parts) {
    if (counts[part] === 0) continue;
    const piece = element("span", { className: part });
    piece.style.flexGrow = String(counts[part]);
    bar.append(piece);
  }
  return bar;
}
