// The step axis, as wide as its pane. Python lays it out for one width: words and signs keep their size, positions move.

import { widthOf } from "./words.js";
/** @import { Attributes, Said } from "./runs.js" */

/** The panels whose x axis is the step. */
export const ON_AXIS = new Set(["lanes", "memory", "ranks"]);
/** Narrower than this, an axis is scaled down instead, since its words would overlap. As in scene/timeline.py. */
const AXIS_LEAST = 640;
/** The approximate width of a character on an axis, in px. */
const CHARACTER = 6.9;

/** The width of an axis in some room, and the map from positions in the layout. Left of the axis nothing moves.
 * @param {number} width  As it was laid out. @param {{left: number, right: number}} axis @param {number} room */
export function axisIn(width, { left, right }, room) {
  const wide = room > 0 ? Math.max(AXIS_LEAST, room) : width;
  const by = (wide - left - right) / (width - left - right);
  const along = (/** @type {number} */ x) => (x <= left ? x : Math.round(10 * (left + (x - left) * by)) / 10);
  return { width: wide, by, along };
}

/** Attributes of a mark on such an axis. In a path, absolute positions are on the axis; relative ones are part of a sign.
 * @param {Attributes} place @param {(x: number) => number} along @returns {Attributes} */
export function stretched(place, along) {
  const found = { ...place };
  if ("x" in place) {
    found.x = along(Number(place.x));
    if ("width" in place) found.width = along(Number(place.x) + Number(place.width)) - found.x;
  }
  const moved = (/** @type {string} */ command, /** @type {string} */ x) => command + along(Number(x));
  if ("d" in place) found.d = String(place.d).replace(/([MH])(-?[\d.]+)/g, (_, command, x) => moved(command, x));
  if ("transform" in place) found.transform = String(place.transform).replace(/(\()([\d.]+)/, (_, command, x) => moved(command, x));
  return found;
}

/** The x at which words begin so that they end within `width`. @param {number} x @param {Said[]} said @param {number} width */
export function endingWithin(x, said, width) {
  const longest = Math.max(0, ...said.flat().map(widthOf));
  return Math.max(0, Math.min(x, width - longest * CHARACTER));
}
