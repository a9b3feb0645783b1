// Kernel launches: a step shows a picked thread. Finds the step for a thread, and draws the fields that choose one.

import { html, put, write } from "./dom.js";
import { isTaken } from "./keyboard.js";
import { speak } from "./steps.js";
/** @import { Part, Stage } from "./stage.js" */
/** @import { Payload, Said, Step } from "./steps.js" */

/** The parts of a pick, in their order in `at` of a step. The warp and the lane follow from the thread. */
const PARTS = ["launch", "block", "turn", "warp", "lane", "thread"];
/** The parts with a field, in the order of the fields. */
const FIELDS = ["launch", "block", "thread", "turn"];
/** Keys that pick the neighbor of a thread in another warp, block or turn. */
/** @type {Object<string, [string, number]>} */
const NEIGHBOURS = { ArrowUp: ["warp", -1], ArrowDown: ["warp", 1], PageUp: ["block", -1], PageDown: ["block", 1], "[": ["turn", -1], "]": ["turn", 1] };

/** @typedef {{title: Said, step: number | null, picks: boolean, of?: Object<string, number>, drawn?: Said}} Launch  `step`: of the recording; `of`: how many blocks, threads and turns there are; `drawn`: which of them are, if not all. */
/** @typedef {Object<string, number>} Wanted  Some parts of a pick. */

/** A part of the pick that a step shows. @param {Step} step @param {string} part */
export const partOf = ({ at }, part) => at?.[PARTS.indexOf(part)];

/** The step that shows the wanted parts and is otherwise nearest to `from`; -1 if there is none.
 * @param {Step[]} steps @param {(number | undefined)[]} from  As `at` of a step. @param {Wanted} wanted */
export function nearestStep(steps, from, wanted) {
  let [best, least] = [-1, /** @type {number[]} */ ([])];
  steps.forEach((step, k) => {
    if (!step.at || Object.keys(wanted).some((part) => partOf(step, part) !== wanted[part])) return;
    const off = step.at.map((value, part) => Math.abs(value - (from[part] ?? value)));
    const first = off.findIndex((value, part) => value !== least[part]);
    if (best < 0 || (first >= 0 && off[first] < least[first])) [best, least] = [k, off];
  });
  return best;
}

/** The values of a part of the pick that are drawn for a launch, in order. @param {Step[]} steps @param {number | undefined} launch @param {string} part */
export function drawnOf(steps, launch, part) {
  const found = steps.filter((step) => partOf(step, "launch") === launch).flatMap((step) => partOf(step, part) ?? []);
  return [...new Set(found)].sort((one, other) => one - other);
}

/** The launches of a step of the recording; all launches if no step is followed. @param {Launch[]} launches @param {number} step  -1: none. */
export function launchesAt(launches, step) {
  return launches.map((_, k) => k).filter((k) => step < 0 || launches[k].step === step);
}

/** The step for the pick of a model. The last step shows that there is no launch. @param {Payload} payload @param {(trait: string) => number} get */
export function stepFor({ steps, launches = [] }, get) {
  const here = launchesAt(launches, get("step"));
  if (!here.length) return steps.length - 1;
  const launch = here.includes(get("launch")) ? get("launch") : here[0];
  return nearestStep(steps, [launch, get("block"), get("turn"), undefined, undefined, get("thread")], { launch });
}

/** Draws the fields, and a note of what is drawn of the launch. @param {Stage} stage @param {() => number} followed  The step of the recording that is followed; -1 for none. @returns {Part} */
export function drawPicks(stage, followed) {
  const { steps, launches = [] } = stage.payload;
  const fields = FIELDS.map((part) => {
    const [words, select, count] = [html("span"), html("select", { class: "ipl-button" }), html("span")];
    select.addEventListener("change", () => stage.pick({ [part]: Number(select.value) }));
    return { part, words, select, count, root: html("label", { class: "ipl-field" }, words, select, count) };
  });
  const drawn = html("span", { class: "ipl-drawn" });
  const root = html("div", { class: "ipl-picks" }, ...fields.map((field) => field.root), drawn);
  stage.root.addEventListener("keydown", walk);

  let filled = "";

  function show() {
    const launch = partOf(steps[stage.step], "launch");
    const offered = launchesAt(launches, followed());
    root.hidden = launch === undefined || !(launches[launch].picks || offered.length > 1);
    if (launch === undefined) return;
    const state = `${launch} ${offered} ${stage.language}`;
    if (state !== filled) for (const field of fields) fill(field, launch, offered);
    filled = state;
    for (const { part, select } of fields) select.value = String(partOf(steps[stage.step], part));
    write(drawn, speak(launches[launch].drawn, stage.language));
    put(drawn, "title", stage.word("drawn_hint"));
  }

  /** @param {typeof fields[0]} field @param {number} launch @param {number[]} offered */
  function fill({ part, root: field, select, count }, launch, offered) {
    const values = part === "launch" ? offered : drawnOf(steps, launch, part);
    const total = part === "launch" ? offered.length : (launches[launch].of?.[part] ?? 1);
    field.hidden = total < 2;
    select.replaceChildren(...values.map((value) => html("option", { value }, nameOf(part, value))));
    write(count, part === "launch" ? "" : stage.word("of_all", { count: total.toLocaleString("en") }));
  }

  /** @param {string} part @param {number} value */
  function nameOf(part, value) {
    if (part === "launch") return `${value + 1}: ${speak(launches[value].title, stage.language)}`;
    return (part === "turn" ? value + 1 : value).toLocaleString("en");
  }

  /** @param {KeyboardEvent} event */
  function walk(event) {
    const { key, target, ctrlKey, altKey, metaKey } = event;
    if (ctrlKey || altKey || metaKey || !Object.hasOwn(NEIGHBOURS, key) || isTaken(/** @type {HTMLInputElement} */ (target), key)) return;
    const [part, by] = NEIGHBOURS[key];
    const now = steps[stage.step];
    const values = now.at ? drawnOf(steps, partOf(now, "launch"), part) : [];
    const next = values[values.indexOf(partOf(now, part) ?? -1) + by];
    if (next !== undefined) stage.pick({ [part]: next });
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  function translate() {
    for (const { part, words } of fields) words.textContent = stage.word(part);
    put(root, "aria-label", stage.word("toolbar"));
  }

  return { root, show, translate };
}
