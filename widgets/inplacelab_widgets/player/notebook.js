// The notebook around a widget, as JupyterLab and Notebook build it: which keys it gets, and where the focus goes.

/** A shortcut fires if its selector matches an element with the focus, or one around it, before an element that has this attribute.
 * Most match what has the focus: there the attribute must be. */
const SUPPRESSES = "data-lm-suppress-shortcuts";

/** Whether a key is the notebook's: with Ctrl, Alt or Cmd, as for saving, and what runs a cell. A text field undoes what was typed in it.
 * @param {KeyboardEvent} event @param {boolean} isText  Whether a text field has the focus. */
export function belongsToNotebook({ key, ctrlKey, altKey, metaKey, shiftKey }, isText) {
  if (key === "Enter") return ctrlKey || altKey || metaKey || shiftKey;
  return (ctrlKey || altKey || metaKey) && !(isText && /^[zy]$/i.test(key));
}

/** Keeps the notebook's shortcuts out of a widget, so that "b" inserts no cell, except those that are the notebook's. @param {HTMLElement} root */
export function keepShortcutsAway(root) {
  const choose = (/** @type {KeyboardEvent} */ event) => {
    const at = /** @type {Element} */ (event.target);
    if (root.contains(at)) at.toggleAttribute(SUPPRESSES, !belongsToNotebook(event, at.matches(":read-write")));
  };
  // Notebook reads keys as they come down from the document: only the window is earlier.
  root.addEventListener("focusin", () => addEventListener("keydown", choose, { capture: true }));
  root.addEventListener("focusout", () => removeEventListener("keydown", choose, { capture: true }));
}

/** Moves the focus from a widget to its cell, or to the one below, where the notebook's keys work again. Returns whether there is one.
 * @param {HTMLElement} root @param {{below?: boolean}} [where] */
export function focusCell(root, { below = false } = {}) {
  const own = root.closest(".jp-Cell");
  const cell = below ? own?.nextElementSibling : own;
  if (!(cell instanceof HTMLElement) || !cell.matches(".jp-Cell")) return false;
  cell.focus();
  return true;
}
