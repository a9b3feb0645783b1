// One of two programs side by side: a frame with its verdict, its code and its storages, drawn as a player draws them.

import { drawCode } from "./code.js";
import { html, put, say, svg, write } from "./dom.js";
import { followPointer } from "./highlighting.js";
import { drawPanes } from "./panes.js";
import { makeStage } from "./stage.js";
import { placeOf, speak } from "./steps.js";
import { drawReadout } from "./texts.js";
/** @import { Part, Stage } from "./stage.js" */
/** @import { Payload, Said, Step } from "./steps.js" */

/** The payload of one program: that of its scene, with its name and its verdict. `changed` are the lines that differ.
 * @typedef {Payload & {called: Said, named: Said, verdict: Said, raises: boolean, bytes: Said, unequal: boolean, changed: number[]}} SidePayload */
/** A position of the common cursor: for either side the last step there or before (null: not begun), what is said while it waits ([by event, by
 * line]; -1: it does not wait), the storages that it draws in full, and [group, outlines, group, outlines, ...].
 * @typedef {Step & {at_sides: (number | null)[], waits: [number, number][], drawn: string[], outlines: number[][]}} Row */
/** @typedef {Payload & {sides: SidePayload[], steps: Row[], paths: string[][], concludes: number}} ComparisonPayload */

const STYLES_OF_OUTLINES = ["ipl-differs", "ipl-differs-ground", "ipl-differs-sign"];

/** What is said of a side that waits; "" if it does something. @param {Row} row @param {number} which @param {string} mode @param {Said[]} said @param {string} language */
export function waitingWords({ waits }, which, mode, said, language) {
  const at = waits[which][mode === "line" ? 1 : 0];
  return at < 0 ? "" : speak(said[at], language);
}

/** The first position at which a side has reached a step. @param {Row[]} rows @param {number} which @param {number} step */
export function rowOf(rows, which, step) {
  return rows.findIndex((row) => (row.at_sides[which] ?? -1) >= step);
}

/** @param {Stage} stage @param {number} which @returns {Part & {stage: Stage, code: Part | null, storages: Part, refresh: () => void}} */
export function drawSide(stage, which) {
  const whole = /** @type {ComparisonPayload} */ (stage.payload);
  const payload = { ...whole.sides[which], words: { ...whole.words, ...whole.sides[which].words } };
  const root = html("section", { class: `ipl-side${payload.raises ? " ipl-raises" : ""}` });
  const verdict = html("h3", { class: "ipl-verdict" });
  const name = html("span");
  const peak = html("span", { class: payload.unequal ? "ipl-unequal" : "" });
  const head = html("div", { class: "ipl-side-head" }, verdict, html("div", { class: "ipl-side-facts" }, name, peak));
  const did = html("p", { class: "ipl-did" });
  const side = makeStage(payload, root, {
    language: stage.language,
    mode: stage.mode,
    step: whole.steps[stage.step].at_sides[which] ?? 0,
    tell: (trait, value) => trait === "step" && stage.go(stage.stops[placeOf(rowOf(whole.steps, which, value), stage.stops)]),
  });
  const code = payload.source.length ? drawCode(side) : null;
  for (const line of payload.changed) code?.lineAt(line)?.classList.add("ipl-changed-line");
  const { storages } = drawPanes(side);
  const readout = drawReadout(side);
  side.parts.push(...(code ? [code] : []), storages, readout);
  root.append(head, html("div", { class: "ipl-side-main" }, ...(code ? [code.root] : []), storages.root), did, readout.root);
  followPointer(side);

  function show() {
    const row = whole.steps[stage.step];
    const at = row.at_sides[which];
    side.followed = { ...side.followed, storages: new Set(row.drawn[which].split(" ")) };
    if (side.mode !== stage.mode) side.follow("mode", stage.mode);
    outline(row.outlines[which]);
    // Also for the same step: the other side may have gone on, so other storages are drawn.
    if (!side.follow("step", at ?? 0)) side.show();
    const waiting = waitingWords(row, which, stage.mode, whole.said, stage.language);
    root.toggleAttribute("data-waits", waiting !== "");
    root.toggleAttribute("data-unbegun", at === null);
    const step = payload.steps[side.step];
    // At an error the line did not end, and the error says more.
    const { says } = (stage.mode === "line" && !step.error ? step.whole : undefined) ?? step;
    say(did, waiting || speak(payload.said[says], stage.language));
    // Marks that were made just now are below the outlines, too.
    for (const element of side.outlined ?? []) element.parentNode?.append(element);
  }

  /** @param {number[]} outlines */
  function outline(outlines) {
    for (const element of side.outlined ?? []) element.remove();
    side.outlined = [];
    for (let k = 0; k < outlines.length; k += 2) {
      const marks = STYLES_OF_OUTLINES.map((style, part) => svg("path", { class: style, d: whole.paths[outlines[k + 1]][part] }));
      storages.holderAt?.(outlines[k])?.append(...marks);
      side.outlined.push(...marks);
    }
  }

  function translate() {
    if (!side.follow("language", stage.language)) side.begin();
    put(root, "aria-label", speak(payload.named, stage.language));
    write(verdict, speak(payload.verdict, stage.language));
    put(verdict, "title", verdict.textContent ?? "");
    write(name, speak(payload.called, stage.language));
    write(peak, speak(payload.bytes, stage.language));
  }

  return { root, stage: side, code, storages, refresh: side.show, show, translate };
}
