// The story: the few steps that matter, each with a word, its line and its storage in miniature. A click or an arrow key goes there.

import { html, put, say, svg } from "./dom.js";
import { numbered, speak } from "./steps.js";
/** @import { Part, Stage } from "./stage.js" */

/** @typedef {{step: number, role: string, cells: string, title: import("./steps.js").Said}} Chapter  `cells`: the slots of the storage concerned, "1" for those that were written, viewed, ... As in scene/key_steps.py. */

/** The greatest width of a miniature, and of a cell, and its height, in px. */
const WIDEST = 60;
const CELL = 12;
const HEIGHT = 10;

/** The chapter that a key leads to; -1 if the key is not for the story. @param {string} key @param {number} here @param {number} count */
export function chapterAt(key, here, count) {
  /** @type {Object<string, number>} */
  const places = { ArrowLeft: Math.max(0, here - 1), ArrowRight: Math.min(count - 1, here + 1) };
  return Object.hasOwn(places, key) ? places[key] : -1;
}

/** The chapter that has begun at a step; -1 before the first. @param {Chapter[]} chapters @param {number} step */
export function begun(chapters, step) {
  return chapters.filter((chapter) => chapter.step <= step).length - 1;
}

/** @param {string} cells */
function miniature(cells) {
  const width = Math.min(CELL, WIDEST / cells.length);
  // Half a border on each side.
  const root = svg("svg", { width: cells.length * width + 2, height: HEIGHT + 2, viewBox: `0 0 ${cells.length * width + 2} ${HEIGHT + 2}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  root.append(...[...cells].map((cell, k) => svg("rect", { class: cell === "1" ? "ipl-cell-on" : "ipl-cell", x: 1 + k * width, y: 1, width, height: HEIGHT })));
  return root;
}

/** @param {Stage} stage @param {() => void} stop  Stops playing. @returns {Part} */
export function drawStory(stage, stop) {
  const { story = [], steps } = stage.payload;
  const chapters = story.map((chapter) => {
    const word = html("span", { class: "ipl-chapter-word" });
    const root = html("button", { type: "button", class: `ipl-chapter ipl-chapter-${chapter.role}` }, html("span", { class: "ipl-chapter-inside" }, ...(chapter.cells ? [miniature(chapter.cells)] : []), word));
    root.addEventListener("click", () => go(chapter.step));
    return { ...chapter, root, word };
  });
  const root = html("div", { class: "ipl-story", role: "group" }, ...chapters.map((chapter) => chapter.root));

  /** @param {number} step */
  function go(step) {
    stop();
    stage.go(step);
  }

  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const here = chapters.findIndex((chapter) => chapter.root === event.target);
    const next = here < 0 ? -1 : chapterAt(event.key, here, chapters.length);
    if (next < 0 || stage.isAhead(chapters[next].step)) return;
    event.preventDefault();
    event.stopPropagation();
    chapters[next].root.focus();
    go(chapters[next].step);
  });

  function show() {
    // In predict mode nothing is told in advance. One chapter is no story.
    root.hidden = stage.predict || chapters.length < 2;
    const now = begun(chapters, stage.step);
    chapters.forEach((chapter, k) => {
      put(chapter.root, "tabindex", k === Math.max(0, now) ? 0 : -1);
      if (chapter.step === stage.step) put(chapter.root, "aria-current", "true");
      else chapter.root.removeAttribute("aria-current");
      chapter.root.toggleAttribute("data-passed", k <= now);
      chapter.root.toggleAttribute("data-ahead", stage.isAhead(chapter.step));
      const line = steps[chapter.step].line;
      const place = stage.word(stage.mode === "line" ? "position_by_line" : "position", numbered(chapter.step, steps, stage.stops, stage.mode));
      put(chapter.root, "title", [`${stage.word(`story_${chapter.role}`)}`, ...(line === null ? [] : [stage.lineWords(line)]), place].join(" · "));
    });
  }

  function translate() {
    put(root, "aria-label", stage.word("story"));
    for (const { role, title, word } of chapters) say(word, speak(title, stage.language) || stage.word(`story_${role}`));
  }

  return { root, show, translate };
}
