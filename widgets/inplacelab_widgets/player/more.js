// Says how many storages a step has no room for, and which of them are stale.

import { put, svg, write } from "./elements.js";
import { paired, valueAt } from "./runs.js";
import { isDrawn } from "./shelf.js";
import { fill, speak } from "./words.js";
/** @import { Group, Panel, Payload } from "./runs.js" */
/** @import { Stacked } from "./shelf.js" */

const ALARM = /ipl-alarm\b/;
/** The distance between two lines, in px. */
const LINE = 15;

/** Returns a function that shows it. @param {SVGElement} root  The drawing. @param {Panel} panel @param {Payload} payload */
export function drawMore(root, panel, payload) {
  const count = svg("text", { class: "ipl-text ipl-soft", "aria-hidden": "true", hidden: "" });
  const stale = svg("text", { class: "ipl-text ipl-alarm", "aria-hidden": "true", hidden: "" });
  root.append(count, stale);

  /** What is said on a chip in alarm at a step; "" if it isn't. @param {Group} chip @param {number} step */
  function alarmOn({ marks }, step) {
    for (const [, , runs = []] of marks) {
      const [style, said = -1] = payload.looks[valueAt(paired(runs), step) ?? -1] ?? [];
      if (style !== undefined && said >= 0 && ALARM.test(payload.styles[style])) return payload.said[said];
    }
    return "";
  }

  /** @param {Stacked | null} stacked  What is drawn. @param {number} step @param {string} language @param {number} high  The height of the pane, in px of the drawing. */
  return function show(stacked, step, language, high) {
    for (const line of [count, stale]) line.toggleAttribute("hidden", !stacked?.more);
    if (!stacked?.more) return;
    const { x, y, form, count: many } = stacked.more;
    const isInSight = (/** @type {Group} */ chip) => (stacked.places.get(chip) ?? [0, high])[1] < high;
    for (const [line, top] of /** @type {[SVGElement, number][]} */ ([[count, y], [stale, y + LINE]])) for (const [key, value] of Object.entries({ x: x + 4, y: top + 13 })) put(line, key, value);
    write(count, fill(speak(payload.words[`more_${form}`], language), { count: many }));
    const unseen = (panel.shelf ?? []).filter((chip) => isDrawn(chip, step, true, null) && !isInSight(chip));
    const alarms = unseen.flatMap((chip) => (chip.key ? [{ key: chip.key, says: alarmOn(chip, step) }] : []));
    stale.replaceChildren(...alarms.filter(({ says }) => says).map(({ key, says }, k) => {
      const span = svg("tspan", { "data-k": key });
      // Of "✗ S4 w · v2 · 16 B", only the name.
      span.textContent = `${k ? "  " : ""}${speak(says, language).split(" · ")[0]}`;
      return span;
    }));
  };
}
