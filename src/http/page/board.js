// The board: a pod's tasks in columns by status.
import { ageElement } from "./clock.js";
import { arrange, byId, element, foreign } from "./dom.js";
import { addressOf, placeNow } from "./place.js";
import { allCards, matches, standingNames, wordsOf } from "./tasks.js";

/** Cards that a column shows before somebody asks for more. */
const cardsShown = 100;

const titles = { pending: "Pending", inprogress: "In progress", completed: "Completed", deleted: "Deleted" };
const nothing = {
  pending: "Nothing waits to be done.",
  inprogress: "Nobody works on anything.",
  completed: "Nothing is completed yet.",
  deleted: "Nothing was deleted.",
};
const pendingOrder = ["ready", "claimed", "blocked"];

/** Keyed by status. */
const columns = new Map(Object.keys(titles).map((status) => [status, makeColumn(status)]));
/** Keyed by taskid: the card as it was told and the element that shows it. */
const shown = new Map();
const board = byId("columns");
const filter = byId("task-filter");
board.append(...[...columns.values()].map(({ section }) => section));

function makeColumn(status) {
  const count = element("span", { className: "count" });
  const list = element("ul");
  const empty = element("p", { className: "note", textContent: nothing[status] });
  const more = element("button", { className: "more", type: "button", hidden: true });
  const heading = element("h2", {}, titles[status], count);
  const section = element("section", { className: `column ${status}` }, heading, list, empty, more);
  const column = { section, count, list, empty, more, limit: cardsShown };
  more.addEventListener("click", () => {
    column.limit += cardsShown;
    showBoard();
  });
  return column;
}

filter.addEventListener("input", showBoard);

/** Forgets how the last pod was shown. */
export function clearBoard() {
  shown.clear();
  filter.value = "";
  for (const column of columns.values()) {
    column.limit = cardsShown;
    column.list.replaceChildren();
  }
}

/** Shows the tasks as they are now, those with all words that are typed. */
export function showBoard() {
  const all = allCards();
  const words = wordsOf(filter.value);
  const focused = board.contains(document.activeElement) ? document.activeElement.dataset.taskid : undefined;
  for (const [status, { section, count, list, empty, more, limit }] of columns) {
    const cards = all.filter((card) => card.status === status);
    const found = words.length === 0 ? cards : cards.filter((card) => matches(card, words));
    const visible = found.sort(orders[status]).slice(0, limit);
    arrange(list, visible.map(itemOf));
    count.textContent = found.length === cards.length
      ? `${cards.length}`
      : `${found.length} of ${cards.length}`;
    section.hidden = status === "deleted" && cards.length === 0;
    empty.hidden = found.length > 0;
    empty.textContent = cards.length > 0 ? "None of them is what you look for." : nothing[status];
    more.hidden = found.length <= visible.length;
    more.textContent = `Show more: ${found.length - visible.length} are left`;
  }
  // A card that was made anew, or moved, keeps the keyboard.
  if (focused !== undefined && document.activeElement.dataset.taskid !== focused) {
    shown.get(Number(focused))?.item.querySelector("a").focus({ preventScroll: true });
  }
}

const byLastChange = (a, b) => b.changedMs - a.changedMs || b.taskid - a.taskid;
const orders = {
  pending: (a, b) =>
    pendingOrder.indexOf(a.standing) - pendingOrder.indexOf(b.standing) || a.taskid - b.taskid,
  inprogress: byLastChange,
  completed: byLastChange,
  deleted: byLastChange,
};

/** The element that shows the card, made anew only where the card is another one. */
function itemOf(card) {
  const known = shown.get(card.taskid);
  if (known?.card === card) return known.item;
  const item = known?.item ?? element("li");
  item.replaceChildren(linkOf(card));
  if (known) flash(item);
  shown.set(card.taskid, { card, item });
  return item;
}

function linkOf(card) {
  const { taskid, standing, subject, activeForm, owner, openBlockers, changedMs } = card;
  const href = addressOf({ ...placeNow(), taskid });
  const head = element(
    "span",
    { className: "head" },
    element("span", { className: "id", textContent: `#${taskid}` }),
    standing === "ready" || standing === "claimed"
      ? element("span", { className: "standing", textContent: standingNames[standing] })
      : null,
    ageElement(changedMs),
  );
  const isActive = standing === "running" && activeForm !== undefined;
  const facts = [
    owner === undefined ? null : foreign("span", "owner", owner),
    openBlockers === undefined || standing !== "blocked" ? null : element("span", {
      className: "waits",
      textContent: `waits for ${shortList(openBlockers)}`,
    }),
  ].filter((fact) => fact !== null);
  return element(
    "a",
    { className: `card ${standing}`, href, data: { taskid: String(taskid) } },
    head,
    foreign("span", "subject", subject),
    isActive ? foreign("span", "active", activeForm) : null,
    facts.length === 0 ? null : element("span", { className: "facts" }, ...facts),
  );
}

function shortList(taskids) {
  const named = taskids.slice(0, 4).map((taskid) => `#${taskid}`).join(", ");
  return taskids.length > 4 ? `${named} and ${taskids.length - 4} more` : named;
}

function flash(item) {
  item.classList.remove("fresh");
  requestAnimationFrame(() => item.classList.add("fresh"));
}

/** Arrows lead from card to card, and from column to column. */
board.addEventListener("keydown", (event) => {
  const item = event.target.closest("li");
  if (item === null || event.altKey || event.ctrlKey || event.metaKey) return;
  const target = {
    ArrowDown: () => item.nextElementSibling,
    ArrowUp: () => item.previousElementSibling,
    ArrowRight: () => beside(item, 1),
    ArrowLeft: () => beside(item, -1),
  }[event.key]?.();
  if (target === undefined) return;
  event.preventDefault();
  target?.querySelector("a").focus();
});

/** The card at the same height in the next column that has any. */
function beside(item, step) {
  const lists = [...columns.values()].map(({ list }) => list);
  const row = [...item.parentElement.children].indexOf(item);
  for (let at = lists.indexOf(item.parentElement) + step; lists[at]; at += step) {
    const { children } = lists[at];
    if (children.length > 0) return children[Math.min(row, children.length - 1)];
  }
  return null;
}
