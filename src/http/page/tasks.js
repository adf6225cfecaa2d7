// The tasks of the pod that is shown, as the worker last told them.

/** Keyed by taskid. */
const cards = new Map();

/** @param {{ isWhole: boolean, cards: readonly object[] }} told all tasks, or those that changed */
export function takeCards({ isWhole, cards: told }) {
  if (isWhole) cards.clear();
  for (const card of told) cards.set(card.taskid, card);
}

export function forgetCards() {
  cards.clear();
}

export function cardOf(taskid) {
  return cards.get(taskid);
}

/** Ascending by taskid. */
export function allCards() {
  return [...cards.values()].sort((a, b) => a.taskid - b.taskid);
}

/** What readers call the standings that `graph/standing.ts` names. */
export const standingNames = {
  ready: "ready",
  claimed: "claimed",
  running: "in progress",
  blocked: "waiting",
  done: "completed",
  deleted: "deleted",
  missing: "missing",
};

/** Whether the card has all the words, in its texts, its owner or its number. */
export function matches(card, words) {
  const text = `#${card.taskid} ${card.subject} ${card.activeForm ?? ""} ${card.owner ?? ""}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** What is typed, as words. */
export function wordsOf(typed) {
  return typed.toLowerCase().split(/\s+/).filter((word) => word !== "");
}
