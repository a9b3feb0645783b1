// Arranges the panels in panes: some beside the code, the others below, one at a time if there is no room for more.

import { html } from "./dom.js";
import { walkGrid } from "./grid_keys.js";
import { walkItems } from "./highlighting.js";
import { ON_AXIS, SHRUNK, USUAL_ROOM } from "./layout.js";
import { drawLenses } from "./lens.js";
import { drawPanel } from "./panel.js";
import { bringingIntoSight, lastEdge, leaveOutCut, leaveOutRows } from "./scrolling.js";
import { placeOf, seenAt, speak, stepAt } from "./steps.js";
import { drawZoom, facesOf } from "./zoom.js";
/** @import { Part, Stage } from "./stage.js" */
/** @import { Panel, Said } from "./steps.js" */

// The button that opens the folded part of a panel. Everything else keeps its place.

/** Draws a button with a note of what is folded. @param {Stage} stage @param {Said} says @param {(open: boolean) => void} unfold */
export function drawUnfold(stage, says, unfold) {
  const root = html("button", { type: "button", class: "ipl-unfold", "aria-expanded": "false" });
  root.addEventListener("click", () => {
    const open = root.getAttribute("aria-expanded") !== "true";
    root.setAttribute("aria-expanded", String(open));
    unfold(open);
    stage.show();
  });
  const translate = () => (root.textContent = speak(says, stage.language));
  return { root, translate };
}

// Arranges the panels in panes: some beside the code, the others below, one at a time if there is no room for more.

/** The panes in order, each with its panels from top to bottom. @type {Object<string, string[]>} */
const PANES = { kernel: ["kernel"], storages: ["storages"], graph: ["graph"], history: ["lanes", "memory", "ranks"], elements: ["elements"] };

/** So far above the name of a lane its words begin, and so far below it its flags end, in px. */
const LANE_ABOVE = 9;
const LANE_BELOW = 3;

/** The panes of the panels that a payload has. @param {Stage} stage @returns {Object<string, Part>} */
export function drawPanes(stage) {
  const { panels, joined = [] } = stage.payload;
  const drawn = Object.entries(PANES).map(([name, own]) => ({ name, panels: panels.filter((panel) => own.includes(panel.name)), joined: joined.filter((panel) => own.includes(panel.name)) }));
  return Object.fromEntries(drawn.filter(({ panels }) => panels.length).map(({ name, panels, joined }) => [name, drawPane(stage, name, panels, joined)]));
}

/** @param {Stage} stage @param {string} name @param {Panel[]} panels @param {Panel[]} joined  The same, drawn of statements. @returns {Part} */
function drawPane(stage, name, panels, joined) {
  const drawAll = (/** @type {Panel[]} */ all) => all.map((panel) => ({ name: panel.name, unfolds: panel.unfolds, ...drawPanel(panel, stage.payload) }));
  // Of a graph, which has several layouts, one is seen at a time.
  const ofEvents = drawAll(panels.flatMap(facesOf));
  const ofStatements = drawAll(joined.flatMap(facesOf));
  const drawn = [...ofEvents, ...ofStatements];
  const isByStatement = () => ofStatements.length > 0 && stage.mode === "line";
  const seen = () => (isByStatement() ? ofStatements : ofEvents).filter((panel) => !panel.root.hasAttribute("hidden"));
  const onAxis = drawn.every((panel) => ON_AXIS.has(panel.name));
  // A pane with a single panel has the name of that panel.
  const title = panels.length === 1 ? drawn[0].name : name;
  const root = html("div", { class: `ipl-pane ipl-${name}`, tabindex: "0", role: "group" }, ...drawn.flatMap((panel) => panel.parts));
  if (name === "elements") walkGrid(stage, root);
  // The width that the pane would need.
  stage.root.style.setProperty(`--ipl-${name}`, `${Math.max(...[ofEvents, ofStatements].flatMap(([first]) => (first ? [first.width()] : []))) + 28}px`);
  const lenses = name === "storages" ? drawn.map((panel) => drawLenses(stage, root, panel)) : [];
  const zoom = name === "graph" ? drawZoom(stage, root, panels[0], showFitting) : null;
  if (zoom) root.prepend(zoom.root);
  // Among threads, the arrow keys go from warp to warp.
  if (name !== "kernel") walkItems(stage, root, () => seen().flatMap((panel) => panel.items()));
  // The head of the lanes stays visible while the lanes are scrolled.
  const head = drawn.find((panel) => panel.name === "lanes")?.root.lastElementChild;
  if (head) root.addEventListener("scroll", () => head.setAttribute("transform", `translate(0 ${Math.max(0, root.scrollTop - 6)})`));
  if (onAxis) for (const panel of drawn) panel.root.addEventListener("click", (event) => goTo(stage, panel, event));

  const buttons = drawn.flatMap(({ unfolds, unfold }) => (unfolds ? [drawUnfold(stage, unfolds.says, unfold)] : []));
  for (const { root: button } of buttons) root.append(button);

  /** What is seen of events in some room: the pane needs as much as the whole of a graph, whatever is open. @param {number} room */
  const ofEventsIn = (room) => (zoom ? [ofEvents[zoom.wholeIn(room)]] : ofEvents);

  /** The room for drawings, in px of theirs. @param {{across: number}} framed @param {number} by */
  const roomIn = ({ across }, by) => (root.clientWidth - across) / by;

  /** The layout of a graph that is seen. */
  let face = 0;

  /** Of a graph, shows the layout for the room that there is, or for the box that was opened. */
  function showFitting() {
    const framed = frame();
    face = zoom?.faceIn(roomIn(framed, framed.large)) ?? 0;
    show();
  }

  /** Where steps are statements, their pictures are shown instead of those of the events. */
  function showMode() {
    const shown = isByStatement() ? ofStatements : ofEvents;
    for (const faces of [ofEvents, ofStatements]) {
      faces.forEach((panel, k) => {
        if (zoom) panel.root.toggleAttribute("hidden", faces !== shown || k !== face);
        for (const part of panel.parts) part.toggleAttribute("data-away", faces !== shown);
      });
    }
  }

  /** @type {Element[]} */
  let changed = [];
  let isBehind = false;

  /** A closed pane is not updated until it is opened, or until the page is wide enough for it. */
  function isSeen() {
    const seen = getComputedStyle(root).visibility !== "hidden";
    isBehind = !seen;
    return seen;
  }

  function show() {
    showMode();
    zoom?.show();
    const step = isByStatement() ? stage.stops[placeOf(stage.step, stage.stops)] : stage.step;
    changed = seen().flatMap((panel) => panel.show(step, stage.language, stage.followed.storages));
    for (const lens of lenses) lens.show();
  }

  function translate() {
    root.setAttribute("aria-label", stage.word(title));
    for (const button of buttons) button.translate();
    // The picture does not repeat the name of the pane.
    for (const panel of drawn) panel.translate(stage.language, stage.word(panels.length > 1 ? panel.name : "picture"));
  }

  /** The space that this pane needs besides its drawings, the scale of the drawings, for readers far from a projector, and the part of
   * all steps that should be visible without scrolling. */
  function frame() {
    const style = getComputedStyle(root);
    // A pane that is not in the page yet has no style.
    const sum = (/** @type {string[]} */ ...sides) => sides.reduce((sum, side) => sum + (parseFloat(style.getPropertyValue(`padding-${side}`)) || 0), 0);
    return { across: sum("left", "right"), down: sum("top", "bottom"), large: Number(style.getPropertyValue("--ipl-large")) || 1, part: Number(style.getPropertyValue("--ipl-part")) || 1, legible: Number(style.getPropertyValue("--ipl-legible")) };
  }

  /** How drawings at a given scale fit: none is smaller than its words can be read, but on a screen so narrow that something would be cut.
   * @param {{part: number, legible: number, across: number}} framed @param {number} by */
  function fitting(framed, by) {
    const { part, legible } = framed;
    const least = roomIn(framed, by) < USUAL_ROOM ? SHRUNK : Math.max(SHRUNK, 1 / by);
    return { part, shrunk: legible ? Math.min(1, legible / by) : least, isWhole: legible > 0 };
  }

  /** The height that it needs to show every step as a whole, in px, at a given scale. @param {number} [size]
   * @param {number} [most]  If given, all storages may be folded but one: the highest with which the pane is at most this high. */
  function need(size, most) {
    const framed = frame();
    const { down, large } = framed;
    const by = size ?? large;
    const around = down + root.offsetHeight - root.clientHeight;
    const left = most && (most - around) / by;
    // The pictures of events and of statements have the same room, so that nothing moves between them.
    const heightOf = (/** @type {typeof drawn} */ of) => of.reduce((sum, panel) => sum + panel.sizeIn(roomIn(framed, by), fitting(framed, by), left).height * by, 0);
    return Math.ceil(around + Math.max(heightOf(ofEventsIn(roomIn(framed, by))), heightOf(ofStatements)));
  }

  /** Whether something would be cut off at its side. @param {number} size */
  function isCut(size) {
    const framed = frame();
    const room = roomIn(framed, size);
    return [...ofEventsIn(room), ...ofStatements].some((panel) => panel.sizeIn(room, fitting(framed, size)).width > room + 1);
  }

  // An axis shows every step, and a launch is always the same: nothing needs to be scrolled into view.
  function settle() {
    if (onAxis) {
      leaveOutPanels();
      leaveOut();
    }
    if (onAxis || name === "kernel") return undefined;
    const scroll = bringingIntoSight(root, stage.outlined?.length ? stage.outlined : changed, name !== "graph");
    return () => {
      scroll?.();
      leaveOut();
    };
  }

  /** On a projector, the panels on an axis that there is no room for are left out; the first never is. */
  function leaveOutPanels() {
    const { down, legible } = frame();
    let left = root.clientHeight - down;
    for (const [k, panel] of drawn.entries()) {
      panel.root.removeAttribute("data-left-out");
      left -= panel.root.getBoundingClientRect().height;
      panel.root.toggleAttribute("data-left-out", k > 0 && legible > 0 && left < 0);
    }
  }

  /** Nothing is cut at an edge: on a projector no node; elsewhere no row of the table, and no lane. */
  function leaveOut() {
    const isPresent = frame().legible > 0;
    leaveOutCut(root, isPresent);
    if (name === "storages" && !isPresent) leaveOutRows(root, [...root.querySelectorAll("svg:not([data-away]) > [data-table]:not([hidden])")]);
    for (const panel of seen()) if (panel.name === "lanes") leaveOutLanes(panel.root, isPresent);
  }

  /** @param {Element & ElementCSSInlineStyle} drawing @param {boolean} isPresent */
  function leaveOutLanes(drawing, isPresent) {
    const { bottom, height } = drawing.getBoundingClientRect();
    const by = height / Number(drawing.getAttribute("height"));
    // A lane is as high as what stands around its name.
    const rows = [...drawing.querySelectorAll('text[x="0"]')].map((text) => text.getBoundingClientRect()).map((box) => ({ top: box.top - LANE_ABOVE * by, bottom: box.bottom + LANE_BELOW * by }));
    const hidden = isPresent ? 0 : Math.max(0, bottom - lastEdge(root, rows));
    drawing.style.clipPath = hidden ? `inset(0 0 ${(100 * hidden) / height}% 0)` : "";
  }

  root.addEventListener("scroll", leaveOut);

  /** Adapts to the room, and draws what has changed while it was closed. */
  function fit() {
    const framed = frame();
    const { down, large } = framed;
    // Measured before anything changes.
    const [room, kept, height] = [roomIn(framed, large), fitting(framed, large), (root.clientHeight - down) / large];
    for (const panel of drawn) panel.fit(room, kept, height);
    if (isBehind && !isSeen()) return;
    showFitting();
    settle()?.();
  }

  new ResizeObserver(fit).observe(root);

  return {
    root,
    isSeen,
    need,
    isCut,
    fit,
    show,
    settle,
    translate,
    highlight: (wanted) => drawn.forEach((panel) => panel.highlight(wanted, stage.selection, stage.followed.keys)),
    // A row of the table of storages.
    open: (key) => void (seen().some((panel) => panel.toggle(key)) && stage.show()),
    holderAt: (at) => drawn[0].holderAt(at),
    linksOf: (key) => drawn.flatMap((panel) => panel.linksOf(key)),
    // On an axis, everything is shown from the beginning.
    firstStep: (key) => (onAxis ? -1 : Math.max(...drawn.map((panel) => panel.firstStep(key)))),
    raisedAt: (key) => Math.max(...seen().map((panel) => panel.raisedAt(key, stage.step))),
  };
}

/** A click on an axis goes to that step, unless it is on a pin or on a raised version.
 * @param {Stage} stage @param {{root: Element, stretch: () => number}} drawing @param {MouseEvent} event */
function goTo(stage, { root, stretch }, event) {
  const { steps } = stage.payload;
  const { left, spacing } = stage.payload.axis;
  const axis = { left, spacing: spacing * stretch() };
  const box = root.getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * Number(root.getAttribute("width"));
  const leadsElsewhere = /** @type {Element} */ (event.target).closest('[data-k^="p"], [data-k^="step:"]');
  if (leadsElsewhere || x < axis.left - axis.spacing) return;
  stage.go(seenAt(stepAt(x, axis, steps.length), steps));
  event.stopPropagation();
}

/** Tabs over panes that share one room. @param {Stage} stage @param {Object<string, Part>} panes @param {string} first @returns {Part} */
export function drawTabs(stage, panes, first) {
  /** @type {Object<string, HTMLElement>} */
  const tabs = {};
  for (const name of Object.keys(panes)) {
    tabs[name] = html("button", { type: "button", class: "ipl-tab", "data-pane": name });
    tabs[name].addEventListener("click", () => open(name));
  }
  const root = html("div", { class: "ipl-chooser", role: "group" }, ...Object.values(tabs));

  /** @param {string} wanted  A pane, or a panel in one. */
  function open(wanted) {
    const name = Object.keys(panes).find((pane) => pane === wanted || PANES[pane].includes(wanted));
    if (!name) return;
    for (const key of Object.keys(panes)) {
      panes[key].root.classList.toggle("ipl-closed", key !== name);
      tabs[key].setAttribute("aria-pressed", String(key === name));
    }
    stage.show();
  }

  function translate() {
    root.setAttribute("aria-label", stage.word("views"));
    for (const name of Object.keys(tabs)) tabs[name].textContent = stage.word(name);
  }

  open(Object.hasOwn(panes, first) ? first : Object.keys(panes)[0]);
  return { root, translate, open };
}
