// Follows numbers back to those from which they were computed, and on to those that they flowed into. Python has computed the edges.

import { makeDialog } from "./dialog.js";
import { html, put, say, svg } from "./dom.js";
import { ALL_SLOTS, numberAt, slotOf } from "./linking.js";
import { lineNumber } from "./places.js";
import { fill, speak } from "./steps.js";
import { openingOf } from "./zoom.js";
/** @import { Part, Stage } from "./stage.js" */
/** @import { Came, LifeEvent, Path, Paths, Said } from "./steps.js" */

// Draws the selected number at the foot of the pictures: the paths of its gradient, hop by hop, or the life of its slot as a line.

/** At most so many paths are drawn; the dialog lists them all. */
const PATHS_DRAWN = 4;
/** The least distance of two numbers on the line of a life, and the width of a character of one, in px. */
const [EVENT_GAP, DIGIT] = [18, 7.5];
/** The signs of the kinds of events, around (0, 0): made, written, read, kept, overwritten while kept, found stale. */
const EVENT_SIGNS = ["M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z", "M0 -6l6 6l-6 6l-6 -6z", "M-4 4h8l-4 7z", "M-4 4h8v7h-8z", "M-5 -5l10 10M5 -5l-10 10", "M-5 -5l10 10M5 -5l-10 10"];

// --- pure functions ---------------------------------------------------------------------------------------------------

/** The paths to draw: of a wrong gradient the right one and the one that was used, one above the other. @param {Path[]} paths @param {number} most @returns {Path[]} */
export function pathRows(paths, most) {
  const [right, used] = ["right", "used"].map((role) => paths.filter((path) => path.role === role));
  if (!right.length) return paths.slice(0, most);
  const pairs = right.flatMap((path, k) => [path, ...(used[k] ? [used[k]] : [])]);
  return [...pairs, ...used.slice(right.length)].slice(0, most);
}

/** What is written at the nodes of the graph: [node, right factor, used factor or ""]. @param {Path[]} paths @returns {Map<number, {right: string[], used: string[]}>} */
export function factorsOf(paths) {
  const found = new Map();
  for (const { role, hops } of paths) {
    for (const [, , , factor, node] of hops) {
      if (node < 0 || !factor) continue;
      const here = found.get(node) ?? { right: [], used: [] };
      const side = here[role === "used" ? "used" : "right"];
      if (!side.includes(factor)) side.push(factor);
      found.set(node, here);
    }
  }
  return found;
}

/** The places of events on a line of some width: evenly by their steps, and never closer than they are wide.
 * @param {LifeEvent[]} life @param {number} width @returns {number[]} */
export function eventPlaces(life, width) {
  if (!life.length) return [];
  const [first, last] = [life[0][0], Math.max(life[0][0] + 1, life[life.length - 1][0])];
  let free = -Infinity;
  return life.map(([step, , , value]) => {
    const x = Math.max(((step - first) / (last - first)) * width, free);
    free = x + EVENT_GAP + DIGIT * value.length;
    return Math.round(x);
  });
}

// --- the part ---------------------------------------------------------------------------------------------------------

/** @param {Stage} stage */
function makeStrip(stage) {
  const root = html("div", { class: "ipl-strip", hidden: "" });
  const words = (/** @type {number} */ at) => speak(stage.payload.said[at], stage.language);
  let drawn = "";

  /** @param {string} key @param {Paths | undefined} gradient @param {LifeEvent[]} life */
  function show(key, gradient, life) {
    const state = `${key} ${stage.language} ${life.length ? stage.step : ""}`;
    if (state === drawn) return;
    drawn = state;
    const isEmpty = !key || (!gradient?.paths.length && !life.length);
    root.hidden = isEmpty;
    if (isEmpty) return void root.replaceChildren();
    if (gradient?.paths.length) {
      const rows = pathRows(gradient.paths, PATHS_DRAWN);
      const more = gradient.paths.length - rows.length;
      stage.announce([gradient.says, ...rows.map(({ says }) => says)].map((at) => words(at).replaceAll("`", "")).join(". "));
      root.replaceChildren(
        ...rows.map((path) => rowOf(gradient.start, path)),
        ...(more > 0 ? [html("p", { class: "ipl-strip-more" }, fill(stage.word("path_more"), { count: more }))] : []),
      );
    } else root.replaceChildren(lineOf(key, life));
  }

  /** @param {string} start @param {Path} path */
  function rowOf(start, { says, role, hops, end }) {
    const chip = (/** @type {string} */ name, /** @type {string} */ value, /** @type {number} */ number) => {
      const [storage, slot] = stage.payload.origins?.numbers[number] ?? [];
      const button = html("button", { type: "button", class: "ipl-strip-chip", ...(storage === undefined ? {} : { "data-k": `s${storage}:${slot}` }) }, name);
      if (value) button.append(html("b", {}, value));
      return button;
    };
    const parts = hops.flatMap(([number, name, value, factor, , line]) => {
      const words = line && role !== "used" ? ` ⟵ ${stage.payload.sources ? stage.word("path_overwrote_at", { place: stage.lineWords(line) }) : stage.word("path_overwrote", { line })}` : "";
      const by = html("span", { class: line ? "ipl-strip-factor ipl-strip-lost" : "ipl-strip-factor" }, factor ? `× ${factor}` : "", ...(words ? [html("i", {}, words)] : []));
      return [by, html("span", { class: "ipl-strip-arrow" }, "→"), chip(name, value, number)];
    });
    const label = role ? [html("span", { class: "ipl-strip-role" }, stage.word(`path_${role}`))] : [];
    const row = html("div", { class: "ipl-strip-row", role: "group", "aria-label": words(says).replaceAll("`", "") }, ...label, chip(start, "", -1), ...parts);
    if (words(end)) row.append(html("span", { class: "ipl-strip-end" }, words(end)));
    if (role) row.dataset.role = role;
    return row;
  }

  /** The life of a slot as a line. @param {string} key @param {LifeEvent[]} life */
  function lineOf(key, life) {
    const width = Math.max(200, root.clientWidth - 150);
    const [, storage, slot] = /^s(\d+):(\d+)$/.exec(key) ?? [];
    const name = html("span", { class: "ipl-strip-role" }, fill(stage.word("life_of"), { slot, storage: `S${storage}` }));
    const drawing = svg("svg", { width: width + 60, height: 46, role: "img", "aria-label": life.map(([, at]) => words(at).replaceAll("`", "")).join(" · ") });
    const places = eventPlaces(life, width - 20).map((x) => x + 10);
    const kinds = stage.word("life_kinds").split("|");
    life.forEach(([step, at, kind, value], k) => {
      const wide = [...life.keys()].find((next) => next > k && life[next][3]) ?? life.length - 1;
      if (value) drawing.append(svg("path", { class: "ipl-life-line", d: `M${places[k]} 20H${Math.max(places[k] + 16, places[wide])}` }));
      const event = svg("g", { class: `ipl-life ipl-life-${kind}`, transform: `translate(${places[k]} 20)`, "data-k": `step:${step}` });
      event.toggleAttribute("data-now", step === stage.step);
      const title = svg("title");
      title.textContent = words(at).replaceAll("`", "");
      event.append(title, svg("rect", { x: -7, y: -8, width: 14, height: 24 }), svg("path", { d: EVENT_SIGNS[kind] }));
      const line = stage.payload.steps[Math.max(0, step)].line;
      const texts = [...(value ? [["ipl-life-value", -9, value]] : []), ...(line ? [["ipl-life-at", 24, lineNumber(stage.payload, line, stage.language)]] : [])];
      for (const [style, y, content] of texts) {
        const text = svg("text", { class: style, y });
        text.textContent = String(content);
        event.append(text);
      }
      drawing.append(event);
    });
    const legend = [...new Set(life.map(([, , kind]) => kind))].sort().map((kind) => {
      const sign = svg("svg", { class: `ipl-life ipl-life-${kind}`, width: 14, height: 14, viewBox: kind === 2 || kind === 3 ? "-7 0 14 14" : "-7 -7 14 14", "aria-hidden": "true" });
      sign.append(svg("path", { d: EVENT_SIGNS[kind] }));
      return html("span", {}, sign, kinds[kind]);
    });
    return html("div", {}, html("div", { class: "ipl-strip-legend" }, name, ...legend, html("span", {}, stage.word("life_lines"))), html("div", { class: "ipl-strip-scroll" }, drawing));
  }

  return { root, show };
}

/** Lights up the paths in the graph, with their factors at the nodes. @param {HTMLElement} root @param {Path[]} paths */
function lightPaths(root, paths) {
  for (const old of root.querySelectorAll(".ipl-factor")) old.remove();
  for (const old of root.querySelectorAll("[data-path]")) old.removeAttribute("data-path");
  if (!paths.length) return;
  const used = new Set(paths.filter(({ role }) => role === "used").flatMap(({ lights }) => lights.split(" ")));
  const wanted = new Set(paths.flatMap(({ lights }) => lights.split(" ")));
  const factors = factorsOf(paths);
  for (const mark of root.querySelectorAll(".ipl-graph :is(.ipl-node, .ipl-edge)")) {
    const keys = (mark.getAttribute("data-k") ?? "").split(" ").filter((key) => wanted.has(key));
    if (!keys.length) continue;
    mark.setAttribute("data-path", keys.some((key) => used.has(key)) || !used.size ? "" : "unused");
    const node = keys.map((key) => factors.get(Number(key.slice(1)))).find((each) => each);
    if (!node || !mark.hasAttribute("width")) continue;
    const [x, y, width, height] = ["x", "y", "width", "height"].map((side) => Number(mark.getAttribute(side)));
    const words = [...node.right.slice(0, 2).map((each) => `× ${each}`), ...node.used.filter((each) => !node.right.includes(each)).slice(0, 1).map((each) => `✗ × ${each}`)];
    // Below a node; a box of many has room for one above it.
    const isFolded = openingOf(mark.getAttribute("data-k") ?? "") >= 0;
    words.slice(0, isFolded ? 1 : words.length).forEach((each, k) => {
      const text = svg("text", { class: each.startsWith("✗") ? "ipl-factor ipl-factor-used" : "ipl-factor" });
      put(text, "x", x + width);
      put(text, "y", isFolded ? y - 4 : y + height + 13 + 13 * k);
      text.textContent = each;
      mark.parentNode?.append(text);
    });
  }
}

// Follows numbers back to those from which they were computed, and on to those that they flowed into. Python has computed the edges.

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
    // A storage in the table is lit up as a whole.
    const wanted = new Set(stage.origins.flatMap((k) => [...stage.sharing(numbers[k][0], numbers[k][1]), `s${numbers[k][0]}`]));
    const selected = stage.selection && !trail ? asked() : -1;
    const key = selected < 0 ? "" : `s${numbers[selected][0]}:${numbers[selected][1]}`;
    strip.show(key && `${key}`, paths[selected], life[key] ?? []);
    lightPaths(stage.root, paths[selected]?.paths ?? []);
    for (const element of stage.root.querySelectorAll("[data-origin]")) if (!wanted.has(element.getAttribute("data-k")?.split(" ")[0] ?? "")) element.removeAttribute("data-origin");
    for (const key of wanted) for (const element of stage.root.querySelectorAll(key.includes(":") || key.startsWith("t") ? `:is(rect, path):is([data-k="${key}"], [data-k^="${key} "])` : `[data-table] > text[data-k~="${key}"]`)) element.setAttribute("data-origin", "");
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
