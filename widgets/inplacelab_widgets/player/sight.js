// Bringing what a step changed into sight: a pane is scrolled, never the page.

/** How long a pane glides, in ms. */
const GLIDE = 200;
/** Whoever scrolls meanwhile has moved the pane by more than this, in px. */
const ASTRAY = 3;

/** The panes that glide, and where to. A browser's own glide cannot be ended at its goal: what was measured on its way would lie elsewhere
 * in the end. @type {WeakMap<Element, {to: {top: number, left: number}, frame: number}>} */
const glides = new WeakMap();

/** What is brought into sight in a graph has this part of the pane around it: what led there is seen, and the next step does not
 * scroll again. */
const AROUND = 0.3;

const STRONGEST = ".ipl-written,.ipl-inked,.ipl-failed,.ipl-checked";

/** How far to scroll so that the span from `low` to `high` lies within `start` to `end`, with some air around it.
 * @param {number} low @param {number} high @param {number} start @param {number} end @param {number} [most] of air, in px */
export function scrollNeeded(low, high, start, end, most = 26) {
  const air = Math.max(0, Math.min(most, (end - start - (high - low)) / 2));
  if (low < start + 1) return low - start - air;
  if (high > end - 1) return Math.min(high - end + air, low - start - air);
  return 0;
}

/** How to scroll a pane so that what this step changed is in sight: all of it, or if that does not fit, what was drawn last.
 * It measures now and scrolls when called, so that all panes can be measured before one of them moves. `isStacked`: blocks stand
 * one below the other, and the one that changed is to be seen whole, or at least its head.
 * @param {HTMLElement} pane @param {Element[]} changed @param {boolean} isStacked @returns {(() => void) | undefined} */
export function bringingIntoSight(pane, changed, isStacked) {
  arrive(pane);
  const room = roomOf(pane);
  const strongest = changed.filter((element) => element.matches(STRONGEST));
  const sought = strongest.length ? strongest : changed;
  const boxes = sought.map((element) => element.getBoundingClientRect()).filter((box) => box.width);
  if (!room.height || !boxes.length) return undefined;
  const span = (/** @type {DOMRect[]} */ some) => ({
    top: Math.min(...some.map((box) => box.top)),
    bottom: Math.max(...some.map((box) => box.bottom)),
    left: Math.min(...some.map((box) => box.left)),
    right: Math.max(...some.map((box) => box.right)),
  });
  const all = span(boxes);
  const fits = all.bottom - all.top <= room.height && all.right - all.left <= room.width;
  let { top, bottom, left, right } = fits ? all : span(boxes.slice(-1));
  const block = (isStacked && sought.at(-1)?.closest("svg > g")?.getBoundingClientRect()) || { top, bottom };
  const [above, below] = [Math.min(top, block.top), Math.max(bottom, block.bottom)];
  if (below - above <= room.height) [top, bottom] = [above, below];
  else if (block.bottom - block.top <= room.height) ({ top, bottom } = block);
  // Of a block higher than its pane the strip comes first, unless what was written lies further down.
  else if (bottom - block.top <= room.height) top = Math.min(top, block.top);
  else if (!strongest.length) [top, bottom] = [block.top, block.top + room.height];
  const needed = {
    top: scrollNeeded(top, bottom, room.top, room.bottom, isStacked ? undefined : room.height * AROUND),
    left: scrollNeeded(left, right, room.left, room.right, room.width * AROUND),
  };
  return needed.top || needed.left ? () => scrollPane(pane, { top: pane.scrollTop + needed.top, left: pane.scrollLeft + needed.left }) : undefined;
}

/** Ends a glide where it leads to, before anything is measured. @param {Element} pane */
export function arrive(pane) {
  const glide = glides.get(pane);
  if (!glide) return;
  cancelAnimationFrame(glide.frame);
  glides.delete(pane);
  pane.scrollTo(glide.to);
}

/** Scrolls a pane; it glides if there is time, and if the reader has nothing against motion.
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

/** Where a pane shows what it scrolls: below the map, if it has one. @param {HTMLElement} pane */
function roomOf(pane) {
  const { top, bottom, left, right, width } = pane.getBoundingClientRect();
  const below = top + (/** @type {HTMLElement | null} */ (pane.querySelector(".ipl-overview:not([hidden])"))?.offsetHeight ?? 0);
  return { top: below, bottom, left, right, width, height: bottom - below };
}
