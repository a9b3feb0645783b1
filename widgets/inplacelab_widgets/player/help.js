// Lists over the player: the keys and the meaning of marks, and the nodes that keep a storage.

import { makeDialog } from "./dialog.js";
import { html, label, sign, svg } from "./dom.js";
import { speak, valueAt } from "./steps.js";
/** @import { Part, Stage } from "./stage.js" */
/** @import { Payload, Said } from "./steps.js" */

// The list of keys and the meaning of marks, shown over the player on request.

/** @param {Stage} stage @returns {Part & {button: HTMLElement, close: () => boolean, toggle: () => void}} */
export function drawHelp(stage) {
  const button = html("button", { type: "button", class: "ipl-button", "aria-expanded": "false" }, sign("?"));
  const dialog = makeDialog(stage, () => button.setAttribute("aria-expanded", String(dialog.isOpen())));
  const toggle = () => void (dialog.close() || dialog.open());
  button.addEventListener("click", toggle);

  function translate() {
    label(button, stage.word("help"));
    dialog.translate(stage.word("help_title"));
    const rows = stage.payload.keys.map(([keys, does]) => [html("dt", {}, ...kbd(speak(keys, stage.language))), html("dd", {}, speak(does, stage.language))]);
    // A picture of launches has other marks, which it explains itself.
    const { marks: drawnMarks = [] } = stage.payload;
    const marks = drawnMarks.map(([style, drawn, means]) => [html("dt", {}, sample(style, drawn)), html("dd", {}, speak(means, stage.language))]);
    const legend = marks.length ? [html("h3", {}, stage.word("marks_title")), html("dl", {}, ...marks.flat())] : [];
    dialog.fill(html("dl", {}, ...rows.flat()), ...legend);
  }

  return { root: dialog.root, button, translate, close: dialog.close, toggle };
}

/** A box with a mark. @param {string} style @param {string} drawn */
function sample(style, drawn) {
  const box = svg("svg", { width: 32, height: 20, "aria-hidden": "true" });
  box.append(svg("path", { class: style, d: drawn }));
  return box;
}

/** @param {string} keys */
function kbd(keys) {
  return keys.split(" ").flatMap((key) => [html("kbd", {}, key), " "]);
}

// The list of the nodes that keep a storage, where many pins are folded into one.

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
