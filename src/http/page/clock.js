// Times as a person reads them, by the worker's clock.

const units = [["d", 86_400], ["h", 3_600], ["m", 60]];
const everyMs = 5_000;

let aheadMs = 0;

/** What the worker's clock said just now. */
export function setClock(nowMs) {
  aheadMs = nowMs - Date.now();
}

/** `42s`, `7m`, `3h`, `12d`; `now` below five seconds. */
export function age(sinceMs) {
  const seconds = Math.max(0, Math.floor((Date.now() + aheadMs - sinceMs) / 1_000));
  if (seconds < 5) return "now";
  const [unit, length] = units.find(([, length]) => seconds >= length) ?? ["s", 1];
  return `${Math.floor(seconds / length)}${unit}`;
}

/** An age that grows while it is shown; `ago` says it as a part of a sentence. */
export function ageElement(sinceMs, { ago = false } = {}) {
  const shown = document.createElement("time");
  shown.className = "age";
  if (ago) shown.dataset.ago = "";
  setAge(shown, sinceMs);
  return shown;
}

export function setAge(shown, sinceMs) {
  const at = new Date(sinceMs);
  shown.dataset.since = String(sinceMs);
  shown.dateTime = at.toISOString();
  shown.title = at.toLocaleString();
  grow(shown);
}

function grow(shown) {
  const short = age(Number(shown.dataset.since));
  const text = shown.dataset.ago === undefined ? short : short === "now" ? "just now" : `${short} ago`;
  if (shown.textContent !== text) shown.textContent = text;
}

/** Lets all ages that are shown grow. */
export function startClock() {
  setInterval(() => {
    for (const shown of document.querySelectorAll("time[data-since]")) grow(shown);
  }, everyMs);
}
