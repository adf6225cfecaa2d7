// Elements. Whatever is shown is set as text, never as markup.

/** An element by its id in the page. */
export function byId(id) {
  return document.getElementById(id);
}

/**
 * A new element.
 *
 * @param {string} tag
 * @param {Record<string, unknown>} properties of the element; `data` and `aria` hold attributes of these kinds
 * @param {...(Node | string | null)} children null ones are left out
 */
export function element(tag, { data = {}, aria = {}, ...properties } = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  Object.assign(made.dataset, data);
  for (const [name, value] of Object.entries(aria)) made.setAttribute(`aria-${name}`, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** What has no look of its own or turns text around; joiners stay, since letters and emoji need them. */
const unseen = /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]--[\n\t\u200c\u200d]]/gv;

/**
 * A text from outside: it may run in either direction, leaves what stands around it alone, and hides nothing.
 */
export function foreign(tag, className, text) {
  const visible = text.replace(
    unseen,
    (character) => `\\u${character.codePointAt(0).toString(16).padStart(4, "0")}`,
  );
  return element(tag, { className, dir: "auto", textContent: visible });
}

/** Makes `parent` hold exactly these elements in this order, and moves no more than it must. */
export function arrange(parent, elements) {
  const focused = document.activeElement;
  let next = parent.firstElementChild;
  for (const wanted of elements) {
    if (wanted === next) next = next.nextElementSibling;
    else parent.insertBefore(wanted, next);
  }
  while (next) {
    const surplus = next;
    next = next.nextElementSibling;
    surplus.remove();
  }
  if (focused !== document.activeElement && parent.contains(focused)) focused.focus({ preventScroll: true });
}
