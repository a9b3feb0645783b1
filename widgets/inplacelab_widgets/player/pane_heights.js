// Computes the heights of the panes: what their contents need over all steps, limited by the page. They are the same at all steps.

/** @import { Part, Stage } from "./stage.js" */

/** The height that a player may take in a notebook, in px and as a part of the window, so that on a laptop the cell above stays visible. */
const LAPTOP = 520;
const OF_WINDOW = 0.76;
/** The px that a player may take in addition, so that nothing is cut off; and how many times as much, so that no storage is. */
const LEEWAY = 40;
const FOR_STORAGES = 1.4;
/** The px below a player that fills the window. */
const MARGIN = 8;
/** On a projector, the height of a node of the graph with what stands around it, in px of the picture. */
const NODE = 100;
/** The part of the room for the panes below if there is not enough for all: a graph is looked at; of versions and bytes the storages have
 * the most important beside them. */
const LOWER = 0.3;
const LOWER_WITHOUT_GRAPH = 0.2;

/** The scales of pictures on a projector: the largest at which all are visible as a whole, or at least need no vertical scrolling.
 * If there is none, the pictures are scrolled, and have the least scale at which their words can be read. */
const SIZES = [2.2, 2, 1.85, 1.7, 1.6, 1.5, 1.4, 1.35, 1.3, 1.25, 1.2];
/** Those on a page of their own. */
const PAGE_SIZES = [1.5, 1.4, 1.3, 1.2, 1.1];
/** The height of the smallest words of a picture, and that on a screen of 1920 by 1080, in px; on a smaller one it is less. */
const SMALLEST_WORDS = 11;
const READABLE = 20;
const SCREEN = [1920, 1080];

/** The least scale of pictures on a projector. @param {number} width @param {number} height */
export function leastSize(width, height) {
  return Math.max(SIZES[SIZES.length - 1], (READABLE / SMALLEST_WORDS) * Math.min(1, width / SCREEN[0], height / SCREEN[1]));
}

/** The scale for all pictures. @param {(size: number) => number} need  The height of everything. @param {(size: number) => boolean} isCut  Whether something is cut off at its side.
 * @param {number} room @param {number} least */
export function sizeFor(need, isCut, room, least) {
  return largest(need, isCut, room, least) ?? [...SIZES, least].find((size) => size >= least && need(size) <= room) ?? least;
}

/** The largest scale at which everything is visible as a whole, if there is one. @param {(size: number) => number} need @param {(size: number) => boolean} isCut
 * @param {number} room @param {number} least */
function largest(need, isCut, room, least) {
  return [...SIZES.filter((size) => size > least), least].find((size) => need(size) <= room && !isCut(size));
}

/** Divides `room` between the panes above, which need `upper`, and those below, of which one is visible at a time. If there is not
 * enough, those below get at least their part, and a little more if another of them then fits; and those above get what the highest storage
 * needs that fits with a little more.
 * @param {number} upper @param {number[]} lowers @param {number} room @param {number} leeway @param {number} [lowest]  Their part.
 * @param {(most: number) => number} [highest] @returns {[number, number]} */
export function shared(upper, lowers, room, leeway, lowest = LOWER, highest = () => 0) {
  const lower = Math.max(0, ...lowers);
  if (upper + lower <= room + leeway) return [upper, lower];
  const part = Math.min(lower, Math.max(lowest * room, room - upper));
  const low = Math.max(part, ...lowers.filter((need) => need <= part + leeway));
  const high = Math.min(upper, room - part);
  return [Math.max(high, highest(room - low + FOR_STORAGES * leeway)), low];
}

/** Keeps the heights of the panes. @param {Stage} stage @param {{above: Part[], below: Part[], others: Part[]}} parts  The parts beside the code, below it, and around. */
export function keepRoom({ root, payload }, { above, below, others }) {
  // The elements, of which there may be many, get the remaining room.
  const telling = below.filter((part) => below.length < 2 || !part.root.matches(".ipl-elements"));
  /** @param {Part | undefined} part @param {number} size @param {number} [most] */
  const needOf = (part, size, most) => part?.need?.(size, most) ?? 0;
  const isCut = (/** @type {Part} */ part, /** @type {number} */ size) => part.isCut?.(size) ?? false;
  const isFolded = payload.panels.some((panel) => panel.table);
  const lowest = payload.opens === "graph" ? LOWER : LOWER_WITHOUT_GRAPH;
  const opened = below.find(({ root: pane }) => pane.matches(`.ipl-${payload.opens}`)) ?? below[0];
  const heightOf = (/** @type {Element} */ element) => element.getBoundingClientRect().height;

  function fit() {
    const isPresent = root.classList.contains("ipl-present");
    const fills = root.classList.contains("ipl-fills");
    const isAlone = fills || root.classList.contains("ipl-standalone");
    const edge = root.offsetHeight - root.clientHeight;
    // On a whole page the player has all but the margin, which is the same above and below if there is nothing else.
    const top = root.getBoundingClientRect().top + scrollY;
    // One that begins far down, as on a phone, is scrolled to, and then has the whole window.
    const taken = fills ? (top < innerHeight / 3 ? top : MARGIN) : top;
    const page = isPresent ? innerHeight : innerHeight - taken - (fills ? MARGIN : top);
    /** @type {(HTMLElement | null)[]} */
    const [code, storages] = [".ipl-codes, .ipl-code", ".ipl-storages"].map((name) => root.querySelector(name));
    // Above the storages, the code keeps its height.
    const isStacked = code && storages && code.offsetTop < storages.offsetTop;
    /** @param {number} size @param {number} [most] */
    const uppers = (size, most) => above.slice(isStacked ? -1 : 0).map((part) => needOf(part, size, most));
    /** @param {number} size @param {number} [most] */
    const upper = (size, most) => Math.max(0, ...uppers(size, most));
    const around = edge + 2 + (isStacked && (isPresent || isAlone) ? heightOf(code) : 0) + heightOfRows(others);
    const unscaled = telling.map((part) => needOf(part, 1));
    // The picture of a launch is read from top to bottom, so it is never scrolled automatically.
    const whole = payload.launches ? around + Math.max(...unscaled) : 0;
    const most = isPresent ? page : Math.max(LAPTOP, isAlone ? page : OF_WINDOW * innerHeight, whole);
    const room = Math.max(0, most - around);
    root.classList.remove("ipl-tight");
    if (!isPresent) root.style.removeProperty("--ipl-legible");
    if (!isPresent) enlargeOnPage(isAlone, upper, room);
    const needs = telling.map((part) => needOf(part, isPresent ? 1 : sizes[1]));
    const highest = (/** @type {number} */ within) => Math.max(0, ...uppers(sizes[0], within).filter((need) => need <= within));
    const [least, low] = isPresent ? enlarged(upper, room) : shared(upper(sizes[0]), needs, room, isAlone ? 0 : LEEWAY, lowest, highest);
    // On a page of their own, one more row of storages gets what is left over.
    const row = isAlone && !isPresent && isFolded ? upper(sizes[0], Infinity) : Infinity;
    const high = least + (room - least - low >= row ? row : 0);
    // A long program is seen whole if its lines are a little closer.
    if (isPresent && code && !isStacked) root.classList.toggle("ipl-tight", code.scrollHeight > high);
    const under = Math.floor(isAlone && !isPresent ? room - high : low);
    root.style.setProperty("--ipl-upper", `${Math.floor(high)}px`);
    root.style.setProperty("--ipl-under", `${under}px`);
    // As high as the highest pane, whichever is visible: closed panes are not laid out and have no height.
    root.style.setProperty("--ipl-row", `${Math.min(under, Math.max(0, ...needs))}px`);
  }

  /** The scales of the pictures above and below that are not on a projector. */
  let sizes = [1, 1];

  /** Enlarges the pictures on a page of their own, first those above, as far as all of them are visible as a whole. @param {boolean} isAlone
   * @param {(size: number) => number} upper @param {number} room */
  function enlargeOnPage(isAlone, upper, room) {
    const lower = (/** @type {number} */ size) => Math.max(0, ...telling.map((part) => needOf(part, size)));
    const most = (/** @type {(size: number) => number} */ need, /** @type {Part[]} */ parts) =>
      (isAlone && !payload.launches && PAGE_SIZES.find((size) => need(size) <= room && !parts.some((part) => isCut(part, size)))) || 1;
    sizes = [most((size) => upper(size) + lower(1), above), 1];
    sizes[1] = most((size) => upper(sizes[0]) + lower(size), telling);
    resize(above, sizes[0]);
    resize(below, sizes[1]);
  }

  /** Divides the room of a projector. The pane that is open below and those above are visible as a whole if possible, and each is drawn as large
   * as its room allows. @param {(size: number, most?: number) => number} upper @param {number} room @returns {[number, number]} */
  function enlarged(upper, room) {
    const least = leastSize(innerWidth, innerHeight);
    root.style.setProperty("--ipl-legible", String(least));
    const lower = (/** @type {number} */ size) => needOf(opened, size);
    const isCutAbove = (/** @type {number} */ each) => above.some((part) => isCut(part, each));
    const all = largest((each) => upper(each) + lower(each), (each) => isCutAbove(each) || (opened !== undefined && isCut(opened, each)), room, least);
    // If not everything can be seen, storages are folded so that the graph can; a graph that is too large even then is moved to the step.
    const isWhole = opened !== undefined && !isCut(opened, least) && lower(least) <= room - upper(least, Infinity);
    const lowestBelow = isWhole ? lower(least) : Math.min(lower(least), Math.max(NODE * least, room - upper(least)));
    const size = all ?? sizeFor(upper, isCutAbove, room - lowestBelow, least);
    const low = Math.max(all ? lower(size) : 0, Math.min(lower(size), room - upper(size)), below.length ? lowestBelow : 0);
    resize(above, Math.max(size, sizeFor(upper, isCutAbove, room - low, least)));
    for (const part of below) resize([part], sizeFor((each) => needOf(part, each), (each) => isCut(part, each), low, least));
    return [room - low, low];
  }

  /** Sets all sizes before it fits any part, which measures. @param {Part[]} parts @param {number} size */
  function resize(parts, size) {
    const others = parts.filter(({ root }) => root.style.getPropertyValue("--ipl-size") !== String(size));
    for (const { root } of others) root.style.setProperty("--ipl-size", String(size));
    for (const part of others) part.fit?.();
  }

  /** The total height, with parts side by side counted once. @param {Part[]} parts */
  function heightOfRows(parts) {
    const rows = new Map();
    for (const { root } of parts) {
      const { top, height } = root.getBoundingClientRect();
      rows.set(top, Math.max(rows.get(top) ?? 0, height));
    }
    return [...rows.values()].reduce((sum, height) => sum + height, 0);
  }

  new ResizeObserver(fit).observe(root);
  addEventListener("resize", fit);
  return { fit, stop: () => removeEventListener("resize", fit) };
}
