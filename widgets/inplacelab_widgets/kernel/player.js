// A launch in the browser: the marks that never change come from Python, those of the picked thread are worked out here.

import { html, svg } from "../player/elements.js";
import { keepShortcutsAway } from "../player/shortcuts.js";
import { arrived } from "../player/unpack.js";
import { fill, speak } from "../player/words.js";
import { pickAbove } from "./blocks.js";
import { drawControls } from "./controls.js";
import { pickAfter } from "./keys.js";
import { fitted, served } from "./pick.js";
import { pickedMarks, spoken } from "./scene.js";
import { pickBelow } from "./strips.js";
import { pickedTables } from "./tables.js";

const PAD = 12;

/** @param {import("./drawing.js").Drawn} drawn @param {string} language */
function element([tag, style, place, said], language) {
  const made = svg(tag, { ...place, class: style.split(" ").map((name) => `ipl-${name}`).join(" ") });
  if (said !== null) made.textContent = speak(said, language);
  return made;
}

/** @param {{caption: any, heads: any[], rows: any[][]}} table @param {string} language */
function tableOf({ caption, heads, rows }, language) {
  const said = (/** @type {any} */ words) => speak(words, language);
  const head = heads.length ? [html("thead", {}, html("tr", {}, ...heads.map((each) => html("th", { scope: "col" }, said(each)))))] : [];
  const lines = rows.map(([first, ...rest]) => html("tr", {}, html("th", { scope: "row" }, said(first)), ...rest.map((cell) => html("td", {}, said(cell)))));
  return html("table", {}, html("caption", {}, said(caption)), ...head, html("tbody", {}, ...lines));
}

/** Shows launches in an element. `tell` hears what the reader chose: "pick" with block, thread and turn, "launch", "language".
 * @param {HTMLElement} holder @param {any} payload @param {any} [given] */
export function mountKernel(holder, payload, given = {}) {
  const stage = {
    payload,
    language: given.language ?? "en",
    pick: { block: given.block ?? 0, thread: given.thread ?? 0, turn: given.turn ?? 0 },
    launch: given.launch ?? 0,
    step: given.step ?? -1,
    word: (/** @type {string} */ key) => speak(payload.words[key], stage.language),
    there,
    chosen,
    shown: () => payload.launches[chosen()],
    choose,
    open,
    speakIn,
    present,
    help,
  };
  const tell = given.tell ?? (() => {});
  // The picture is told in one sentence; its marks would be read one by one.
  const marks = svg("g", { "aria-hidden": "true" });
  const drawing = svg("svg", { role: "img", width: payload.width + 2 * PAD });
  drawing.append(marks);
  const pane = html("div", { class: "ipl-kernel-pane", tabindex: 0, role: "application" }, drawing);
  const message = html("p", { class: "ipl-kernel-message" });
  const status = html("div", { class: "ipl-aloud", role: "status", "aria-live": "polite" });
  const summary = html("summary", {});
  const tables = html("div", { class: "ipl-tables" });
  const details = /** @type {HTMLDetailsElement} */ (html("details", { class: "ipl-details" }, summary, tables));
  const keys = html("div", { class: "ipl-help", role: "dialog", hidden: "" });
  const controls = drawControls(stage);
  const root = html("section", { class: "ipl ipl-kernel", role: "region" });
  keepShortcutsAway(root);
  root.append(controls.root, message, pane, html("div", { class: "ipl-foot" }, details), status, keys);
  if (given.standalone) root.classList.add("ipl-standalone");
  holder.append(root);

  /** The launches of the step; all of them if no step is followed. */
  function there() {
    const all = payload.launches.map((/** @type {any} */ _, /** @type {number} */ k) => k);
    return stage.step < 0 ? all : all.filter((/** @type {number} */ k) => payload.launches[k].step === stage.step);
  }

  /** The launch that is shown: the chosen one if it is of the step, or else the step's first; -1 for none. */
  function chosen() {
    const here = there();
    return here.includes(stage.launch) ? stage.launch : (here[0] ?? -1);
  }

  /** @param {Partial<typeof stage.pick>} part */
  function choose(part) {
    const shown = stage.shown();
    if (!shown) return;
    stage.pick = fitted(shown, { ...stage.pick, ...part });
    show();
    tell("pick", stage.pick);
  }

  /** @param {number} launch */
  function open(launch) {
    stage.launch = launch;
    tell("launch", launch);
    choose({});
  }

  /** @param {string} language */
  function speakIn(language) {
    stage.language = language;
    translate();
    tell("language", language);
  }

  function show() {
    const shown = stage.shown();
    controls.show();
    message.toggleAttribute("hidden", Boolean(shown));
    pane.toggleAttribute("hidden", !shown);
    details.toggleAttribute("hidden", !shown);
    if (!shown) return tellEmpty();
    stage.pick = fitted(shown, stage.pick);
    const picked = shown.drawable ? pickedMarks(shown, stage.pick, stage.word, stage.language) : [];
    const said = shown.drawable ? spoken(shown, stage.pick, stage.word, stage.language) : "";
    const wide = payload.width + 2 * PAD;
    const tall = shown.height + 2 * PAD;
    drawing.setAttribute("viewBox", `${-PAD} ${-PAD} ${wide} ${tall}`);
    drawing.setAttribute("height", String(tall));
    drawing.style.setProperty("--ipl-tall", String(tall));
    drawing.setAttribute("aria-label", `${speak(shown.says, stage.language)}. ${said}`);
    marks.replaceChildren(...[...shown.marks, ...picked].map((mark) => element(mark, stage.language)));
    status.textContent = said;
    fillTables();
  }

  function tellEmpty() {
    const steps = [...new Set(payload.launches.map((/** @type {any} */ each) => each.step + 1))].join(", ");
    message.textContent = stage.word("no_launch") + (steps ? ` ${fill(stage.word("in_steps"), { steps })}` : "");
    status.textContent = message.textContent;
  }

  function fillTables() {
    if (!details.open) return;
    const shown = stage.shown();
    const found = shown.drawable ? pickedTables(shown, stage.pick, stage.word) : [];
    tables.replaceChildren(...[shown.facts, ...found].map((table) => tableOf(table, stage.language)));
  }
  details.addEventListener("toggle", fillTables);

  function translate() {
    root.lang = stage.language === "zh" ? "zh-Hans" : "en";
    root.setAttribute("aria-label", fill(stage.word("region"), { title: payload.launches.map((/** @type {any} */ each) => each.launch.kernel)[0] ?? "" }));
    pane.setAttribute("aria-label", stage.word("picture"));
    summary.textContent = stage.word("tables");
    keys.setAttribute("aria-label", stage.word("help_title"));
    const rows = payload.keys.flatMap((/** @type {any[]} */ [names, does]) => [
      html("dt", {}, ...speak(names, stage.language).split(" ").map((name) => html("kbd", {}, name))),
      html("dd", {}, speak(does, stage.language)),
    ]);
    const close = html("button", { type: "button", class: "ipl-button" }, stage.word("close"));
    close.addEventListener("click", help);
    keys.replaceChildren(html("h2", {}, stage.word("help_title")), html("dl", {}, ...rows), close);
    controls.translate();
    show();
  }

  function help() {
    keys.hidden = !keys.hidden;
    controls.help.setAttribute("aria-expanded", String(!keys.hidden));
    (keys.hidden ? pane : keys.querySelector("button"))?.focus();
  }

  function present() {
    const on = root.classList.toggle("ipl-present-kernel");
    controls.present.setAttribute("aria-pressed", String(on));
    if (on && root.requestFullscreen) root.requestFullscreen().catch(() => {});
    if (!on && document.fullscreenElement === root) document.exitFullscreen();
    pane.focus();
  }
  root.addEventListener("fullscreenchange", () => document.fullscreenElement !== root && root.classList.contains("ipl-present-kernel") && present());

  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (take(event.key, typing)) {
      event.preventDefault();
      event.stopPropagation();
    }
  });

  /** Whether a key was ours. @param {string} key @param {boolean} typing */
  function take(key, typing) {
    if (key === "Escape") {
      if (!keys.hidden) help();
      else if (root.classList.contains("ipl-present-kernel")) present();
      else /** @type {HTMLElement} */ (document.activeElement)?.blur();
      return true;
    }
    if (typing) return false;
    if (key === "?") help();
    else if (key === "f" || key === "F") present();
    else {
      const shown = stage.shown();
      const next = shown?.drawable && keys.hidden && document.activeElement === pane ? pickAfter(shown, stage.pick, key) : undefined;
      if (!next) return false;
      choose(next);
    }
    return true;
  }

  pane.addEventListener("click", (event) => {
    const shown = stage.shown();
    const matrix = /** @type {SVGSVGElement} */ (drawing).getScreenCTM();
    if (!shown?.drawable || !matrix) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const next = pickAbove(shown.launch, stage.pick, x, y) ?? pickBelow(shown, stage.pick, served(shown, stage.pick), x, y);
    if (next) choose(next);
  });

  translate();
  return {
    stage,
    /** The other side has changed something. @param {string} trait @param {any} value */
    follow(trait, value) {
      if (trait === "language") stage.language = value;
      else if (trait === "step" || trait === "launch") stage[trait] = value;
      else stage.pick = { ...stage.pick, [trait]: value };
      if (trait === "language") translate();
      else show();
    },
    destroy: () => root.remove(),
  };
}

const TRAITS = ["block", "thread", "turn", "launch", "language", "step"];

/** The anywidget entry point. @param {{model: any, el: HTMLElement}} view */
function render({ model, el }) {
  const given = Object.fromEntries(TRAITS.map((trait) => [trait, model.get(trait)]));
  const player = mountKernel(el, model.get("_payload"), {
    ...given,
    tell(/** @type {string} */ trait, /** @type {any} */ value) {
      if (trait === "pick") for (const part of ["block", "thread", "turn"]) model.set(part, value[part]);
      else model.set(trait, value);
      model.save_changes();
    },
  });
  const followers = TRAITS.map((trait) => ({ trait, follow: () => player.follow(trait, model.get(trait)) }));
  for (const { trait, follow } of followers) model.on(`change:${trait}`, follow);
  return () => {
    for (const { trait, follow } of followers) model.off(`change:${trait}`, follow);
    player.destroy();
  };
}

/** What an exported page calls. @param {HTMLElement} el @param {any} payload  As it travels. @param {any} options */
async function play(el, payload, options) {
  mountKernel(el, await arrived(payload), options);
}

export default { render, play };
