// Who keeps a storage: where many pins are folded into one, a list of them.

import { makeDialog } from "./dialog.js";
import { html } from "./elements.js";
import { describe } from "./things.js";

/** The pins of a storage, by their keys ("p3:1:0": node 3 keeps storage 1 at version 0). @param {Payload} payload @param {string} fold  "k1". */
export function pinsOf({ tables }, fold) {
  return tables.flatMap(({ rows }) => Object.keys(rows)).filter((key) => key.startsWith("p") && key.split(":")[1] === fold.slice(1));
}

/** @param {Stage} stage @returns {Part & {close: () => boolean}} */
export function drawKeepers(stage) {
  const dialog = makeDialog(stage);
  let fold = "";
  dialog.root.addEventListener("click", (event) => {
    // The stage hears the click too, and goes to the node.
    if (/** @type {Element} */ (event.target).closest("[data-k]")) dialog.close();
  });

  function show() {
    if (!dialog.isOpen()) return;
    const rows = pinsOf(stage.payload, fold).map((key) => ({ key, said: describe(stage, key) })).filter(({ said }) => said);
    if (!rows.length) return void dialog.close();
    dialog.translate(stage.word("keepers", { storage: `S${fold.slice(1)}`, count: rows.length }));
    const item = (/** @type {{key: string, said: string}} */ { key, said }) => html("li", {}, html("button", { type: "button", class: "ipl-pointer", "data-k": key }, said));
    dialog.fill(html("ul", {}, ...rows.map(item)));
  }

  /** @param {string} key */
  function list(key) {
    fold = key;
    dialog.open();
    show();
  }

  return { root: dialog.root, list, show, translate: show, close: dialog.close };
}
