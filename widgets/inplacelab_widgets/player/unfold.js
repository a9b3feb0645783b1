// The button that opens the folded part of a panel. Everything else keeps its place.

import { html } from "./elements.js";
import { speak } from "./words.js";
/** @import { Said } from "./runs.js" */
/** @import { Stage } from "./stage.js" */

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
