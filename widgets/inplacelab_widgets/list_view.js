// A list that the reader can sort and filter, entirely in the browser. Python makes the rows.

import { html } from "./player/dom.js";
import { focusCell, keepShortcutsAway } from "./player/notebook.js";
import { speak } from "./player/steps.js";
/** @import { Said } from "./player/steps.js" */

const CODE = /(`+)(.+?)\1/g;

/** Splits words with `code` in backticks (in double backticks, if the code contains one) into parts: the words, and whether they are code.
 * @param {string} words */
export const parted = (words) => {
  /** @type {[string, boolean][]} */
  const parts = [];
  let end = 0;
  for (const found of words.matchAll(CODE)) {
    parts.push([words.slice(end, found.index), false], [found[2], true]);
    end = found.index + found[0].length;
  }
  parts.push([words.slice(end), false]);
  return parts;
};

/** The same as nodes. @param {string} words */
const worded = (words) => parted(words).map(([part, code]) => (code ? html("code", {}, part) : document.createTextNode(part)));

/** @param {string} words */
const bare = (words) => parted(words).map(([part]) => part).join("");

/** The rows that contain all the words of `wanted`, ignoring case. @param {string[][]} rows @param {string} wanted */
export const filtered = (rows, wanted) => {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => words.every((word) => bare(row.join(" ")).toLowerCase().includes(word)));
};

/** The rows in the order of a column: numbers by size, words by the alphabet; rows that are equal keep their order.
 * @param {string[][]} rows @param {number} column @param {boolean} descending */
export const sorted = (rows, column, descending) => {
  if (column < 0) return rows;
  const order = new Intl.Collator(undefined, { numeric: true });
  const signed = descending ? -1 : 1;
  return [...rows].sort((one, other) => signed * order.compare(one[column], other[column]));
};

/** The anywidget entry point. @param {{model: any, el: HTMLElement}} view */
function render({ model, el }) {
  /** @type {{title: Said, heads: Said[], rows: Said[][], filter: Said, count: Said}} */
  const list = model.get("_list");
  const say = (/** @type {Said} */ words) => speak(words, model.get("language"));

  const field = html("input", { type: "search", class: "ipl-filter" });
  const count = html("output", { class: "ipl-count" });
  const heads = html("tr");
  const body = html("tbody");
  const caption = html("caption");
  const table = html("table", {}, caption, html("thead", {}, heads), body);
  const root = html("div", { class: "ipl ipl-list" }, html("div", { class: "ipl-toolbar" }, field, count), html("div", { class: "ipl-rows" }, table));

  const sort = (/** @type {number} */ column) => {
    const again = model.get("sorted_by") === column;
    model.set("descending", again && !model.get("descending"));
    model.set("sorted_by", column);
    model.save_changes();
  };

  const drawHeads = () => {
    heads.replaceChildren(
      ...list.heads.map((head, column) => {
        const chosen = model.get("sorted_by") === column;
        const direction = model.get("descending") ? "descending" : "ascending";
        const button = html("button", { type: "button" }, ...worded(say(head)), chosen ? (model.get("descending") ? " ▼" : " ▲") : "");
        button.addEventListener("click", () => sort(column));
        return html("th", { scope: "col", ...(chosen ? { "aria-sort": direction } : {}) }, button);
      }),
    );
  };

  const drawRows = () => {
    const all = list.rows.map((row) => row.map(say));
    const rows = sorted(filtered(all, model.get("words")), model.get("sorted_by"), model.get("descending"));
    body.replaceChildren(
      ...rows.map((row) => html("tr", {}, ...row.map((cell, k) => html(k ? "td" : "th", k ? {} : { scope: "row" }, ...worded(cell))))),
    );
    count.value = say(list.count).replace("{shown}", String(rows.length)).replace("{all}", String(all.length));
  };

  const draw = () => {
    caption.replaceChildren(...worded(say(list.title)));
    field.setAttribute("aria-label", say(list.filter));
    field.placeholder = say(list.filter);
    if (field.value !== model.get("words")) field.value = model.get("words");
    root.lang = model.get("language") === "zh" ? "zh-Hans" : "en";
    const focused = [...heads.querySelectorAll("button")].findIndex((button) => button === document.activeElement);
    drawHeads();
    if (focused >= 0) heads.querySelectorAll("button")[focused].focus();
    drawRows();
  };

  field.addEventListener("input", () => {
    model.set("words", field.value);
    model.save_changes();
  });
  // In a field with words, the browser's Escape clears it.
  root.addEventListener("keydown", ({ key, target, isComposing }) => {
    if (key === "Escape" && !isComposing && !(target === field && field.value)) focusCell(root);
  });
  keepShortcutsAway(root);
  const traits = ["language", "words", "sorted_by", "descending"];
  for (const trait of traits) model.on(`change:${trait}`, draw);
  el.append(root);
  draw();
  return () => traits.forEach((trait) => model.off(`change:${trait}`, draw));
}

export default { render };
