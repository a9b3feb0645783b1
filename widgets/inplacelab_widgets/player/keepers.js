// The list of the nodes that keep a storage, where many pins are folded into one.

import { makeDialog } from "./dialog.js";
import { html } from "./elements.js";
import { valueAt } from "./runs.js";
import { speak } from "./words.js";
/** @import { Payload, Said } from "./runs.js" */
/** @import { Part, Stage } from "./stage.js" */

/** The pins of a storage at a step: their keys ("p3:1:0": node 3 keeps storage 1 at version 0) and their rows in the table.
 * @param {Payload} payload @param {string} fold  "k1". @param {number} step @returns {{key: string, said: Said[]}[]} */
export function pinsOf({ tables, said }, fold, step) {
  const rows = tables.flatMap((table) => Object.entries(table.rows)).filter(([key]) => key.startsWith("p") && key.split(":")[1] === fold.slice(1));
  return rows.flatMap(([key, runs]) => {
    const [owner, saved, , state] = valueAt(runs, step) ?? [];
    return owner === undefined ? [] : [{ key, said: [owner, saved, state].map((cell) => said[cell]) }];
  });
}

/** @param {Stage} stage @returns {Part & {close: () => boolean}} */
export function drawKeepers(stage) {
  const dialog = makeDialog(stage);
  let fold = "";
  dialog.root.addEventListener("click", (event) => {
    // The stage receives the click too, and goes to the node.
    if (/** @type {Element} */ (event.target).closest("[data-k]")) dialog.close();
  });

  function show() {
    if (!dialog.isOpen()) return;
    const rows = pinsOf(stage.payload, fold, stage.step);
    if (!rows.length) return void dialog.close();
    dialog.translate(stage.word("keepers", { storage: `S${fold.slice(1)}`, count: rows.length }));
    const words = (/** @type {Said[]} */ said) => said.map((cell) => speak(cell, stage.language).replaceAll(" ", "\u00a0")).join(" · ");
    const items = rows.map(({ key, said }) => html("li", {}, html("button", { type: "button", class: "ipl-pointer", "data-k": key }, words(said))));
    dialog.fill(html("ul", {}, ...items));
  }

  /** @param {string} key */
  function list(key) {
    fold = key;
    dialog.open();
    show();
  }

  return { root: dialog.root, list, show, translate: show, close: dialog.close };
}
