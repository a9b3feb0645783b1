// The sentence that says what happened in this step; it is read aloud when it changes.

import { html, put } from "./elements.js";
import { pieces, speak } from "./words.js";

/** @param {Stage} stage @returns {Part} */
export function drawSentence(stage) {
  const { steps } = stage.payload;
  // An invisible copy of the longest sentence keeps the room, so that nothing below moves.
  const room = html("p", { class: "ipl-sentence ipl-room", "aria-hidden": "true" });
  const sentence = html("p", { class: "ipl-sentence", role: "status", "aria-live": "polite" });
  const root = html("div", { class: "ipl-saying" }, room, sentence);

  function show() {
    const now = steps[stage.step];
    // Played faster than it can be read, it is not read aloud.
    put(sentence, "aria-live", stage.root.hasAttribute("data-hurried") ? "off" : "polite");
    tell(speak(now.says, stage.language));
    root.classList.toggle("ipl-wrong", now.error);
  }

  let last = "";

  /** Said again, the same words would be read aloud again. @param {string} words */
  function tell(words) {
    if (words !== last) say(sentence, words);
    last = words;
  }

  function translate() {
    const said = steps.map((each) => speak(each.says, stage.language));
    say(room, said.reduce((longest, each) => (each.length > longest.length ? each : longest), ""));
  }

  return { root, show, translate };
}

/** Words between backticks are code. @param {HTMLElement} holder @param {string} words */
export function say(holder, words) {
  holder.replaceChildren(...pieces(words).map((piece) => (piece.code ? html("code", {}, piece.text) : piece.text)));
}
