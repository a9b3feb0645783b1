// The sentence about this step, read aloud when it changes. At the beginning of a program that fails it also has a button that goes
// // to the failure.

import { html, put, say, write } from "./elements.js";
import { placeOf } from "./runs.js";
import { speak, widthOf } from "./words.js";
/** @import { Step } from "./runs.js" */
/** @import { Part, Stage } from "./stage.js" */

/** The number of longest sentences that the browser measures: the length alone does not determine which needs the most lines. */
const LONGEST = 3;

/** @param {Stage} stage @param {{button: HTMLElement, words: (step: number) => string}} fixes @returns {Part} */
export function drawSentence(stage, fixes) {
  const { said, steps, longest: known = [] } = stage.payload;
  // Invisible copies of the longest sentences reserve the room, so that nothing below moves.
  const rooms = Array.from({ length: LONGEST }, () => html("p", { class: "ipl-sentence ipl-room", "aria-hidden": "true" }));
  const sentence = html("p", { class: "ipl-sentence", role: "status", "aria-live": "polite" });
  const failed = steps.findIndex((each) => each.error);
  const toFailure = html("button", { type: "button", class: "ipl-pointer ipl-to-failure" });
  toFailure.addEventListener("click", () => {
    // At the failure the button is hidden, and the focus would be lost.
    stage.root.focus({ preventScroll: true });
    stage.go(failed);
  });
  const root = html("div", { class: "ipl-saying" }, ...rooms, sentence);

  /** What is said of a step: of its whole line where a step of the player is a line. @param {Step} step */
  const saysOf = (step) => (stage.mode === "line" ? (step.whole ?? step.says) : step.says);

  let reserved = "";

  function show() {
    const now = steps[stage.step];
    if (reserved !== stage.mode) reserve();
    if (stage.wanted !== undefined) return tell(stage.word("waiting"), false);
    // During fast playback it is not read aloud.
    put(sentence, "aria-live", stage.root.hasAttribute("data-hurried") ? "off" : "polite");
    const isBefore = failed > stage.step && placeOf(stage.step, stage.stops) === 0;
    if (isBefore) write(toFailure, failureWords());
    // In predict mode it is not announced in advance.
    toFailure.hidden = stage.predict;
    tell(speak(said[saysOf(now)], stage.language), isBefore);
    root.classList.toggle("ipl-wrong", now.error === true);
  }

  function failureWords() {
    const { line } = steps[failed];
    return stage.word(line === null ? "to_failure" : "to_failing_line", { line: line ?? "", step: placeOf(failed, stage.stops) + 1 });
  }

  let last = "";

  /** Updates the sentence if it changes: the same words would be read aloud again. @param {string} words @param {boolean} isBefore  Whether the failure is still to come. */
  function tell(words, isBefore) {
    const button = isBefore ? toFailure : fixes.words(stage.step) ? fixes.button : null;
    const now = `${words} ${button?.className}`;
    if (now !== last) say(sentence, words, ...(button ? [" ", button] : []));
    last = now;
  }

  const translate = () => reserve();

  function reserve() {
    reserved = stage.mode;
    const sentences = [...steps.map(saysOf), ...known].map((each) => speak(said[each] ?? "", stage.language));
    if (failed > 0) sentences.push(`${sentences[0]} ${failureWords()}`);
    const longest = [...new Set(sentences)].sort((one, other) => widthOf(other) - widthOf(one));
    // The failure is the last step, and its sentence is among the longest.
    const button = fixes.words(steps.length - 1);
    rooms.forEach((room, k) => say(room, longest[k] ?? "", " ", html("span", { class: "ipl-to-fix" }, button)));
  }

  return { root, show, translate };
}
