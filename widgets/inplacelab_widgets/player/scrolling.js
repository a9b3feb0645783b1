// Scrolls what a step changed into view: only within its pane, never the page.

/** The duration of smooth scrolling, in ms. */
const GLIDE = 200;
/** A reader who scrolls in the meantime moves the pane by more than this, in px. */
const ASTRAY = 3;

/** The panes that scroll smoothly, and their targets. The browser's own smooth scrolling cannot be finished early, and positions measured
 * during it would be wrong. @type {WeakMap<Element, {to: {top: number, left: number}, frame: number}>} */
const glides = new WeakMap();

/** In a graph, this part of the pane is kept free around the target: its context is visible, and the next step does not scroll again. */
const AROUND = 0.3;
/** The height of the names above a node, in px. */
const NAMES = 16;

const STRONGEST = ".ipl-acting,.ipl-refused,.ipl-written,.ipl-unchanged,.ipl-inked,.ipl-failed,.ipl-checked,.ipl-was";

/** The distance to scroll so that the span from `low` to `high` is within `start` to `end`, with some space around it.
 * @param {number} low @param {number} high @param {number} start @param {number} end @param {number} [most]  The most space, in px. */
export function scrollNeeded(low, high, start, end, most = 26) {
  const air = Math.max(0, Math.min(most, (end - start - (high - low)) / 2));
  if (low < start + 1) return low - start - air;
  if (high > end - 1) return Math.min(high - end + air, low - start - air);
  return 0;
}

/** Returns a function that scrolls a pane so that what this step changed is visible: all of it, or if that does not fit, what was drawn last.
 * It measures now and scrolls when called, so that all panes can be measured before one of them moves. `isStacked`: blocks are one below
 * the other, and the changed block should be visible as a whole, or at least its head.
 * @param {HTMLElement} pane @param {Element[]} changed @param {boolean} isStacked @returns {(() => void) | undefined} */
export function bringingIntoSight(pane, changed, isStacked) {
  arrive(pane);
  const room = roomOf(pane);
  const strongest = changed.filter((element) => element.matches(STRONGEST));
  const sought = strongest.length ? strongest : changed;
  const boxes = boxesOf(sought);
  if (!room.height || !boxes.length) return undefined;
  const span = (/** @type {DOMRect[]} */ some) => ({
    top: Math.min(...some.map((box) => box.top)),
    bottom: Math.max(...some.map((box) => box.bottom)),
    left: Math.min(...some.map((box) => box.left)),
    right: Math.max(...some.map((box) => box.right)),
  });
  const all = span(boxes);
  const fits = all.bottom - all.top <= room.height && all.right - all.left <= room.width;
  let { top, bottom, left, right } = fits ? all : span(isStacked ? mostWithin(boxes, room.height) : boxes.slice(-1));
  const block = (isStacked && sought.at(-1)?.closest("svg > g")?.getBoundingClientRect()) || { top, bottom };
  const [above, below] = [Math.min(top, block.top), Math.max(bottom, block.bottom)];
  if (below - above <= room.height) [top, bottom] = [above, below];
  else if (block.bottom - block.top <= room.height) ({ top, bottom } = block);
  // In a block higher than its pane the strip comes first, unless the written slots are further down.
  else if (bottom - block.top <= room.height) top = Math.min(top, block.top);
  else if (!strongest.length) [top, bottom] = [block.top, block.top + room.height];
  if (!isStacked) top -= NAMES;
  const needed = {
    top: scrollNeeded(top, bottom, room.top, room.bottom, isStacked ? undefined : room.height * AROUND),
    left: scrollNeeded(left, right, room.left, room.right, room.width * AROUND),
  };
  return needed.top || needed.left ? () => scrollPane(pane, { top: pane.scrollTop + needed.top, left: pane.scrollLeft + needed.left }) : undefined;
}

/** The boxes in the span of this height that has the most of them as a whole: of several, the upper one, where a tensor is drawn in its own shape.
 * @template {{top: number, bottom: number}} Box @param {Box[]} boxes @param {number} height @returns {Box[]} */
export function mostWithin(boxes, height) {
  const from = (/** @type {number} */ top) => boxes.filter((box) => box.top >= top && box.bottom <= top + height);
  const found = boxes.map((box) => from(box.top)).filter((some) => some.length).sort((one, other) => other.length - one.length || one[0].top - other[0].top)[0];
  return found ?? boxes.slice(-1);
}

/** The places of the elements that are drawn. @param {Iterable<Element>} elements */
function boxesOf(elements) {
  return [...elements].map((element) => element.getBoundingClientRect()).filter((box) => box.width);
}

/** Finishes smooth scrolling, before anything is measured. @param {Element} pane */
export function arrive(pane) {
  const glide = glides.get(pane);
  if (!glide) return;
  cancelAnimationFrame(glide.frame);
  glides.delete(pane);
  pane.scrollTo(glide.to);
}

/** Scrolls a pane, smoothly if there is time and the reader has not asked for reduced motion.
 * @param {Element} pane @param {{top: number, left: number}} to */
export function scrollPane(pane, to) {
  arrive(pane);
  const from = { top: pane.scrollTop, left: pane.scrollLeft };
  if (pane.closest("[data-swift]") || !matchMedia("(prefers-reduced-motion: no-preference)").matches) return pane.scrollTo(to);
  const began = performance.now();
  let expected = from.top;
  const move = () => {
    const isAstray = Math.abs(pane.scrollTop - expected) > ASTRAY;
    const part = isAstray ? 1 : Math.min(1, (performance.now() - began) / GLIDE);
    const way = 1 - (1 - part) ** 3;
    if (!isAstray) pane.scrollTo({ top: from.top + way * (to.top - from.top), left: from.left + way * (to.left - from.left) });
    expected = pane.scrollTop;
    if (part < 1) glide.frame = requestAnimationFrame(move);
    else glides.delete(pane);
  };
  const glide = { to, frame: requestAnimationFrame(move) };
  glides.set(pane, glide);
}

/** @param {HTMLElement} pane @param {Element} element */
export function scrollIntoPane(pane, element) {
  arrive(pane);
  const room = roomOf(pane);
  const { top, bottom, left, right } = element.getBoundingClientRect();
  scrollPane(pane, {
    top: pane.scrollTop + scrollNeeded(top, bottom, room.top, room.bottom),
    left: pane.scrollLeft + scrollNeeded(left, right, room.left, room.right),
  });
}

/** The visible area of a pane: below the map, if it has one. @param {HTMLElement} pane */
function roomOf(pane) {
  const { top, bottom, left, right, width } = pane.getBoundingClientRect();
  const below = top + (/** @type {HTMLElement | null} */ (pane.querySelector(".ipl-overview:not([hidden])"))?.offsetHeight ?? 0);
  return { top: below, bottom, left, right, width, height: bottom - below };
}

/** So much of a row may be beyond an edge, in px: there are no words in it. */
const BARE = 2;
/** Less than this below what is seen is no reason to scroll. */
const LITTLE = 8;

/** The lowest place that shows no part of a row which the lower edge of a pane cuts; marks a pane below which there is more.
 * @param {HTMLElement} pane @param {{top: number, bottom: number}[]} rows */
export function lastEdge(pane, rows) {
  const bottom = pane.getBoundingClientRect().top + pane.clientTop + pane.clientHeight;
  pane.toggleAttribute("data-more", pane.scrollHeight - pane.clientHeight - pane.scrollTop > LITTLE);
  return Math.min(bottom, ...rows.filter((row) => row.top < bottom && row.bottom > bottom + BARE).map(({ top }) => top));
}

/** Leaves out the rows of a list that the edges of its pane would cut, unless they are higher than half of it.
 * @param {HTMLElement} pane @param {Element[]} rows */
export function leaveOutRows(pane, rows) {
  const top = pane.getBoundingClientRect().top + pane.clientTop;
  const boxes = rows.map((row) => row.getBoundingClientRect());
  const last = lastEdge(pane, boxes.filter(({ height }) => height < pane.clientHeight / 2));
  rows.forEach((row, k) => {
    const box = boxes[k];
    const isCut = box.height < pane.clientHeight / 2 && (box.top < top - BARE ? box.bottom > top : (box.top + box.bottom) / 2 > last && box.top < top + pane.clientHeight);
    row.toggleAttribute("data-cut", isCut);
  });
}

/** The same for tabs in a row. @param {HTMLElement} row @param {HTMLElement[]} tabs */
export function leaveOutTabs(row, tabs) {
  const room = row.getBoundingClientRect();
  const boxes = tabs.map((tab) => tab.getBoundingClientRect());
  tabs.forEach((tab, k) => tab.toggleAttribute("data-cut", boxes[k].left < room.left - BARE || boxes[k].right > room.right + BARE));
}

/** The distance, in px, at which the tip of an arrow belongs to a node. */
const TOUCHING = 8;

/** Leaves out what would be cut at the edge of a pane that is not scrolled by hand: nodes with all that is written in them, the arrowheads at
 * such nodes, and all else but lines. Those may run out of the pane: they go on. Without `isWhole`, everything is drawn again.
 * @param {HTMLElement} pane @param {boolean} isWhole */
export function leaveOutCut(pane, isWhole) {
  for (const element of pane.querySelectorAll("[data-cut]")) element.removeAttribute("data-cut");
  if (!isWhole || (pane.scrollHeight <= pane.clientHeight + 1 && pane.scrollWidth <= pane.clientWidth + 1)) return;
  const room = roomOf(pane);
  const isCut = (/** @type {DOMRect} */ box) => box.width > 0 && (box.top < room.top - 1 || box.bottom > room.bottom + 1 || box.left < room.left - 1 || box.right > room.right + 1);
  const placed = [...pane.querySelectorAll("svg > g:not([hidden]) > :not([hidden])")].map((element) => ({ element, box: element.getBoundingClientRect() }));
  const nodes = placed.filter(({ element, box }) => element.matches(".ipl-node") && isCut(box));
  const itemOf = (/** @type {Element} */ element) => element.getAttribute("data-k")?.split(" ", 1)[0];
  const gone = new Set(nodes.map(({ element }) => itemOf(element)));
  const isAtOne = (/** @type {DOMRect} */ tip) => nodes.some(({ box }) => tip.right > box.left - TOUCHING && tip.left < box.right + TOUCHING && tip.bottom > box.top - TOUCHING && tip.top < box.bottom + TOUCHING);
  for (const { element, box } of placed) {
    const isTip = element.matches('[class*="tip"]');
    const isLeftOut = gone.has(itemOf(element)) || (isTip ? isCut(box) || isAtOne(box) : !element.matches("path") && isCut(box));
    element.toggleAttribute("data-cut", isLeftOut);
  }
}
