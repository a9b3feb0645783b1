// The list of keys, shown over the player on request.

import { makeDialog } from "./dialog.js";
import { html, label, sign } from "./elements.js";
import { speak } from "./words.js";
/** @import { Part, Stage } from "./stage.js" */

/** @param {Stage} stage @returns {Part & {button: HTMLElement, close: () => boolean, toggle: () => void}} */
export function drawHelp(stage) {
  const button = html("button", { type: "button", class: "ipl-button", "aria-expanded": "false" }, sign("?"));
  const dialog = makeDialog(stage, () => button.setAttribute("aria-expanded", String(dialog.isOpen())));
  const toggle = () => void (dialog.close() || dialog.open());
  button.addEventListener("click", toggle);

  function translate() {
    label(button, stage.word("help"));
    dialog.translate(stage.word("help_title"));
    const rows = stage.payload.keys.map(([keys, does]) => [html("dt", {}, ...kbd(speak(keys, stage.language))), html("dd", {}, speak(does, stage.language))]);
    dialog.fill(html("dl", {}, ...rows.flat()));
  }

  return { root: dialog.root, button, translate, close: dialog.close, toggle };
}

/** @param {string} keys */
function kbd(keys) {
  return keys.split(" ").flatMap((key) => [html("kbd", {}, key), " "]);
}
