// The list of pods: the last changed first, narrowed by what is typed.
import { ageElement, setAge } from "./clock.js";
import { arrange, byId, element } from "./dom.js";
import { addressOf, goTo } from "./place.js";
import { shareElement } from "./share.js";

/** Keyed by pod id. */
const pods = new Map();
/** Keyed by pod id: what is shown of it. */
const rows = new Map();
const list = byId("pods");
const filter = byId("pod-filter");
const note = byId("pods-note");

/** @param {{ isWhole: boolean, pods: readonly object[] }} told all pods, or those that changed */
export function takePods({ isWhole, pods: told }) {
  if (isWhole) {
    pods.clear();
    rows.clear();
  }
  for (const summary of told) {
    pods.set(summary.pod, summary);
    rows.set(summary.pod, rowOf(summary, rows.get(summary.pod)));
  }
  if (isWhole || !isHeld()) showPods();
}

/** Whether somebody is about to choose from the list, so that it must not move. */
function isHeld() {
  return list.matches(":hover, :focus-within") && list.childElementCount === pods.size;
}

export function podCount() {
  return pods.size;
}

/** @param {string | null} pod the one whose board is shown */
export function markPod(pod) {
  for (const [id, { link }] of rows) {
    if (id === pod) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  setTabStop();
}

/** One of the list is reached by the tab key, the others from it by arrows. */
function setTabStop() {
  const links = [...list.querySelectorAll("a")];
  const stop = links.find((link) => link.hasAttribute("aria-current")) ?? links[0];
  for (const link of links) link.tabIndex = link === stop ? 0 : -1;
}

function rowOf({ pod, counts, changedMs, notServed }, known) {
  const row = known ?? makeRow(pod, changedMs);
  const total = counts.pending + counts.inprogress + counts.completed;
  row.done.textContent = notServed !== null
    ? "not served"
    : total === 0
    ? "empty"
    : `${counts.completed}/${total}`;
  row.done.title = total === 0 ? "no tasks" : `${counts.completed} of ${total} completed`;
  row.link.classList.toggle("not-served", notServed !== null);
  row.link.title = notServed ?? "";
  row.share.replaceWith(row.share = shareElement(counts));
  setAge(row.age, changedMs);
  return row;
}

function makeRow(pod, changedMs) {
  const done = element("span", { className: "done" });
  const share = element("span");
  const changed = ageElement(changedMs);
  const name = element("span", { className: "name", textContent: pod });
  const link = element("a", { href: addressOf({ pod }), data: { pod } }, name, changed, share, done);
  return { item: element("li", {}, link), link, done, share, age: changed };
}

function showPods() {
  const wanted = filter.value.trim().toLowerCase();
  const shown = [...pods.values()].filter(({ pod }) => pod.toLowerCase().includes(wanted))
    .sort((a, b) => b.changedMs - a.changedMs || (a.pod < b.pod ? -1 : 1));
  arrange(list, shown.map(({ pod }) => rows.get(pod).item));
  setTabStop();
  note.textContent = pods.size > 0 && shown.length === 0 ? "No pod has this in its name." : "";
}

filter.addEventListener("input", showPods);
list.addEventListener("pointerleave", showPods);
filter.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && list.firstElementChild) {
    goTo({ pod: list.querySelector("a").dataset.pod });
  }
  if (event.key === "ArrowDown" && list.firstElementChild) {
    event.preventDefault();
    list.querySelector("a").focus();
  }
});
list.addEventListener("keydown", (event) => {
  const item = event.target.closest("li");
  const next = { ArrowDown: item?.nextElementSibling, ArrowUp: item?.previousElementSibling }[event.key];
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  event.preventDefault();
  (next?.querySelector("a") ?? (event.key === "ArrowUp" ? filter : null))?.focus();
});
