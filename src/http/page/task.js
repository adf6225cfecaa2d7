// One task with all that it has, in front of the rest.
import { ageElement } from "./clock.js";
import { byId, element, foreign } from "./dom.js";
import { addressOf, goTo, placeNow } from "./place.js";
import { cardOf, standingNames } from "./tasks.js";
import { askForTask } from "./worker_access.js";

const dateForm = { dateStyle: "medium", timeStyle: "medium" };

const dialog = byId("task");
/** The card that is shown, as it was told. */
let shownCard = null;

/** Shows the task that the address names, as it is now, or none. */
export async function showTask() {
  const { pod, taskid } = placeNow();
  if (pod === null || taskid === null) {
    shownCard = null;
    return dialog.close();
  }
  const card = cardOf(taskid);
  if (card !== undefined && card === shownCard) return;
  shownCard = card ?? null;
  const task = await askForTask(pod, taskid).catch(() => null);
  const now = placeNow();
  if (now.pod !== pod || now.taskid !== taskid) return;
  dialog.replaceChildren(...(task === null ? missing(taskid) : whole(task)));
  if (!dialog.open) dialog.showModal();
}

dialog.addEventListener("close", () => {
  const { pod, view, taskid } = placeNow();
  if (taskid !== null) goTo({ pod, view });
});
dialog.addEventListener("click", (event) => {
  // Nothing of it: what is dimmed around it.
  if (event.target === dialog) dialog.close();
});

function closer() {
  const button = element("button", { className: "close", type: "button", textContent: "Close" });
  button.addEventListener("click", () => dialog.close());
  return button;
}

function missing(taskid) {
  return [
    element("header", {}, element("span", { className: "id", textContent: `#${taskid}` }), closer()),
    element("h2", { id: "task-subject", textContent: "This task is not there" }),
    element("p", { className: "note", textContent: "It may have ended with its session." }),
  ];
}

function whole(task) {
  const standing = element("span", { className: "standing", textContent: standingNames[task.standing] });
  const subject = foreign("h2", "subject", task.subject);
  subject.id = "task-subject";
  return [
    element(
      "header",
      { className: task.standing },
      element("span", { className: "id", textContent: `#${task.taskid}` }),
      standing,
      closer(),
    ),
    subject,
    task.activeForm === undefined ? null : foreign("p", "active", task.activeForm),
    task.description === ""
      ? element("p", { className: "note", textContent: "No description." })
      : foreign("p", "description", task.description),
    facts(task),
    ...metadata(task),
  ].filter((part) => part !== null);
}

function facts({ owner, blockedBy, blocks, missing, createdMs, changedMs }) {
  const rows = [
    ["Owner", owner === undefined ? null : foreign("span", "owner", owner)],
    ["Waits for", links(blockedBy, missing)],
    ["Blocks", links(blocks)],
    ["Created", time(createdMs)],
    ["Changed", time(changedMs)],
  ];
  const list = element("dl");
  for (const [name, value] of rows) {
    if (value !== null) list.append(element("dt", { textContent: name }), element("dd", {}, value));
  }
  return list;
}

function time(ms) {
  const since = ageElement(ms, { ago: true });
  return element("span", {}, new Date(ms).toLocaleString([], dateForm), " · ", since);
}

function links(taskids = [], missing = []) {
  if (taskids.length === 0) return null;
  const items = taskids.map((taskid) => element("li", {}, linkTo(taskid, missing.includes(taskid))));
  return element("ul", { className: "edges" }, ...items);
}

function linkTo(taskid, isMissing) {
  const id = element("span", { className: "id", textContent: `#${taskid}` });
  const card = cardOf(taskid);
  if (isMissing || card === undefined) {
    return element("span", { className: "missing" }, id, isMissing ? "is missing" : null);
  }
  const href = addressOf({ ...placeNow(), taskid });
  return element("a", { href, className: card.standing }, id, foreign("span", "subject", card.subject));
}

function metadata({ metadata }) {
  if (metadata === undefined) return [];
  return [
    element("h3", { textContent: "Metadata" }),
    foreign("pre", "metadata", JSON.stringify(metadata, null, 2)),
  ];
}
