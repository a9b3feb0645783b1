// Draws the selected number at the foot of the pictures: the paths of its gradient, hop by hop, or the life of its slot as a line.

import { html, put, svg } from "./elements.js";
import { fill, speak } from "./words.js";
/** @import { LifeEvent, Path, Paths } from "./runs.js" */
/** @import { Stage } from "./stage.js" */

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
export function makeStrip(stage) {
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
      const words = line && role !== "used" ? ` ⟵ ${fill(stage.word("path_overwrote"), { line })}` : "";
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
      const texts = [...(value ? [["ipl-life-value", -9, value]] : []), ...(line ? [["ipl-life-at", 24, `${line}`]] : [])];
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
    return html("div", { class: "ipl-strip-life" }, html("div", { class: "ipl-strip-legend" }, name, ...legend, html("span", {}, stage.word("life_lines"))), html("div", { class: "ipl-strip-scroll" }, drawing));
  }

  return { root, show };
}

/** Lights up the paths in the graph, with their factors at the nodes. @param {HTMLElement} root @param {Path[]} paths */
export function lightPaths(root, paths) {
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
    words.forEach((each, k) => {
      const text = svg("text", { class: each.startsWith("✗") ? "ipl-factor ipl-factor-used" : "ipl-factor" });
      put(text, "x", x + width);
      put(text, "y", y + height + 13 + 13 * k);
      text.textContent = each;
      mark.parentNode?.append(text);
    });
  }
}
