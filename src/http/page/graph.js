// What waits for what, as a picture: boxes that are links, and arrows from each blocker to its dependents.
import { byId, element, foreign } from "./dom.js";
import { addressOf, placeNow } from "./place.js";
import { allCards, matches, standingNames, wordsOf } from "./tasks.js";

/** Boxes that a picture may have: more are neither read nor laid out in good time. */
const boxesMax = 250;
const boxWidthPx = 204;
const boxHeightPx = 70;
const zooms = [0.35, 0.5, 0.7, 0.85, 1, 1.25, 1.5];
const svg = "http://www.w3.org/2000/svg";

const place = byId("graph");
const filter = byId("task-filter");
const canvas = element("div", { className: "canvas" });
const scroller = element("div", { className: "scroller" }, canvas);
const note = element("p", { className: "note" });
const zoomText = element("output");
const tools = element(
  "div",
  { className: "zoom", role: "group", aria: { label: "Size of the picture" } },
  toolButton("−", "smaller", () => step(-1)),
  zoomText,
  toolButton("+", "larger", () => step(1)),
  toolButton("Fit", "fit the window", fit),
);
const head = element("div", { className: "graph-head" }, legend(), tools);
place.append(head, scroller, note);

/** What the last picture was made of, as text: laid out again only where this is another one. */
let drawn = "";
let size = { width: 0, height: 0 };
let zoom = 1;
/** Keyed by taskid: the boxes of the picture. */
let boxes = new Map();
let arrows = [];
let layouts = null;

/** Draws the tasks as they are now. */
export async function showGraph() {
  const { cards, left } = cardsToDraw(allCards());
  const edges = cards.flatMap(({ taskid, blockedBy = [] }) => blockedBy.map((blocker) => [blocker, taskid]));
  const ids = new Set(cards.map(({ taskid }) => taskid));
  const missing = [...new Set(edges.map(([blocker]) => blocker))].filter((taskid) => !ids.has(taskid));
  const shape = { taskids: [...ids, ...missing], edges };
  const key = JSON.stringify([placeNow().pod, shape]);
  note.textContent = noteOf(cards, left);
  scroller.hidden = cards.length === 0;
  head.hidden = cards.length === 0;
  if (cards.length === 0) drawn = "";
  else if (key === drawn) paint(cards);
  else {
    drawn = key;
    place.classList.add("busy");
    const layout = await layOut({ ...shape, boxWidthPx, boxHeightPx, room: roomNow() });
    if (key !== drawn) return;
    place.classList.remove("busy");
    draw(layout, cards, missing);
  }
}

function roomNow() {
  return { width: scroller.clientWidth, height: scroller.clientHeight };
}

/** Tasks with an edge; where these are too many, the open ones first. */
function cardsToDraw(all) {
  const blocking = new Set(all.flatMap(({ blockedBy = [] }) => blockedBy));
  const connected = all.filter(({ taskid, blockedBy }) => blockedBy !== undefined || blocking.has(taskid));
  const isOver = ({ standing }) => standing === "done" || standing === "deleted";
  const wanted = connected.length <= boxesMax
    ? connected
    : connected.toSorted((a, b) => Number(isOver(a)) - Number(isOver(b)) || a.taskid - b.taskid);
  const drawn = new Set(wanted.slice(0, boxesMax).map(({ taskid }) => taskid));
  const cards = connected.filter(({ taskid }) => drawn.has(taskid)).map((card) => {
    const kept = (card.blockedBy ?? []).filter((id) => drawn.has(id) || card.missing?.includes(id));
    return { ...card, blockedBy: kept };
  });
  return {
    cards,
    left: { unconnected: all.length - connected.length, undrawn: connected.length - cards.length },
  };
}

function noteOf(cards, { unconnected, undrawn }) {
  if (cards.length === 0) return "No task waits for another one.";
  const many = (count) => `${count} ${count === 1 ? "task" : "tasks"}`;
  return [
    undrawn > 0 ? `There is no room for ${many(undrawn)} more with edges.` : "",
    unconnected > 0
      ? `${many(unconnected)} that ${
        unconnected === 1 ? "waits" : "wait"
      } for nothing and block nothing: see the board.`
      : "",
  ].join(" ").trim();
}

/** In a thread of its own, since it may take seconds. */
function layOut(shape) {
  layouts ??= new Worker(layoutScript(), { type: "module" });
  return new Promise((resolve) => {
    layouts.onmessage = ({ data }) => resolve(data);
    layouts.postMessage(shape);
  });
}

/** The one address from which the page makes a thread. */
function layoutScript() {
  const address = "/page/layout.js";
  const policy = globalThis.trustedTypes?.createPolicy("tasuki-layout", { createScriptURL: () => address });
  return policy?.createScriptURL(address) ?? address;
}

function draw(layout, cards, missing) {
  size = layout;
  const picture = document.createElementNS(svg, "svg");
  setAttributes(picture, { width: size.width, height: size.height, "aria-hidden": "true" });
  const isDone = new Set(cards.filter(({ standing }) => standing === "done").map(({ taskid }) => taskid));
  arrows = layout.arrows.map(({ from, to, points }) => {
    const line = document.createElementNS(svg, "path");
    setAttributes(line, { d: curve(points), class: isDone.has(from) ? "arrow passed" : "arrow" });
    const tip = document.createElementNS(svg, "path");
    setAttributes(tip, { d: tipAt(points), class: "tip" });
    picture.append(line, tip);
    return { from, to, line, tip };
  });
  boxes = new Map(layout.places.map(({ taskid, x, y }) => {
    const box = element("a", { className: "box" });
    box.style.left = `${x}px`;
    box.style.top = `${y}px`;
    return [taskid, box];
  }));
  canvas.replaceChildren(picture, ...boxes.values());
  for (const taskid of missing) {
    const box = boxes.get(taskid);
    box.className = "box missing";
    box.replaceChildren(headOf(taskid, "missing"));
  }
  paint(cards);
  fit();
}

/** Everything that changes without moving. */
function paint(cards) {
  const words = wordsOf(filter.value);
  for (const card of cards) {
    const box = boxes.get(card.taskid);
    const { taskid, standing, subject, owner } = card;
    box.className = `box ${standing}`;
    box.classList.toggle("apart", words.length > 0 && !matches(card, words));
    box.href = addressOf({ ...placeNow(), taskid });
    box.dataset.taskid = String(taskid);
    box.title = subject;
    box.replaceChildren(headOf(taskid, standing, owner), foreign("span", "subject", subject));
  }
  const done = new Set(cards.filter(({ standing }) => standing === "done").map(({ taskid }) => taskid));
  for (const { from, line } of arrows) line.classList.toggle("passed", done.has(from));
}

function headOf(taskid, standing, owner) {
  return element(
    "span",
    { className: "head" },
    element("span", { className: "id", textContent: `#${taskid}` }),
    element("span", { className: "standing", textContent: standingNames[standing] }),
    owner === undefined ? null : foreign("span", "owner", owner),
  );
}

function setAttributes(target, attributes) {
  for (const [name, value] of Object.entries(attributes)) target.setAttribute(name, String(value));
}

/** A smooth line through the points. */
function curve(points) {
  const [first, ...others] = points;
  let path = `M${first.x} ${first.y}`;
  for (const [index, point] of others.entries()) {
    const next = others[index + 1];
    if (next === undefined) path += ` L${point.x} ${point.y}`;
    else path += ` Q${point.x} ${point.y} ${(point.x + next.x) / 2} ${(point.y + next.y) / 2}`;
  }
  return path;
}

/** A triangle at the end of the line, along its last piece. */
function tipAt(points) {
  const end = points.at(-1);
  const before = points.at(-2);
  const length = Math.hypot(end.x - before.x, end.y - before.y) || 1;
  const [dx, dy] = [(end.x - before.x) / length, (end.y - before.y) / length];
  const back = { x: end.x - 8 * dx, y: end.y - 8 * dy };
  return `M${end.x} ${end.y} L${back.x - 4 * dy} ${back.y + 4 * dx} L${back.x + 4 * dy} ${back.y - 4 * dx} Z`;
}

// Size.

function toolButton(label, about, act) {
  const button = element("button", { type: "button", textContent: label, title: about });
  button.setAttribute("aria-label", about);
  button.addEventListener("click", act);
  return button;
}

function step(direction) {
  const near = zooms.findIndex((known) => known >= zoom);
  const at = Math.max(0, near === -1 ? zooms.length - 1 : near);
  setZoom(zooms[Math.min(zooms.length - 1, Math.max(0, at + direction))]);
}

/** As much of the picture as can be read, all of it where that is not too small. */
export function fit() {
  const { width, height } = roomNow();
  setZoom(Math.min(1, Math.max(0.65, Math.min(width / size.width, height / size.height))));
}

function setZoom(wanted) {
  zoom = wanted;
  canvas.style.width = `${size.width * zoom}px`;
  canvas.style.height = `${size.height * zoom}px`;
  canvas.style.setProperty("--zoom", String(zoom));
  zoomText.textContent = `${Math.round(zoom * 100)} %`;
}

place.addEventListener("keydown", ({ key }) => {
  if (key === "+") step(1);
  if (key === "-") step(-1);
  if (key === "0") fit();
});

// What hangs together with the box that is pointed at.

function mark(target) {
  const box = target.closest?.(".box");
  canvas.classList.toggle("marking", Boolean(box));
  for (const { line, tip } of arrows) [line, tip].forEach((part) => part.classList.remove("marked"));
  for (const other of boxes.values()) other.classList.remove("marked");
  if (!box) return;
  const taskid = [...boxes].find(([, other]) => other === box)?.[0];
  for (const [near, far] of [["from", "to"], ["to", "from"]]) {
    const reached = new Set([taskid]);
    for (const id of reached) {
      boxes.get(id).classList.add("marked");
      for (const arrow of arrows) {
        if (arrow[near] !== id) continue;
        arrow.line.classList.add("marked");
        arrow.tip.classList.add("marked");
        reached.add(arrow[far]);
      }
    }
  }
}

canvas.addEventListener("pointerover", ({ target }) => mark(target));
canvas.addEventListener("pointerleave", () => mark(canvas));
canvas.addEventListener("focusin", ({ target }) => mark(target));
canvas.addEventListener("focusout", () => mark(canvas));

// Dragging moves the picture.

scroller.addEventListener("pointerdown", (event) => {
  if (event.pointerType !== "mouse" || event.button !== 0 || event.target.closest(".box")) return;
  scroller.setPointerCapture(event.pointerId);
  scroller.classList.add("dragged");
});
scroller.addEventListener("pointermove", (event) => {
  if (scroller.classList.contains("dragged")) scroller.scrollBy(-event.movementX, -event.movementY);
});
for (const ending of ["pointerup", "pointercancel"]) {
  scroller.addEventListener(ending, () => scroller.classList.remove("dragged"));
}

function legend() {
  const shown = ["ready", "running", "blocked", "done"];
  const items = shown.map((standing) => element("li", { className: standing }, standingNames[standing]));
  return element("ul", { className: "legend", aria: { label: "Colours" } }, ...items);
}
