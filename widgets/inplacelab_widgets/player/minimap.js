// A small map of the whole graph, above a graph too large for its pane: the progress of backward, and the visible part.

import { html, put, svg, write } from "./dom.js";
import { paired, speak, valueAt } from "./steps.js";
/** @import { Stage } from "./stage.js" */
/** @import { Panel, Payload } from "./steps.js" */

/** The greatest height of a minimap, in px, at the scale of a notebook. It is as wide as its pane. */
const TALLEST = 30;
/** A graph has no map if it is at most this many times as large as its pane. */
const WIDE = 1.3;
const HIGH = 3;
/** A map that would fill less than this part of its width, because the graph is high, is not drawn. */
const NARROWEST = 0.15;
/** The least height of a pane, in px, in which a graph is scrolled up and down under its map: in a lower one, the map would cover half of it. */
const LOWEST = 150;
/** The least size of a dot, in px. */
const SMALLEST = 3;

/** The states that a dot can show, the most urgent first. */
const STATES = ["failed", "unpacking", "running", "arrived", "new", "ready", "done", "waiting", "unreached"];

/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {Box & {runs: [number, number][]}} Dot */

/** The boxes of a graph, with their looks over the steps. @param {Panel} panel @param {Payload} payload @returns {Dot[]} */
export function dotsOf(panel, { looks, styles }) {
  const isBox = (/** @type {number} */ look) => look >= 0 && styles[looks[look][0]].split(" ").includes("ipl-node");
  return panel.groups.flatMap((group) =>
    group.marks
      .map(([tag, place, runs = []]) => ({ tag, place, runs: paired(runs) }))
      .filter(({ tag, runs }) => tag === "rect" && runs.some(([, look]) => isBox(look)))
      .map(({ place, runs }) => ({
        x: group.x + Number(place.x),
        y: group.y + Number(place.y),
        width: Number(place.width),
        height: Number(place.height),
        runs,
      })),
  );
}

/** The state of a dot at a step: one of STATES, "plain", or "" while it is not shown. @param {Dot} dot @param {number} step @param {Payload} payload */
export function stateOf(dot, step, { looks, styles }) {
  const look = valueAt(dot.runs, step) ?? -1;
  if (look < 0) return "";
  const names = new Set(styles[looks[look][0]].split(" "));
  return STATES.find((state) => names.has(`ipl-${state}`)) ?? "plain";
}

/** The scale of the map. @param {{width: number, height: number}} graph @param {number} room @param {number} [large]  The scale of the graph. */
export function scaleOf(graph, room, large = 1) {
  return Math.min(large, room / graph.width, (TALLEST * large) / graph.height);
}

/** Whether a graph needs a map. @param {{width: number, height: number}} graph @param {number} room @param {number} high  The height of the pane. */
export function isOfUse(graph, room, high) {
  const isLarge = graph.width > WIDE * room || graph.height > HIGH * high;
  const isCovered = high < LOWEST && graph.height > high;
  return room > 0 && isLarge && !isCovered && graph.width * scaleOf(graph, room) >= NARROWEST * room;
}

/** A box on the map, at least as large as a dot. @param {Box} box @param {number} scale @returns {Box} */
export function onMap(box, scale) {
  const width = Math.max(SMALLEST, box.width * scale);
  const height = Math.max(SMALLEST, box.height * scale);
  return { x: box.x * scale, y: box.y * scale, width, height };
}

/** The scroll position of a pane after a key on its map; null if the key is not for the map.
 * @param {string} key @param {{left: number, top: number, width: number, height: number}} view what is seen
 * @param {{width: number, height: number}} graph */
export function scrolledBy(key, view, graph) {
  /** @type {Object<string, number[]>} */
  const by = { ArrowLeft: [-0.5, 0], ArrowRight: [0.5, 0], ArrowUp: [0, -0.5], ArrowDown: [0, 0.5], Home: [-Infinity, 0], End: [Infinity, 0] };
  if (!Object.hasOwn(by, key)) return null;
  const [across, down] = by[key];
  const within = (/** @type {number} */ at, /** @type {number} */ most) => Math.max(0, Math.min(Math.max(most, 0), at));
  return {
    left: within(view.left + across * view.width, graph.width - view.width),
    top: within(view.top + down * view.height, graph.height - view.height),
  };
}

let maps = 0;

/** Draws the map of `panel`, which `pane` scrolls, with a note of what is folded or cut.
 * @param {Stage} stage @param {HTMLElement} pane @param {Panel} panel */
export function drawMinimap(stage, pane, panel) {
  const { payload } = stage;
  const dots = dotsOf(panel, payload).map((dot) => ({ dot, element: svg("rect"), state: "" }));
  const frame = svg("rect", { class: "ipl-map-view", rx: 2 });
  const drawing = svg("svg", { "aria-hidden": "true" });
  drawing.append(...dots.map(({ element }) => element), frame);
  pane.id ||= `ipl-map-${(maps += 1)}`;
  const map = html("div", { class: "ipl-map", tabindex: "0", role: "scrollbar", "aria-orientation": "horizontal", "aria-controls": pane.id, "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": 0 }, drawing);
  const note = html("p", { class: "ipl-map-note" });
  const root = html("div", { class: "ipl-overview" }, map, note);
  const notes = paired(panel.notes ?? []);
  const isNoted = notes.some(([step, said]) => payload.said[said]?.length && dots.some(({ dot }) => stateOf(dot, step, payload)));
  let scale = 1;
  let large = 1;

  /** The size of the graph. On a projector it is enlarged, and so is its map. */
  function zoom() {
    const graph = pane.querySelector(":scope > svg:not([hidden])");
    return (graph?.getBoundingClientRect().width || panel.width) / panel.width;
  }

  /** Fits the map to its pane; hides it if the whole graph is visible. */
  function fit() {
    const room = pane.clientWidth - 16;
    large = zoom();
    const isShown = isOfUse(panel, room / large, pane.clientHeight / large);
    map.toggleAttribute("hidden", !isShown);
    if (!isShown) return;
    scale = scaleOf(panel, room, large);
    drawing.setAttribute("width", String(panel.width * scale));
    drawing.setAttribute("height", String(Math.max(SMALLEST, panel.height * scale)));
    for (const { dot, element } of dots) place(element, onMap(dot, scale));
    follow();
  }

  /** Shows the visible part of the graph. */
  function follow() {
    const [x, y, wide, high] = [pane.scrollLeft, pane.scrollTop, pane.clientWidth, pane.clientHeight].map((length) => length / large);
    const width = Math.min(wide, panel.width);
    place(frame, { x: x * scale, y: y * scale, width: width * scale, height: Math.min(high, panel.height) * scale });
    const most = panel.width - width;
    map.setAttribute("aria-valuenow", String(most > 0 ? Math.round((100 * x) / most) : 0));
  }

  map.addEventListener("keydown", (event) => {
    const view = { left: pane.scrollLeft, top: pane.scrollTop, width: pane.clientWidth, height: pane.clientHeight };
    const to = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey ? null : scrolledBy(event.key, view, { width: panel.width * large, height: panel.height * large });
    if (!to) return;
    pane.scrollTo(to);
    event.preventDefault();
    // On the map the arrow keys scroll; everywhere else they step.
    event.stopPropagation();
  });
  map.addEventListener("click", (event) => {
    const box = drawing.getBoundingClientRect();
    const left = ((event.clientX - box.left) / scale) * large - pane.clientWidth / 2;
    pane.scrollTo({ left, top: ((event.clientY - box.top) / scale) * large - pane.clientHeight / 2 });
    event.stopPropagation();
  });
  pane.addEventListener("scroll", follow);
  new ResizeObserver(fit).observe(pane);

  function show() {
    for (const each of dots) {
      const state = stateOf(each.dot, stage.step, payload);
      if (state !== each.state) each.element.setAttribute("class", state && `ipl-dot ipl-dot-${state}`);
      each.state = state;
    }
    pane.classList.toggle("ipl-blank", dots.every(({ state }) => !state));
    write(note, speak(payload.said[valueAt(notes, stage.step) ?? -1], stage.language));
    put(map, "aria-label", stage.word("minimap"));
  }

  /** Its height while there is a graph; a note where there is none needs no space then. */
  const height = () => (pane.classList.contains("ipl-blank") && !isNoted ? 0 : root.offsetHeight);

  return { root, show, fit, height };
}

/** @param {Element} element @param {Box} box */
function place(element, box) {
  for (const [key, value] of Object.entries(box)) element.setAttribute(key, value.toFixed(1));
}
