// Highlights and selects items of the picture: with the pointer, and with the arrow keys inside a pane.

import { firstOf } from "./panel.js";
import { scrollIntoPane } from "./scrolling.js";
import { speak, valueAt } from "./steps.js";
/** @import { Stage } from "./stage.js" */

/** The words of an item's row in the tables, or "". @param {Stage} stage @param {string} key */
export function describe({ payload, step, language }, key) {
  for (const { rows } of payload.tables) {
    const cells = Object.hasOwn(rows, key) ? valueAt(rows[key], step) : null;
    if (cells) return cells.map((cell) => speak(payload.said[cell], language)).filter(Boolean).join(" · ");
  }
  return "";
}

/** Highlights what the pointer is on, and selects it on a click. @param {Stage} stage */
export function followPointer(stage) {
  let rest = "";
  stage.root.addEventListener("pointermove", (event) => {
    // When the page scrolls under a resting pointer, the browser reports a move to the same place: ignore it.
    const place = `${event.clientX} ${event.clientY}`;
    if (place === rest) return;
    rest = place;
    stage.point("pointer", keysUnder(event));
  });
  stage.root.addEventListener("pointerleave", () => stage.point("pointer", ""));
  stage.root.addEventListener("click", (event) => {
    const key = keyHere(stage, keysUnder(event));
    if (key) stage.visit(key);
  });
}

/** The key of a mark at this step: a box of the graph shows many nodes, and the tables list those that exist.
 * @param {Stage} stage @param {string} keys */
function keyHere(stage, keys) {
  const nodes = keys.split(" ").filter((key) => key.startsWith("n"));
  const first = firstOf(keys);
  return first.startsWith("n") ? (nodes.find((key) => describe(stage, key)) ?? first) : first;
}

/** @param {Event} event */
function keysUnder(event) {
  return /** @type {Element} */ (event.target).closest("[data-k]")?.getAttribute("data-k") ?? "";
}

/** Handles the arrow keys and Enter inside a pane: the pane keeps the focus, and one of its items is current.
 * @param {Stage} stage @param {HTMLElement} pane @param {() => {key: string, element: Element}[]} items */
export function walkItems(stage, pane, items) {
  let here = "";

  /** @param {1 | -1} direction */
  function walk(direction) {
    const there = items();
    if (!there.length) return;
    const now = there.findIndex(({ key }) => key === here);
    const next = now < 0 ? (direction > 0 ? 0 : there.length - 1) : Math.max(0, Math.min(there.length - 1, now + direction));
    stand(there[next]);
  }

  /** @param {{key: string, element: Element}} item */
  function stand({ key, element }) {
    leave();
    here = key;
    element.setAttribute("data-here", "");
    scrollIntoPane(pane, element);
    stage.point("keyboard", element.getAttribute("data-k") ?? key);
    stage.announce(describe(stage, keyHere(stage, element.getAttribute("data-k") ?? key)) || element.textContent || wordsOf(key));
  }

  /** The words of folded pins, which have no row in the tables. @param {string} key */
  const wordsOf = (key) => [...pane.querySelectorAll(`text[data-k="${key}"]:not([hidden])`)].map((line) => line.textContent).join(" · ");

  function leave() {
    here = "";
    for (const element of pane.querySelectorAll("[data-here]")) element.removeAttribute("data-here");
    stage.point("keyboard", "");
  }

  pane.addEventListener("blur", leave);
  pane.addEventListener("keydown", (event) => {
    if (event.target !== pane || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (event.key === "ArrowDown") walk(1);
    else if (event.key === "ArrowUp") walk(-1);
    else if (event.key === "Enter" && here) stage.visit(here);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

/** Handles a click on an item: a version leads to the step that raised it, a pin to its node, folded pins to a list of them, and a row of the table opens. Any other item is
 * selected, or deselected. @param {Stage} stage @param {string} key */
export function visitItem(stage, key) {
  const [, part, value] = /^pick:(\w+):(\d+)$/.exec(key) ?? [];
  if (part) return stage.pick({ [part]: Number(value) });
  if (key.startsWith("v")) {
    const raised = Math.max(-1, ...stage.parts.map((part) => part.raisedAt?.(key) ?? -1));
    if (raised >= 0) stage.go(raised);
    return;
  }
  if (key.startsWith("k")) return stage.list(key);
  if (key.startsWith("o")) return stage.open(key);
  const jump = /^step:(\d+)$/.exec(key)?.[1];
  if (jump !== undefined) return stage.go(Number(jump));
  const node = /^p(\d+):/.exec(key)?.[1];
  if (node !== undefined) stage.open("graph");
  const kept = node === undefined ? key : `n${node}`;
  stage.choose("selection", stage.selection === kept ? "" : kept);
}
