// The controls above the picture: which launch, which block, thread and turn, the language, the whole screen, the keys.

import { html, icon, label, sign, speakOther } from "../player/elements.js";
import { speak } from "../player/words.js";
import { grouped } from "./drawing.js";
import { blocksOf, threadsOf, turnsOf } from "./geometry.js";

/** A number that can be typed, with a name. @param {(value: number) => void} tell */
function field(tell) {
  const words = html("span", {});
  const input = /** @type {HTMLInputElement} */ (html("input", { type: "number", min: 0, step: 1, class: "ipl-number-field" }));
  const count = html("span", { class: "ipl-of", "aria-hidden": "true" });
  input.addEventListener("change", () => Number.isInteger(input.valueAsNumber) && tell(input.valueAsNumber));
  return { root: html("label", { class: "ipl-field" }, words, input, count), words, input, count };
}

/** @param {any} stage */
export function drawControls(stage) {
  const chooser = /** @type {HTMLSelectElement} */ (html("select", { class: "ipl-button ipl-launches" }));
  const chooserWords = html("span", {});
  const chooserField = html("label", { class: "ipl-field" }, chooserWords, chooser);
  const fields = {
    block: field((value) => stage.choose({ block: value })),
    thread: field((value) => stage.choose({ thread: value })),
    turn: field((value) => stage.choose({ turn: value - 1 })),
  };
  const tongue = html("button", { type: "button", class: "ipl-button ipl-tongue" });
  const present = html("button", { type: "button", class: "ipl-button", "aria-pressed": "false" }, icon("present"));
  const help = html("button", { type: "button", class: "ipl-button", "aria-expanded": "false" }, sign("?"));
  const gap = html("span", { class: "ipl-gap" });
  const root = html("div", { class: "ipl-toolbar", role: "toolbar" }, chooserField, ...Object.values(fields).map(({ root: each }) => each), gap, tongue, present, help);
  chooser.addEventListener("change", () => stage.open(Number(chooser.value)));
  tongue.addEventListener("click", () => stage.speakIn(stage.language === "zh" ? "en" : "zh"));
  present.addEventListener("click", () => stage.present());
  help.addEventListener("click", () => stage.help());

  function show() {
    const there = stage.there();
    const shown = stage.shown();
    chooserField.toggleAttribute("hidden", there.length < 2);
    const options = there.map((k) => html("option", { value: k }, `${k + 1}: ${speak(stage.payload.launches[k].title, stage.language)}`));
    chooser.replaceChildren(...options);
    chooser.value = String(stage.chosen());
    const drawable = Boolean(shown?.drawable);
    for (const { root: each } of Object.values(fields)) each.toggleAttribute("hidden", !drawable);
    if (!drawable) return;
    const turns = turnsOf(shown.launch);
    fields.turn.root.toggleAttribute("hidden", turns === 1);
    set(fields.block, stage.pick.block, blocksOf(shown.launch), 0);
    set(fields.thread, stage.pick.thread, threadsOf(shown.launch), 0);
    set(fields.turn, stage.pick.turn + 1, turns, 1);
  }

  /** @param {ReturnType<typeof field>} of @param {number} value @param {number} count @param {number} first */
  function set({ input, count: words }, value, count, first) {
    input.min = String(first);
    input.max = String(count - 1 + first);
    input.value = String(value);
    words.textContent = `${first}–${grouped(count - 1 + first)}`;
  }

  function translate() {
    root.setAttribute("aria-label", stage.word("toolbar"));
    chooserWords.textContent = stage.word("launch");
    for (const [name, { words }] of Object.entries(fields)) words.textContent = stage.word(`${name}_field`);
    speakOther(tongue, stage.word("language"), stage.word("language_hint"), stage.language);
    label(present, stage.word("present"));
    label(help, stage.word("help"));
  }
  return { root, show, translate, present, help };
}
