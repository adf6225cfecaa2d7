// The question for the token, where the worker wants one.
import { byId } from "./dom.js";
import { hasToken, keepToken } from "./worker_access.js";

const dialog = byId("token");
const input = byId("token-input");
const note = byId("token-note");
let then = () => {};

/** @param {() => void} given what to do once there is one */
export function askForToken(given) {
  then = given;
  note.textContent = hasToken() ? "That is not the token." : "";
  input.value = "";
  if (!dialog.open) dialog.showModal();
  input.focus();
}

byId("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  keepToken(input.value.trim());
  dialog.close();
  then();
});
// Without the token there is nothing to see.
dialog.addEventListener("cancel", (event) => event.preventDefault());
