// "Read as a table": the same facts as plain HTML tables, for screen readers and for readers who prefer them.

import { html } from "./elements.js";
import { isItem } from "./panel.js";
import { valueAt } from "./runs.js";
import { speak } from "./words.js";
/** @import { Said, Table } from "./runs.js" */
/** @import { Part, Stage } from "./stage.js" */

/** A switch, and the tables, which are below everything else, since their height depends on the step.
 * @param {Stage} stage @returns {Part & {holder: HTMLElement}} */
export function drawTables(stage) {
  const { tables, said } = stage.payload;
  const root = html("button", { type: "button", class: "ipl-unfold ipl-as-table", "aria-expanded": "false" });
  const holder = html("div", { class: "ipl-tables", hidden: "" });
  root.addEventListener("click", () => {
    holder.toggleAttribute("hidden");
    root.setAttribute("aria-expanded", String(!holder.hidden));
    show();
  });

  function show() {
    if (holder.hidden) return;
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
    const others = rest.map((cell) => html("td", {}, cell));
    // Bytes have no marks to point at.
    if (!isItem(key)) return html("tr", {}, html("th", { scope: "row" }, name), ...others);
    // A button, so that the keyboard can ask "which part of the picture is this?".
    const pointer = html("button", { type: "button", class: "ipl-pointer", "data-k": key }, name);
    pointer.addEventListener("focus", () => stage.point("keyboard", key));
    pointer.addEventListener("blur", () => stage.point("keyboard", ""));
    return html("tr", {}, html("th", { scope: "row" }, pointer), ...others);
  }

  const translate = () => (root.textContent = stage.word("tables"));
  return { root, holder, show, translate };
}
