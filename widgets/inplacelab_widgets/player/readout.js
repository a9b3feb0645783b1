// The line that describes what a reader points at. It is a separate line or covers the foot of the pictures, so nothing moves.

import { html, say } from "./elements.js";
import { speak } from "./words.js";
/** @import { Said } from "./runs.js" */
/** @import { Part, Stage } from "./stage.js" */

/** @param {Stage} stage @returns {Part} */
export function drawReadout(stage) {
  const root = html("p", { class: "ipl-readout" });

  let last = "";

  /** @param {Set<string>} _ @param {Set<number>} __ @param {Said} says */
  function highlight(_, __, says) {
    const words = speak(says, stage.language);
    if (root.lang === stage.root.lang && words === last) return;
    last = words;
    root.lang = stage.root.lang;
    say(root, words || stage.word("link_hint"));
    root.toggleAttribute("data-hint", words === "");
    // A tooltip has the whole line, which may be cut.
    root.title = words.replaceAll("`", "");
  }

  return { root, highlight };
}
