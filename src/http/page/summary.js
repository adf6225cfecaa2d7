// The head of a pod's board.
import { ageElement } from "./clock.js";
import { byId, element } from "./dom.js";
import { shareElement } from "./share.js";
import { allCards } from "./tasks.js";

/** @param {{ pod: string | null, summary: object | null, isComing?: boolean }} told */
export function showSummary({ pod, summary, isComing = false }) {
  byId("pod-name").textContent = pod ?? "";
  const text = byId("pod-summary");
  const warning = byId("pod-warning");
  warning.hidden = summary === null || summary.notServed === null;
  if (summary === null) {
    text.replaceChildren(isComing ? "" : "Nothing is known of this pod.");
    byId("pod-share").replaceChildren();
    return;
  }
  const { counts, changedMs, notServed } = summary;
  warning.textContent = `This version of Tasuki cannot serve the pod: ${notServed}`;
  const ready = allCards().filter(({ standing }) => standing === "ready").length;
  const total = counts.pending + counts.inprogress + counts.completed + counts.deleted;
  const parts = total === 0 ? ["This list is empty"] : [
    `${total} ${total === 1 ? "task" : "tasks"}`,
    `${counts.inprogress} in progress`,
    `${ready} ready`,
    `${counts.completed} completed`,
  ];
  text.replaceChildren(
    parts.join(" · "),
    element("span", { className: "changed" }, " · changed ", ageElement(changedMs, { ago: true })),
  );
  byId("pod-share").replaceChildren(shareElement(counts));
}
