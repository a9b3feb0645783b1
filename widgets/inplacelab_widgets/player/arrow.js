// Draws the arrow of a step from the slots that it read to those to which it copied them.

import { put, svg } from "./elements.js";
/** @import { Panel } from "./runs.js" */

/** One end: the key of a group, and in this group the middle and the top of a run of slots. @typedef {[string, number, number]} End */

/** The distance of the line from the slots, in px: between them and the words above. */
const LIFT = 5.5;

/** The line and the tip between two runs of slots, each given by the middle of its top, past the left edge of the storage that is further to the right, as `arrow` of scene/svg.py.
 * @param {number[]} source @param {number[]} target @param {number} left @returns {[string, string]} */
export function arrowOf([x, y], [to, below], left) {
  const beside = y === below ? "" : `H${left - 5}V${below - LIFT}`;
  return [`M${x} ${y - 1}V${y - LIFT}${beside}H${to}V${below - 4}`, `M${to} ${below}l-3.5 -5h7z`];
}

/** Makes the arrow of a panel. Returns a function that shows that of a step between groups at these places.
 * @param {Element} root @param {Panel} panel */
export function drawArrow(root, panel) {
  if (!panel.copies) return () => {};
  const copies = new Map(panel.copies.map(([step, ...ends]) => [step, ends]));
  const [line, head] = ["ipl-copy", "ipl-copy-tip"].map((style) => svg("path", { class: style, hidden: "", "aria-hidden": "true" }));
  // Under the groups, so that words that it crosses stay legible.
  root.prepend(line, head);

  /** @param {number} step @param {(key: string) => number[] | false | undefined} placeOf */
  return function show(step, placeOf) {
    const ends = (copies.get(step) ?? []).map(([key, middle, top]) => {
      const place = placeOf(key);
      return place ? { at: [middle + place[0], top + place[1]], left: place[0] } : null;
    });
    const [source, target] = ends;
    const parts = source && target ? arrowOf(source.at, target.at, Math.max(source.left, target.left)) : null;
    [line, head].forEach((part, k) => {
      part.toggleAttribute("hidden", !parts);
      if (parts) put(part, "d", parts[k]);
    });
  };
}
