// The list of keys and the meaning of marks, shown over the player on request.

import { makeDialog } from "./dialog.js";
import { html, label, sign, svg } from "./elements.js";
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
    // A picture of launches has other marks, which it explains itself.
    const { marks: drawnMarks = [] } = stage.payload;
    const marks = drawnMarks.map(([style, drawn, means]) => [html("dt", {}, sample(style, drawn)), html("dd", {}, speak(means, stage.language))]);
    const legend = marks.length ? [html("h3", {}, stage.word("marks_title")), html("dl", {}, ...marks.flat())] : [];
    dialog.fill(html("dl", {}, ...rows.flat()), ...legend);
  }

  return { root: dialog.root, button, translate, close: dialog.close, toggle };
}

/** A box with a mark. @param {string} style @param {string} drawn */
function sample(style, drawn) {
  const box = svg("svg", { width: 32, height: 20, "aria-hidden": "true" });
  box.append(svg("path", { class: style, d: drawn }));
  return box;
}

/** @param {string} keys */
function kbd(keys) {
  return keys.split(" ").flatMap((key) => [html("kbd", {}, key), " "]);
}
