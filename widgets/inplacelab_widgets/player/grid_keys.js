// The arrow keys inside a grid of elements: Enter goes in, Escape goes out, Enter on an element selects it.

import { scrollIntoPane } from "./scrolling.js";
/** @import { Stage } from "./stage.js" */

/** @typedef {{key: string, x: number, y: number}} Cell */

/** The cell next to a cell in the drawing; the same cell if there is none. @param {Cell[]} cells @param {string} key @param {string} arrow */
export function neighbor(cells, key, arrow) {
  const here = cells.find((cell) => cell.key === key);
  if (!here) return key;
  /** @type {("x" | "y")[]} */
  const [along, across] = arrow === "ArrowLeft" || arrow === "ArrowRight" ? ["x", "y"] : ["y", "x"];
  const sign = arrow === "ArrowRight" || arrow === "ArrowDown" ? 1 : -1;
  const ahead = cells.filter((cell) => cell[across] === here[across] && sign * (cell[along] - here[along]) > 0);
  return ahead.sort((a, b) => sign * (a[along] - b[along]))[0]?.key ?? key;
}

const ARROWS = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]);

/** Must be called before `walkItems`, which moves from tensor to tensor. @param {Stage} stage @param {HTMLElement} pane */
export function walkGrid(stage, pane) {
  let here = "";

  /** The drawn elements of one tensor. @param {string} tensor */
  function cellsOf(tensor) {
    const drawn = [...pane.querySelectorAll(`rect[data-k^="${tensor}:"]:not([hidden])`)].filter((cell) => !cell.closest("g[hidden]"));
    return drawn.map((element) => ({ element, key: element.getAttribute("data-k") ?? "", x: Number(element.getAttribute("x")), y: Number(element.getAttribute("y")) }));
  }

  /** @param {string} key */
  function stand(key) {
    const found = cellsOf(key.split(":")[0]).find((cell) => cell.key === key);
    if (!found) return false;
    for (const element of pane.querySelectorAll("[data-here]")) element.removeAttribute("data-here");
    here = key;
    found.element.setAttribute("data-here", "");
    scrollIntoPane(pane, found.element);
    stage.point("keyboard", key);
    stage.announce(stage.reading());
    return true;
  }

  /** Goes from a tensor to its first element. */
  function enter() {
    const tensor = pane.querySelector("[data-here]")?.getAttribute("data-k")?.split(" ")[0] ?? "";
    const [first] = /^t\d+$/.test(tensor) ? cellsOf(tensor) : [];
    return first !== undefined && stand(first.key);
  }

  /** Handles a key; returns whether it was for the grid. @param {string} key */
  function take(key) {
    if (!here || !cellsOf(here.split(":")[0]).some((cell) => cell.key === here)) {
      here = "";
      return key === "Enter" && enter();
    }
    if (ARROWS.has(key)) return stand(neighbor(cellsOf(here.split(":")[0]), here, key));
    if (key === "Enter") stage.visit(here);
    else if (key === "Escape") out();
    return key === "Enter" || key === "Escape";
  }

  /** Goes back from an element to its tensor. */
  function out() {
    const [tensor] = here.split(":");
    here = "";
    for (const element of pane.querySelectorAll("[data-here]")) element.removeAttribute("data-here");
    pane.querySelector(`rect[data-k="${tensor}"]`)?.setAttribute("data-here", "");
    stage.point("keyboard", tensor);
  }

  pane.addEventListener("blur", () => (here = ""));
  pane.addEventListener("keydown", (event) => {
    if (event.target !== pane || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || !take(event.key)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  });
}
