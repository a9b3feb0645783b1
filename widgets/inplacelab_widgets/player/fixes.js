// The fixed program, shown on request at the step that failed; and the button that has fixes tried, where a kernel can do that.

import { makeDialog } from "./dialog.js";
import { html, say, write } from "./dom.js";
import { speak } from "./steps.js";
/** @import { Part, Stage } from "./stage.js" */
/** @import { Fix, Said } from "./steps.js" */

/** The text of a fixed program. @param {Fix} fix */
export function programOf({ lines }) {
  return lines.map(([line]) => `${line}\n`).join("");
}

/** The words of the button that shows fixes, of what is said of untried ones, and of the button that tries them. @param {string} shows @param {Said[]} trial @param {string} language */
export const offered = (shows, trial, language) => [shows, ...trial.map((each) => speak(each, language))];

/** @param {Stage} stage @param {{adopt?: (program: string) => void, trial?: () => Said[], press?: any}} options  `adopt` is called when the reader wants to go on with
 * a fixed program. `trial` returns what is said of fixes that were not tried, and on the button for that; nothing where they cannot be. `press` is called when it is pressed.
 * @returns {Part & {button: HTMLElement, words: (step: number) => string, close: () => boolean}}  `words` are those of the buttons at a step, "" without any. */
export function drawFixes(stage, { adopt, trial = () => [], press }) {
  const { steps, said } = stage.payload;
  const dialog = makeDialog(stage);
  const toFix = html("button", { type: "button", class: "ipl-pointer ipl-to-fix", "aria-haspopup": "dialog" });
  const told = html("span");
  const toTry = html("button", { type: "button", class: "ipl-pointer ipl-to-fix" });
  const button = html("span", {}, toFix, " ", told, " ", toTry);
  toFix.addEventListener("click", () => {
    fill();
    dialog.open();
  });
  toTry.addEventListener("click", press);

  /** @param {number} step */
  const fixesOf = (step) => steps[step].fixes ?? [];

  /** @param {number} step */
  const allWords = (step) => offered(fixesOf(step).length ? stage.word("show_fix") : "", step + 1 < steps.length ? [] : trial(), stage.language);

  /** @param {number} step */
  const words = (step) => allWords(step).join(" ");

  function fill() {
    dialog.translate(stage.word("fixed_program"));
    dialog.fill(...fixesOf(stage.step).map((fix) => html("section", { class: "ipl-fix" }, drawWords(fix), drawProgram(fix), drawCopy(fix), ...(adopt ? [drawAdopt(fix, adopt)] : []))));
  }

  /** @param {Fix} fix */
  function drawWords(fix) {
    const words = html("p", {});
    say(words, speak(said[fix.says], stage.language));
    return words;
  }

  /** @param {Fix} fix */
  function drawProgram(fix) {
    const lines = fix.lines.map(([line, changed]) => html(changed ? "ins" : "span", {}, line));
    return html("pre", { class: "ipl-fixed", tabindex: "0" }, ...lines);
  }

  /** @param {Fix} fix */
  function drawCopy(fix) {
    const copy = html("button", { type: "button", class: "ipl-button" }, stage.word("copy"));
    copy.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(programOf(fix));
        write(copy, stage.word("copied"));
      } catch {
        // A page that is no secure context may not write to the clipboard: the reader can, from the selection.
        const program = /** @type {HTMLElement} */ (copy.previousElementSibling);
        getSelection()?.selectAllChildren(program);
        program.focus();
      }
    });
    return copy;
  }

  /** @param {Fix} fix @param {(program: string) => void} adopt */
  function drawAdopt(fix, adopt) {
    const use = html("button", { type: "button", class: "ipl-button" }, stage.word("adopt"));
    use.addEventListener("click", () => {
      dialog.close();
      adopt(programOf(fix));
    });
    return use;
  }

  function show() {
    if (!fixesOf(stage.step).length) dialog.close();
    const now = allWords(stage.step);
    [toFix, told, toTry].forEach((part, k) => {
      write(part, now[k] ?? "");
      part.hidden = !now[k];
    });
    // The sentence stays as it is in predict mode: other words would be read aloud.
    button.hidden = stage.predict;
  }

  function translate() {
    show();
    if (dialog.isOpen()) fill();
  }

  return { root: dialog.root, button, words, show, translate, close: dialog.close };
}
