// Plays programs side by side with one cursor: what it comes to, a frame for each program, and what is new at each step. The ranks of one
// program have an axis above the frames.

import { comparisonCardOf } from "./comparison_card.js";
import { html, say } from "./dom.js";
import { drawHelp } from "./help.js";
import { followKeys } from "./keyboard.js";
import { keepShortcutsAway } from "./notebook.js";
import { leastSize, sizeFor } from "./pane_heights.js";
import { drawPanes } from "./panes.js";
import { drawPresent } from "./present.js";
import { drawShare, linkTo } from "./share.js";
import { drawSide } from "./sides.js";
import { makeStage } from "./stage.js";
import { speak } from "./steps.js";
import { drawNotice, drawSentence, drawTables } from "./texts.js";
import { drawToolbar } from "./toolbar.js";
import { PLAYERS } from "./widget.js";
/** @import { ComparisonPayload } from "./sides.js" */
/** @import { Part, Stage, Trait } from "./stage.js" */

/** The height that it may take in a notebook, in px and as a part of the window. */
const NOTEBOOK = 600;
const PART_OF_WINDOW = 0.8;
/** Where the programs are one below the other, the most height of the code and of the storages, in px. */
const STACKED = [150, 260];
/** The least height of storages beside long code, as a part of the room. */
const LEAST_STORAGES = 0.62;

/** A dialog that a comparison does not have. */
const NEVER_OPEN = { close: () => false };

/** Divides the height of a frame between code and storages, which need so much. @param {number} code @param {number} storages @param {number} room
 * @returns {[number, number]} */
export function sharedByCode(code, storages, room) {
  const rest = Math.max(room - storages, Math.min(code, (1 - LEAST_STORAGES) * room));
  const high = Math.min(code, rest);
  return [high, Math.max(0, Math.min(storages, room - high))];
}

/** How many frames stand beside each other: two or three. @param {number} count */
const beside = (count) => (count === 3 ? 3 : 2);

/**
 * Builds the player of two programs in `el`.
 * @param {HTMLElement} el
 * @param {ComparisonPayload} payload
 * @param {{step?: number, language?: string, mode?: string, standalone?: boolean, tell?: (trait: Trait, value: any) => void}} [options]
 */
function mountComparison(el, payload, options = {}) {
  const root = html("div", { class: "ipl ipl-comparison", role: "region", tabindex: "0" });
  keepShortcutsAway(root);
  root.classList.toggle("ipl-standalone", options.standalone === true);
  const stage = makeStage(payload, root, { ...options, mode: options.mode ?? "line" });
  const toolbar = drawToolbar(stage);
  const help = drawHelp(stage);
  const present = drawPresent(stage);
  const conclusion = drawConclusion(stage);
  const sides = payload.sides.map((_, which) => drawSide(stage, which));
  // Of the ranks of one program there are no cards.
  const share = payload.sharing ? drawShare(stage, options.standalone ? (step) => linkTo(location.href, step) : null, () => comparisonCardOf(stage, sides.map((side) => side.stage))) : null;
  toolbar.add(...(share ? [share.button] : []), present.root, help.button);
  const panes = Object.values(drawPanes(stage));
  const sentence = drawSentence(stage, { button: html("button"), words: () => "" });
  const tables = drawTables(stage);
  const foot = drawTablesAndKeys(stage, tables.root);
  const notice = drawNotice(stage);
  foot.root.append(notice.root);
  stage.parts.push(conclusion, ...panes, ...sides, tables, foot, notice, present, help, ...(share ? [share] : []), toolbar, sentence);
  const frames = html("div", { class: "ipl-sides" }, ...sides.map((side) => side.root));
  frames.style.setProperty("--ipl-beside", String(beside(sides.length)));
  root.append(toolbar.root, conclusion.root, ...panes.map((pane) => pane.root), frames, sentence.root, foot.root, tables.holder, help.root, ...(share ? [share.root] : []));
  el.replaceChildren(root);
  followKeys(stage, { help, keepers: NEVER_OPEN, fixes: NEVER_OPEN, share, present, pace: toolbar.pace });
  stage.begin();
  const room = keepFrames(stage, sides, [toolbar, conclusion, ...panes, sentence, foot].map((part) => part.root));
  return {
    follow: stage.follow,
    stage,
    destroy() {
      toolbar.pace.stop();
      room.stop();
    },
  };
}

/** @param {Stage} stage @returns {Part} */
function drawConclusion(stage) {
  const { said, concludes } = /** @type {ComparisonPayload} */ (stage.payload);
  const root = html("h2", { class: "ipl-conclusion" });
  // It tells the end. Its room is kept, so that nothing moves when the reader gets there.
  const show = () => root.style.setProperty("visibility", stage.isAhead(stage.stops.at(-1) ?? 0) ? "hidden" : "visible");
  return { root, show, translate: () => say(root, speak(said[concludes], stage.language)) };
}

/** The switch of the tables, and the hint on keys. @param {Stage} stage @param {HTMLElement} tables @returns {Part} */
function drawTablesAndKeys(stage, tables) {
  const keys = html("span", { class: "ipl-keys" });
  const translate = () => (keys.textContent = stage.word("keys"));
  return { root: html("div", { class: "ipl-foot" }, tables, keys), translate };
}

/** Keeps the heights of the frames: the same for both, so that their storages are at one height, and the same at all steps.
 * @param {Stage} stage @param {ReturnType<typeof drawSide>[]} sides @param {HTMLElement[]} around */
function keepFrames({ root }, sides, around) {
  const heightOf = (/** @type {Element} */ element) => element.getBoundingClientRect().height;
  const most = (/** @type {(side: ReturnType<typeof drawSide>) => number} */ need) => Math.max(...sides.map(need));

  let before = "";

  function fit() {
    const isPresent = root.classList.contains("ipl-present");
    const isAlone = root.classList.contains("ipl-standalone");
    const [one, other] = sides.map((side) => side.root);
    const isStacked = other.offsetTop > one.offsetTop + 8;
    const isBeside = sides[0].code && sides[0].storages.root.offsetLeft > sides[0].code.root.offsetLeft + 8;
    const page = isPresent ? innerHeight : innerHeight - 2 * (root.getBoundingClientRect().top + scrollY);
    const window = isPresent ? page : Math.max(NOTEBOOK, isAlone ? page : PART_OF_WINDOW * innerHeight);
    const edges = heightOf(one) - heightOf(sides[0].storages.root.parentElement ?? one) + 24;
    const rows = isStacked ? 1 : Math.ceil(sides.length / beside(sides.length));
    const room = (window - around.reduce((sum, element) => sum + heightOf(element), 0)) / rows - edges;
    const code = most((side) => side.code?.need?.() ?? 0);
    const storages = (/** @type {number} */ size) => most((side) => side.storages.need?.(size) ?? 0);
    if (isPresent && !isStacked) enlarge(isBeside ? room : room - Math.min(code, room / 2), storages);
    const needed = storages(isPresent ? Number(one.style.getPropertyValue("--ipl-size")) || 1 : 1);
    /** @type {[number, number]} */
    let heights = sharedByCode(code, needed, Math.max(room, 120));
    if (isBeside) heights = [Math.min(room, Math.max(code, needed)), Math.min(room, Math.max(code, needed))];
    if (isStacked && !isPresent) heights = [Math.min(code, STACKED[0]), Math.min(needed, STACKED[1])];
    for (const side of sides) {
      side.code?.root.style.setProperty("--ipl-upper", `${Math.ceil(heights[0])}px`);
      side.storages.root.style.setProperty("--ipl-upper", `${Math.ceil(heights[1])}px`);
    }
    const now = `${heights} ${root.clientWidth}`;
    if (now !== before) for (const side of sides) side.refresh();
    before = now;
  }

  /** Draws the storages as large as both have room for. @param {number} room @param {(size: number) => number} storages */
  function enlarge(room, storages) {
    const size = String(sizeFor(storages, (each) => sides.some((side) => side.storages.isCut?.(each)), room, leastSize(innerWidth, innerHeight)));
    for (const { root: frame, storages: pane } of sides) {
      if (frame.style.getPropertyValue("--ipl-size") === size) continue;
      frame.style.setProperty("--ipl-size", size);
      pane.fit?.();
    }
  }

  new ResizeObserver(fit).observe(root);
  addEventListener("resize", fit);
  return { fit, stop: () => removeEventListener("resize", fit) };
}

PLAYERS.two = mountComparison;
