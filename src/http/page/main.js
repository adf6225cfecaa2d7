// The page: what the address names, with what the worker tells of it.
import { clearBoard, showBoard } from "./board.js";
import { setClock, startClock } from "./clock.js";
import { byId } from "./dom.js";
import { showGraph } from "./graph.js";
import { addressOf, goTo, placeNow } from "./place.js";
import { markPod, podCount, takePods } from "./pods_list.js";
import { showSummary } from "./summary.js";
import { showTask } from "./task.js";
import { forgetCards, takeCards } from "./tasks.js";
import { askForToken } from "./token.js";
import { listen } from "./worker_access.js";

/** A page that nobody has looked at for so long tells the worker that it is gone. */
const hiddenMsMax = 30_000;

const link = byId("link");
/** What ends the stream that is open. */
let listening = new AbortController();
/** The pod whose board the stream brings. */
let listenedPod;
/** Whether it has come. */
let isHere = false;

function listenAgain() {
  listening.abort();
  listening = new AbortController();
  const { signal } = listening;
  listenedPod = placeNow().pod;
  listen(listenedPod, {
    tell: (name, data) => signal.aborted || tell(name, data),
    state: (state) => signal.aborted || setState(state),
  }, signal);
}

function setState(state) {
  document.body.dataset.link = state;
  link.textContent = { live: "Live", away: "Reconnecting", token: "Needs the token" }[state];
  if (state === "token") askForToken(listenAgain);
}

function tell(name, data) {
  setClock(data.nowMs);
  if (name === "pods") {
    takePods(data);
    markPod(placeNow().pod);
    welcome();
  } else {
    isHere = true;
    takeCards(data);
    showSummary(data);
    showView();
  }
}

/** What stands where no pod is chosen. */
function welcome() {
  const isEmpty = podCount() === 0;
  byId("welcome-text").textContent = isEmpty
    ? "No pod has published anything yet. A first call makes its list:"
    : "Choose a pod to see its tasks.";
  byId("welcome-example").hidden = !isEmpty;
}

function showView() {
  const { view, taskid } = placeNow();
  const isBoard = isHere && view === "board";
  const isGraph = isHere && view === "graph";
  byId("columns").hidden = !isBoard;
  byId("graph").hidden = !isGraph;
  if (isBoard) showBoard();
  if (isGraph) showGraph();
  if (isHere || taskid === null) showTask();
}

function arrive() {
  const { pod, view } = placeNow();
  document.body.classList.toggle("has-pod", pod !== null);
  byId("welcome").hidden = pod !== null;
  byId("pod").hidden = pod === null;
  document.title = pod === null ? "Tasuki" : `${pod} · Tasuki`;
  markPod(pod);
  for (const name of ["board", "graph"]) {
    const tab = byId(`to-${name}`);
    tab.href = addressOf({ pod, view: name });
    if (name === view) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  if (pod === listenedPod) return showView();
  isHere = false;
  forgetCards();
  clearBoard();
  showSummary({ pod, summary: null, isComing: true });
  showView();
  listenAgain();
}

/** Keys that mean something wherever the reader is, as long as nothing is typed. */
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
  if (event.target.matches("input")) {
    if (event.key !== "Escape") return;
    event.target.value = "";
    event.target.dispatchEvent(new Event("input"));
    return event.target.blur();
  }
  const { pod } = placeNow();
  const act = {
    "/": () => byId("pod-filter").focus(),
    f: () => byId("task-filter").focus(),
    b: () => pod !== null && goTo({ pod, view: "board" }),
    g: () => pod !== null && goTo({ pod, view: "graph" }),
  }[event.key];
  if (act === undefined) return;
  event.preventDefault();
  act();
});

byId("task-filter").addEventListener("input", () => placeNow().view === "graph" && showGraph());

let hiding;
document.addEventListener("visibilitychange", () => {
  clearTimeout(hiding);
  if (document.hidden) {
    hiding = setTimeout(() => {
      listening.abort();
      listenedPod = undefined;
    }, hiddenMsMax);
  } else if (listenedPod === undefined) listenAgain();
});

addEventListener("hashchange", arrive);
startClock();
arrive();
