// Follows numbers back to those from which they were computed, and on to those that they flowed into. Python has computed the edges.

import { makeDialog } from "./dialog.js";
import { html, say } from "./elements.js";
import { ALL_SLOTS, numberAt, slotOf } from "./linking.js";
import { lightPaths, makeStrip } from "./origin_strip.js";
import { fill, speak } from "./words.js";
/** @import { Payload, Said } from "./runs.js" */
/** @import { Part, Stage } from "./stage.js" */

/** @import { Came } from "./runs.js" */

/** At most so many numbers are described in the reading line. */
const MOST_SAID = 4;

// --- pure functions ---------------------------------------------------------------------------------------------------

/** The numbers from which some were computed; or (`forward`) those that were computed from them. @param {Came[]} numbers @param {number[]} some @param {boolean} forward */
export function onward(numbers, some, forward) {
  const found = forward ? numbers.flatMap((each, k) => (each[4].some((from) => some.includes(from)) ? [k] : [])) : some.flatMap((k) => numbers[k][4]);
  return [...new Set(found)];
}

/** The slot of a key, a slot ("s1:4") or an element ("t3:0,1"), as [storage, slot]; all slots for a storage or a tensor; null for any other.
 * @param {string} key @param {number} step @param {(key: string, step: number) => import("./linking.js").Layout[]} layoutsOf @returns {[number, number] | null} */
export function slotOfKey(key, step, layoutsOf) {
  const [, kind, id, place] = /^([st])(\d+)(?::([\d,]*))?$/.exec(key) ?? [];
  if (kind === "s") return [Number(id), place === undefined ? ALL_SLOTS : Number(place)];
  const [layout] = kind ? layoutsOf(`t${id}`, step) : [];
  if (!layout) return null;
  return [layout.storage, place === undefined ? ALL_SLOTS : slotOf(layout, place ? place.split(",").map(Number) : [])];
}

// --- the part ---------------------------------------------------------------------------------------------------------

/** Lights up origins, goes back and on, and shows a slot's life on request.
 * @param {Stage} stage @param {(key: string, step: number) => import("./linking.js").Layout[]} layoutsOf
 * @returns {Part & {strip: HTMLElement, close: () => boolean, toggle: () => void, walk: (forward: boolean) => void}} */
export function drawOrigins(stage, layoutsOf) {
  const { numbers, life, paths, cut } = stage.payload.origins ?? { numbers: [], life: {}, paths: {}, cut: [] };
  const dialog = makeDialog(stage);
  const strip = makeStrip(stage);
  const words = (/** @type {number} */ at) => speak(stage.payload.said[at], stage.language);
  /** How far back the front is, negative if it is ahead; what is lit up in place of the origins of the selection. @type {{of: string, back: number, front: number[]} | null} */
  let trail = null;

  /** The selected number, or the one pointed at. */
  function asked() {
    const under = slotOfKey(stage.selection || stage.pointedAt(), stage.step, layoutsOf);
    if (!under) return -1;
    const found = numberAt(numbers, ...under, stage.step);
    return found < 0 ? numberAt(numbers, under[0], ALL_SLOTS, stage.step) : found;
  }

  /** Goes one further back, or one on, and to the step at which all the numbers there are in place. @param {boolean} forward */
  function walk(forward) {
    if (!stage.payload.origins) return;
    const here = trail?.of === stage.selection ? trail : null;
    const start = asked();
    if (!here && start < 0) return stage.announce(stage.word(cut.length ? "origins_end" : "origins_none"));
    const front = onward(numbers, here ? here.front : [start], forward);
    if (!front.length) return stage.announce(stage.word(forward ? "origins_last" : "origins_end"));
    if (!stage.selection) stage.choose("selection", stage.pointedAt());
    trail = { of: stage.selection, back: (here?.back ?? 0) + (forward ? -1 : 1), front };
    const step = Math.max(0, ...front.map((k) => numbers[k][2]));
    if (step === stage.step) stage.show();
    else stage.go(step);
    stage.announce(stage.reading());
  }

  /** What is lit up: [numbers, words]; the words are those of the front of the trail. @returns {[number[], Said]} */
  function lit() {
    if (trail && trail.of !== stage.selection) trail = null;
    if (!trail) return [lightedBy(asked()), ""];
    const some = trail.front.slice(0, MOST_SAID);
    const { back, front } = trail;
    return [front, /** @type {Said} */ (["en", "zh"].map((tongue) => {
      const word = (/** @type {string} */ key, /** @type {Object<string, any>} */ facts) => fill(speak(stage.payload.words[key], tongue), facts);
      const more = front.length > some.length ? word("origins_more", { count: front.length - some.length }) : "";
      const says = some.map((k) => speak(stage.payload.said[numbers[k][3]], tongue)).join(" · ") + more;
      return back > 0 ? word("origins_back", { count: back, says }) : word("origins_into", { says });
    }))];
  }

  /** The origins of a number; of a gradient all the numbers on its paths. @param {number} k @returns {number[]} */
  function lightedBy(k) {
    const hops = (paths[k]?.paths ?? []).flatMap((path) => path.hops.map(([number]) => number)).filter((number) => number >= 0);
    return hops.length ? [...new Set(hops)] : (numbers[k]?.[4] ?? []);
  }

  function highlight() {
    // A storage on the shelf is lit up as a whole.
    const wanted = new Set(stage.origins.flatMap((k) => [...stage.sharing(numbers[k][0], numbers[k][1]), `s${numbers[k][0]}`]));
    const selected = stage.selection && !trail ? asked() : -1;
    const key = selected < 0 ? "" : `s${numbers[selected][0]}:${numbers[selected][1]}`;
    strip.show(key && `${key}`, paths[selected], life[key] ?? []);
    lightPaths(stage.root, paths[selected]?.paths ?? []);
    for (const element of stage.root.querySelectorAll("[data-origin]")) if (!wanted.has(element.getAttribute("data-k")?.split(" ")[0] ?? "")) element.removeAttribute("data-origin");
    for (const key of wanted) for (const element of stage.root.querySelectorAll(`:is(rect, path)${key.includes(":") || key.startsWith("t") ? "" : ".ipl-pin"}:is([data-k="${key}"], [data-k^="${key} "])`)) element.setAttribute("data-origin", "");
    show();
  }

  /** @param {number} k */
  function line(k) {
    const button = html("button", { type: "button", class: "ipl-pointer" });
    say(button, words(numbers[k][3]));
    button.addEventListener("click", () => {
      const [storage, slot, step] = numbers[k];
      stage.choose("selection", `s${storage}:${slot}`);
      stage.go(Math.max(0, step));
    });
    return html("li", {}, button);
  }

  /** @param {string} title @param {HTMLElement[]} items */
  const section = (title, items) => (items.length ? [html("h3", {}, stage.word(title)), html("ul", {}, ...items)] : []);

  /** @param {number} at */
  function told(at) {
    const item = html("li", {});
    say(item, words(at));
    return item;
  }

  let drawn = "";
  /** Fills the dialog, if it is open and something else is selected. */
  function show() {
    if (!dialog.isOpen()) return void (drawn = "");
    const number = trail ? trail.front[0] : asked();
    const state = `${number} ${stage.language}`;
    if (state === drawn) return;
    drawn = state;
    dialog.translate(stage.word("origins"));
    if (number < 0) return dialog.fill(html("p", {}, stage.word("origins_none")), ...cut.map((at) => html("p", {}, words(at))));
    const head = html("p", { class: "ipl-told" });
    say(head, words(numbers[number][3]));
    const gradient = paths[number];
    const key = `s${numbers[number][0]}:${numbers[number][1]}`;
    const events = life[key] ?? [];
    const rows = events.map(([step, at]) => html("tr", {}, html("td", {}, stepNumber(step)), cell(at)));
    const table = html("table", {}, html("tbody", {}, ...rows));
    dialog.fill(
      head,
      ...section("origins_paths", gradient ? [told(gradient.says), ...gradient.paths.map(({ says }) => told(says))] : []),
      ...section("origins_from", numbers[number][4].map(line)),
      ...section("origins_to", onward(numbers, [number], true).map(line)),
      html("h3", {}, stage.word("life")),
      table,
      html("p", {}, stage.word("origins_hint")),
      ...cut.map((at) => html("p", {}, words(at))),
    );
  }

  const stepNumber = (/** @type {number} */ step) => `${stage.word("life_step")} ${step + 1}`;

  /** @param {number} at */
  function cell(at) {
    const box = html("td", {});
    say(box, words(at));
    return box;
  }

  function toggle() {
    if (dialog.close() || !stage.payload.origins) return;
    dialog.open();
    show();
  }

  stage.lit = lit;
  return { root: dialog.root, strip: strip.root, close: dialog.close, toggle, walk, highlight, translate: show };
}
