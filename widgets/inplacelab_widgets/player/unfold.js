// What of a panel is folded: a button below the picture opens it. Everything else stays where it is.

import { html } from "./elements.js";
import { speak } from "./words.js";

/** A button for a panel that has something folded. @param {Stage} stage @param {Panel} panel @param {ReturnType<typeof import("./panel.js").drawPanel>} drawn @returns {{root: HTMLElement, translate: () => void} | null} */
export function drawUnfold(stage, panel, drawn) {
  const { unfolds } = panel;
  if (!unfolds) return null;
  const root = html("button", { type: "button", class: "ipl-unfold", "aria-expanded": "false" });
  root.addEventListener("click", () => {
    const open = root.getAttribute("aria-expanded") !== "true";
    root.setAttribute("aria-expanded", String(open));
    drawn.unfold(open);
    stage.show();
  });
  const translate = () => (root.textContent = speak(unfolds.says, stage.language));
  return { root, translate };
}
