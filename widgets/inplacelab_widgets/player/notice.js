// What a recording leaves out, or what its framework hides: in rows of its own, which shrink nothing beside them.

import { html, say } from "./elements.js";
import { speak } from "./words.js";
/** @import { Part, Stage } from "./stage.js" */

/** @param {Stage} stage @returns {Part} */
export function drawNotice(stage) {
  const { notes } = stage.payload;
  const root = html("div", { class: "ipl-notice" });
  function translate() {
    say(root, notes.map((note) => speak(note, stage.language)).join(" · "));
    stage.root.classList.toggle("ipl-noticed", notes.length > 0);
  }
  return { root, translate };
}
