// What the editor marks at a step: the line that runs, and the lines that the trace of a refusal tells of.

import { speak } from "../../widgets/inplacelab_widgets/player/steps.js";
/** @import { Mark } from "./editor.js" */

/** @param {any} payload  As the player reads it. @param {number} step @param {"en" | "zh"} language @returns {Mark[]} */
export function marksAt(payload, step, language) {
  const { line, error, marked = [] } = payload.steps[step] ?? {};
  /** @type {Mark[]} */
  const marks = line ? [{ line, style: error ? "bad" : "now" }] : [];
  for (const [at, , brief, , from, to] of marked) marks.push({ line: at, style: "told", words: speak(payload.said[brief], language).replaceAll("`", ""), from, to });
  return marks;
}
