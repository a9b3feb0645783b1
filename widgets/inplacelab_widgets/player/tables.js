// "Read as table": the same facts as plain HTML tables, for screen readers and for whoever prefers them.

import { html } from "./elements.js";
import { valueAt } from "./runs.js";
import { speak } from "./words.js";

/** @param {Stage} stage @returns {Part} */
export function drawTables(stage) {
  const { tables, said } = stage.payload;
  const summary = html("summary", {});
  const holder = html("div", { class: "ipl-tables" });
  const root = /** @type {HTMLDetailsElement} */ (html("details", { class: "ipl-details" }, summary, holder));
  root.addEventListener("toggle", show);

  function show() {
    if (!root.open) return;
    const filled = tables.filter((table) => Object.values(table.rows).some((runs) => valueAt(runs, stage.step)));
    holder.replaceChildren(...filled.map(one));
  }

  /** @param {Table} table */
  function one(table) {
    const head = html("tr", {}, ...table.columns.map((column) => html("th", { scope: "col" }, speak(column, stage.language))));
    const rows = Object.entries(table.rows)
      .map(([key, runs]) => ({ key, cells: valueAt(runs, stage.step) }))
      .filter((row) => row.cells)
      .map((row) => line(row.key, (row.cells ?? []).map((cell) => said[cell])));
    const caption = html("caption", {}, speak(table.title, stage.language));
    return html("table", {}, caption, html("thead", {}, head), html("tbody", {}, ...rows));
  }

  /** @param {string} key @param {Said[]} cells */
  function line(key, cells) {
    const [name, ...rest] = cells.map((cell) => speak(cell, stage.language));
    // A button, so that the keyboard can ask "which part of the picture is this?".
    const pointer = html("button", { type: "button", class: "ipl-pointer", "data-k": key }, name);
    pointer.addEventListener("focus", () => stage.point("keyboard", key));
    pointer.addEventListener("blur", () => stage.point("keyboard", ""));
    return html("tr", {}, html("th", { scope: "row" }, pointer), ...rest.map((cell) => html("td", {}, cell)));
  }

  const translate = () => (summary.textContent = stage.word("tables"));
  return { root, show, translate };
}
