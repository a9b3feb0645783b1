// The sentence that says what happened in this step; it is read aloud when it changes.

import { html, put } from "./elements.js";
import { pieces, speak, widthOf } from "./words.js";

/** So many of the longest sentences are measured by the browser: which of them needs most lines cannot be told from its length. */
const LONGEST = 3;

/** @param {Stage} stage @returns {Part} */
export function drawSentence(stage) {
  const { said, steps } = stage.payload;
  // Invisible copies of the longest sentences keep the room, so that nothing below moves.
  const rooms = Array.from({ length: LONGEST }, () => html("p", { class: "ipl-sentence ipl-room", "aria-hidden": "true" }));
  const sentence = html("p", { class: "ipl-sentence", role: "status", "aria-live": "polite" });
  const root = html("div", { class: "ipl-saying" }, ...rooms, sentence);

  function show() {
    const now = steps[stage.step];
    // Played faster than it can be read, it is not read aloud.
    put(sentence, "aria-live", stage.root.hasAttribute("data-hurried") ? "off" : "polite");
    tell(speak(said[now.says], stage.language));
    root.classList.toggle("ipl-wrong", now.error);
  }

  let last = "";

  /** Said again, the same words would be read aloud again. @param {string} words */
  function tell(words) {
    if (words !== last) say(sentence, words);
    last = words;
  }

  function translate() {
    const sentences = steps.map((each) => speak(said[each.says], stage.language));
    const longest = [...new Set(sentences)].sort((one, other) => widthOf(other) - widthOf(one));
    rooms.forEach((room, k) => say(room, longest[k] ?? ""));
  }

  return { root, show, translate };
}

/** Words between backticks are code. @param {HTMLElement} holder @param {string} words */
export function say(holder, words) {
  holder.replaceChildren(...pieces(words).map((piece) => (piece.code ? html("code", {}, piece.text) : piece.text)));
}
