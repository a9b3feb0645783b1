// A question before a program runs. What the reader enters goes to the kernel, which compares it with the facts later.

import { html } from "./player/dom.js";
import { focusCell, keepShortcutsAway } from "./player/notebook.js";

/** Words in both languages. @typedef {[string, string]} Said */
/** @typedef {{label: string, options: string[], several: boolean}} Part */

/** Words as nodes; what stands in backticks is code. @param {string} words */
const worded = (words) => words.split("`").map((part, k) => (k % 2 ? html("code", {}, part) : document.createTextNode(part)));

/** What the reader entered: for a part with options the indices of those chosen, else the text; null where a part has no answer.
 * @param {Part[]} parts @param {HTMLInputElement[][]} inputs */
export const entered = (parts, inputs) =>
  parts.map((part, k) => {
    if (!part.options.length) return inputs[k][0].value.trim() || null;
    const chosen = inputs[k].flatMap((input, option) => (input.checked ? [option] : []));
    return chosen.length || part.several ? chosen : null;
  });

/** The answers of a reader who does not know the rest: to have chosen none of several is then no answer, either. @param {(string | number[] | null)[]} answers */
export const restUnknown = (answers) => answers.map((answer) => (answer?.length ? answer : null));

let made = 0; // radio buttons of one part share a name that no other part has

/** The anywidget entry point. @param {{model: any, el: HTMLElement}} view */
function render({ model, el }) {
  /** @type {{parts: Part[], words: Object<string, Said>}} */
  const question = model.get("_question");
  const say = (/** @type {string} */ key) => question.words[key][model.get("language") === "zh" ? 1 : 0];
  made += 1;

  /** @type {HTMLInputElement[][]} */
  const inputs = [];
  const fields = question.parts.map((part, k) => {
    const legend = html("legend", {}, ...worded(part.label));
    if (part.several) legend.append(" ", say("several"));
    inputs.push([]);
    const choice = (/** @type {HTMLInputElement} */ input, /** @type {Node[]} */ ...words) => {
      inputs[k].push(input);
      return html("label", { class: "ipl-choice" }, input, ...words);
    };
    if (!part.options.length) {
      const input = html("input", { type: "text", class: "ipl-entry", autocomplete: "off", "aria-label": `${say("field")}${say("colon")}${part.label}` });
      return html("fieldset", {}, legend, choice(input));
    }
    const kind = part.several ? "checkbox" : "radio";
    const choices = part.options.map((option) => choice(html("input", { type: kind, name: `ipl-asked-${made}-${k}` }), html("span", {}, ...worded(option))));
    return html("fieldset", {}, legend, ...choices);
  });

  const button = html("button", { type: "submit", class: "ipl-button" }, say("enter"));
  const unknown = html("button", { type: "button", class: "ipl-button", title: say("unknown_hint") }, say("unknown"));
  const said = html("div", { class: "ipl-compared", role: "status" });
  const form = html("form", { class: "ipl-asked" }, ...fields, html("div", { class: "ipl-decide" }, button, unknown, said));
  const root = html("div", { class: "ipl ipl-asking", lang: model.get("language") === "zh" ? "zh-Hans" : "en" }, form);

  const show = () => {
    const answers = model.get("answers");
    answers.forEach((/** @type {string | number[] | null} */ answer, /** @type {number} */ k) => {
      if (typeof answer === "string") inputs[k][0].value = answer;
      else inputs[k].forEach((input, option) => (input.checked = answer?.includes(option) ?? false));
    });
    if (!answers.length) return;
    inputs.flat().forEach((input) => (input.disabled = true));
    button.hidden = unknown.hidden = true;
    const lines = model.get("compared");
    said.replaceChildren(...(lines.length ? lines : [say("noted")]).map((/** @type {string} */ line) => html("div", {}, ...worded(line))));
  };

  /** @param {boolean} isWhole  Whether each part must have an answer. */
  const enter = (isWhole) => {
    const given = entered(question.parts, inputs);
    const blank = given.indexOf(null);
    if (isWhole && blank >= 0) {
      said.textContent = say("blank");
      inputs[blank][0].focus();
      return;
    }
    model.set("answers", isWhole ? given : restUnknown(given));
    model.save_changes();
    show();
    // The next Shift+Enter runs the next cell, not the question again, which would forget the answers.
    if (focusCell(root, { below: true })) return;
    said.setAttribute("tabindex", "-1");
    said.focus();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    enter(true);
  });
  unknown.addEventListener("click", () => enter(false));
  form.addEventListener("keydown", ({ key, isComposing }) => {
    if (key === "Escape" && !isComposing) focusCell(root);
  });
  keepShortcutsAway(root);
  for (const trait of ["answers", "compared"]) model.on(`change:${trait}`, show);
  el.append(root);
  show();
  return () => ["answers", "compared"].forEach((trait) => model.off(`change:${trait}`, show));
}

export default { render };
