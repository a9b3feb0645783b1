// The words around the pictures: the sentence of a step, the line about what a reader points at, tables, and what a recording leaves out.

import { html, put, say, write } from "./dom.js";
import { isItem } from "./panel.js";
import { numbered, speak, valueAt, widthOf } from "./steps.js";
/** @import { Part, Stage } from "./stage.js" */
/** @import { Said, Step, Table, Told } from "./steps.js" */

// What this step did, in one clause, and below it the rest; read aloud when it changes. At the beginning of a program that fails it also
// has a button that goes to the failure.

/** The number of longest texts that the browser measures: the length alone does not determine which needs the most lines. */
const LONGEST = 3;

/** About how much room a headline and its detail need: a headline has larger type. @param {string[]} words */
const lengthOf = ([words, rest]) => 1.8 * widthOf(words) + widthOf(rest);

/** A headline and its detail, as elements. @param {Object<string, string>} attributes */
function drawTold(attributes) {
  const [headline, detail, beside] = ["ipl-headline", "ipl-detail", "ipl-beside"].map((name) => html("span", { class: name }));
  return { root: html("p", attributes, headline, " ", beside, " ", detail), headline, detail, beside };
}

/** @param {Stage} stage @param {{button: HTMLElement, words: (step: number) => string}} fixes @returns {Part} */
export function drawSentence(stage, fixes) {
  const { said, steps, longest: known = [] } = stage.payload;
  // Invisible copies of the longest sentences reserve the room, so that nothing below moves.
  const rooms = Array.from({ length: LONGEST }, () => drawTold({ class: "ipl-sentence ipl-room", "aria-hidden": "true" }));
  const told = drawTold({ class: "ipl-sentence", role: "status", "aria-live": "polite" });
  const sentence = told.root;
  const failed = steps.findIndex((each) => each.error);
  const toFailure = html("button", { type: "button", class: "ipl-pointer ipl-to-failure" });
  toFailure.addEventListener("click", () => {
    // At the failure the button is hidden, and the focus would be lost.
    stage.root.focus({ preventScroll: true });
    stage.go(failed);
  });
  const root = html("div", { class: "ipl-saying" }, ...rooms.map((room) => room.root), sentence);
  // What a program that fails says of it is longer.
  root.style.setProperty("--ipl-lines", failed < 0 ? "2" : "3");

  /** What is said of a step: of its whole line where a step of the player is a line. @param {Step} step @returns {Told} */
  const saysOf = (step) => (stage.mode === "line" ? (step.whole ?? step) : step);
  /** @param {number | undefined} at */
  const wordsAt = (at) => (at === undefined ? "" : speak(said[at] ?? "", stage.language));

  function show() {
    const now = steps[stage.step];
    if (stage.wanted !== undefined) return tell(stage.word("waiting"), "", false);
    // During fast playback it is not read aloud.
    put(sentence, "aria-live", stage.root.hasAttribute("data-hurried") ? "off" : "polite");
    const isBefore = failed > stage.step && (stage.step <= stage.stops[0] || stage.step === stage.opened);
    if (isBefore) write(toFailure, failureWords());
    // In predict mode, and where a lesson asks, it is not announced in advance.
    toFailure.hidden = stage.predict || stage.isAhead(failed);
    const { says, detail } = saysOf(now);
    tell(wordsAt(says), wordsAt(detail), isBefore);
    root.classList.toggle("ipl-wrong", now.error === true);
  }

  function failureWords() {
    const { line } = steps[failed];
    const { step } = numbered(failed, steps, stage.stops, stage.mode);
    if (stage.payload.sources && line !== null) return stage.word("to_failing_place", { place: stage.lineWords(line), step });
    return stage.word(line === null ? "to_failure" : "to_failing_line", { line: line ?? "", step });
  }

  let last = "";

  /** Updates the words if they change: the same words would be read aloud again.
   * @param {string} words @param {string} rest @param {boolean} isBefore  Whether the failure is still to come. */
  function tell(words, rest, isBefore) {
    const button = isBefore ? toFailure : fixes.words(stage.step) ? fixes.button : null;
    const now = `${words} ${rest} ${button?.className}`;
    if (now === last) return;
    last = now;
    say(told.headline, words);
    told.beside.replaceChildren(...(button ? [button] : []));
    say(told.detail, rest);
  }

  const translate = () => reserve();

  /** A detail that is cut can be reached with Tab, and is then seen whole. */
  function settle() {
    const isCut = told.detail.scrollHeight > told.detail.clientHeight + 1;
    if (isCut) {
      put(sentence, "tabindex", 0);
      put(sentence, "aria-label", [told.headline, told.detail].map((each) => each.textContent).join(" "));
    } else if (document.activeElement !== sentence) {
      for (const name of ["tabindex", "aria-label"]) sentence.removeAttribute(name);
    }
    return undefined;
  }

  function reserve() {
    // For events and statements alike, so that nothing moves where a statement is opened.
    const all = [...steps.flatMap((step) => [step, step.whole ?? step]).map(({ says, detail }) => [wordsAt(says), wordsAt(detail)]), ...known.map((each) => each.map(wordsAt))];
    const longest = [...new Map(all.map((each) => [each.join(" "), each])).values()].sort((one, other) => lengthOf(other) - lengthOf(one));
    // The failure is the last step, and its words are among the longest.
    const button = fixes.words(steps.length - 1);
    rooms.forEach((room, k) => {
      const [words = "", rest = ""] = longest[k] ?? [];
      say(room.headline, words);
      room.beside.textContent = k ? "" : button || (failed > 0 ? failureWords() : "");
      say(room.detail, rest);
    });
  }

  return { root, show, settle, translate };
}

// The line that describes what a reader points at. It is a separate line or covers the foot of the pictures, so nothing moves.

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

// "Read as a table": the same facts as plain HTML tables, for screen readers and for readers who prefer them.

/** A switch, and what it opens below everything else. @param {string} name @param {() => void} changed */
export function drawFold(name, changed) {
  const root = html("button", { type: "button", class: `ipl-unfold ${name}`, "aria-expanded": "false" });
  const holder = html("div", { class: "ipl-tables", hidden: "" });
  root.addEventListener("click", () => {
    holder.toggleAttribute("hidden");
    root.setAttribute("aria-expanded", String(!holder.hidden));
    changed();
  });
  return { root, holder };
}

/** A switch, and the tables, which are below everything else, since their height depends on the step.
 * @param {Stage} stage @returns {Part & {holder: HTMLElement}} */
export function drawTables(stage) {
  const { tables, said } = stage.payload;
  const { root, holder } = drawFold("ipl-as-table", () => show());

  function show() {
    if (holder.hidden) return;
    const filled = tables.filter((table) => Object.values(table.rows).some((runs) => valueAt(runs, stage.step)));
    holder.replaceChildren(...filled.map(one));
  }

  /** @param {Table} table */
  function one(table) {
    const head = html("tr", {}, ...table.columns.map((column) => html("th", { scope: "col" }, speak(column, stage.language))));
    const rows = Object.entries(table.rows)
      .map(([key, runs]) => ({ key, cells: valueAt(runs, stage.step) }))
      .filter((row) => row.cells)
      .map((row) => line(row.key, (row.cells ?? []).map((cell) => said[cell])));
    const caption = html("caption", {}, speak(table.title, stage.language));
    return html("table", {}, caption, html("thead", {}, head), html("tbody", {}, ...rows));
  }

  /** @param {string} key @param {Said[]} cells */
  function line(key, cells) {
    const [name, ...rest] = cells.map((cell) => speak(cell, stage.language));
    const others = rest.map((cell) => html("td", {}, cell));
    // Bytes have no marks to point at.
    if (!isItem(key)) return html("tr", {}, html("th", { scope: "row" }, name), ...others);
    // A button, so that the keyboard can ask "which part of the picture is this?".
    const pointer = html("button", { type: "button", class: "ipl-pointer", "data-k": key }, name);
    pointer.addEventListener("focus", () => stage.point("keyboard", key));
    pointer.addEventListener("blur", () => stage.point("keyboard", ""));
    return html("tr", {}, html("th", { scope: "row" }, pointer), ...others);
  }

  const translate = () => (root.textContent = stage.word("tables"));
  return { root, holder, show, translate };
}

// What a recording leaves out, or what its framework hides: in rows of its own, which shrink nothing beside them.

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
