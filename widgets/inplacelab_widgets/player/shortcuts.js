// Suppresses shortcuts of the page around the player: JupyterLab handles every key that no element suppresses.

const SUPPRESSES = "data-lm-suppress-shortcuts";

/** Suppresses the page's shortcuts inside an element, except those with Ctrl, Alt or Cmd: saving works everywhere, but "b" inserts no cell.
 * @param {HTMLElement} root */
export function keepShortcutsAway(root) {
  root.setAttribute(SUPPRESSES, "true");
  const choose = (/** @type {KeyboardEvent} */ { ctrlKey, altKey, metaKey }) => {
    if (ctrlKey || altKey || metaKey) root.removeAttribute(SUPPRESSES);
    else root.setAttribute(SUPPRESSES, "true");
  };
  root.addEventListener("keydown", choose, { capture: true });
}
