// Shows a graph as wide as there is room, or what one of its boxes opens into.

import { html, write } from "./dom.js";
import { fill, paired, speak, valueAt } from "./steps.js";
/** @import { Stage } from "./stage.js" */
/** @import { Panel } from "./steps.js" */

/** What a box opens into, from its keys; -1 if it does not open. @param {string} keys */
export const openingOf = (keys) => Number(/\bbox:(\d+)/.exec(keys)?.[1] ?? -1);

/** The first layout that fits, the widest first; if none does, the last. @param {number[]} widths @param {number} room */
export function fitting(widths, room) {
  const at = widths.findIndex((width) => width <= room);
  return at < 0 ? widths.length - 1 : at;
}

/** The layouts of a whole graph, the widest first. @param {Panel} panel @returns {Panel[]} */
const wholesOf = (panel) => [panel, ...(panel.narrower ?? [])];

/** All layouts of a graph: its own, then those that its boxes open into. @param {Panel} panel @returns {Panel[]} */
export const facesOf = (panel) => [...wholesOf(panel), ...(panel.opens ?? []).map((each) => each.panel)];

/** The boxes that a step is about, the most urgent first, and any other. */
const TELLING = [".ipl-failed", ".ipl-unpacking", ".ipl-running", ".ipl-arrived", ".ipl-new", ""];

/** @param {Stage} stage @param {HTMLElement} pane @param {Panel} panel @param {() => void} changed  Called when another layout is shown. */
export function drawZoom(stage, pane, panel, changed) {
  const { payload } = stage;
  const opens = panel.opens ?? [];
  const whole = wholesOf(panel);
  const back = html("button", { type: "button", class: "ipl-zoom-out" });
  const note = html("p", { class: "ipl-graph-note" });
  const root = html("div", { class: "ipl-overview", hidden: "" }, back, note);
  const notes = paired(panel.notes ?? []);
  /** What is open; -1 for the whole graph. */
  let open = -1;

  /** @param {number} number */
  function go(number) {
    open = number;
    changed();
    pane.scrollTo(0, 0);
    stage.announce(open < 0 ? stage.word("graph") : titleOf(open));
  }
  const titleOf = (/** @type {number} */ number) => speak(payload.said[opens[number].says], stage.language);
  const out = () => go(opens[open].within ?? -1);

  back.addEventListener("click", out);
  pane.addEventListener("click", (event) => {
    const number = openingOf(/** @type {Element} */ (event.target).closest("[data-k]")?.getAttribute("data-k") ?? "");
    if (number < 0) return;
    event.stopPropagation();
    go(number);
  });
  pane.addEventListener("keydown", (event) => {
    if (event.target !== pane || event.ctrlKey || event.altKey || event.metaKey) return;
    const isOut = open >= 0 && ["-", "Escape", "Backspace"].includes(event.key);
    const here = pane.querySelector("[data-here]");
    const all = TELLING.flatMap((state) => [...pane.querySelectorAll(`svg:not([hidden]) .ipl-node[data-k*="box:"]${state}:not([hidden])`)]);
    const box = event.key === "+" ? (here ?? all[0]) : event.key === "Enter" ? here : null;
    const number = openingOf(box?.getAttribute("data-k") ?? "");
    if (isOut) out();
    else if (number >= 0) go(number);
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  });

  /** The layout of the whole graph for some room, and the one that is seen. @param {number} room */
  const wholeIn = (room) => {
    const there = whole.slice(fitting(whole.map(({ width }) => width), room));
    // On a projector, where nothing is scrolled, that which needs the least height.
    const best = stage.root.classList.contains("ipl-present") ? there.reduce((one, other) => (other.height < one.height ? other : one)) : there[0];
    return whole.indexOf(best);
  };
  const faceIn = (/** @type {number} */ room) => (open < 0 ? wholeIn(room) : whole.length + open);

  function show() {
    const said = speak(payload.said[valueAt(notes, stage.step) ?? -1], stage.language);
    root.toggleAttribute("hidden", open < 0 && !said);
    back.toggleAttribute("hidden", open < 0);
    if (open >= 0) write(back, fill(stage.word("zoom_out"), { name: speak(payload.said[opens[opens[open].within ?? -1]?.says ?? -1], stage.language) || stage.word("graph") }));
    write(note, open < 0 ? said : titleOf(open));
    pane.classList.toggle("ipl-blank", said !== "");
  }

  return { root, show, wholeIn, faceIn };
}
