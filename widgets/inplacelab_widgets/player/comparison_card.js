// Draws two programs at one step as a card of 1200 by 675 px: what it comes to, and a frame around each with its verdict, its code and its
// storages, as side_by_side/comparison_picture.py does.

import { svg } from "./dom.js";
import { CARD, CODE, cut, drawCardFoot, drawLines, emptyCard, fitted, measuring, pictureAt, pictureIn, rowsOf, wordsAt } from "./share.js";
import { speak } from "./steps.js";
/** @import { Measure } from "./share.js" */
/** @import { ComparisonPayload, SidePayload } from "./sides.js" */
/** @import { Stage } from "./stage.js" */

/** The space between frames, and inside them, and the height of a verdict, in px. */
const BETWEEN = 24;
const INSET = 18;
const VERDICT = { size: 24, high: 44 };
/** The most of a frame that its code takes. */
const CODE_PART = 0.42;
/** The fewest lines of code, where there are so many. */
const FEWEST = 3;
/** The largest scale of the storages, and that at which their words can be read where the card is shown small: 18 px. */
const MOST = 1.8;
const LEGIBLE = 18 / 11;

/** @param {Stage} stage @param {Stage[]} sides */
export function comparisonCardOf(stage, sides) {
  const { language, root } = stage;
  const { said, concludes } = /** @type {ComparisonPayload} */ (stage.payload);
  const measure = measuring(root);
  const { card, body } = emptyCard(root);
  const { size, lines } = fitted(speak(said[concludes], language).replaceAll("`", ""), CARD.width - 2 * CARD.pad, measure);
  lines.forEach((line, k) => body.append(wordsAt(CARD.pad, CARD.pad - 4 + size * (1 + 1.33 * k), size, line, "ipl-bold")));
  const top = CARD.pad + lines.length * size * 1.33 + 8;
  const width = (CARD.width - 2 * CARD.pad - (sides.length - 1) * BETWEEN) / sides.length;
  const height = CARD.height - CARD.foot - top;
  const drawn = sides.map((side) => contentsOf(side, width - 2 * INSET, height, measure));
  const { rows, scale } = plannedFrames(drawn, width - 2 * INSET, height);
  sides.forEach((side, k) => drawFrame(body, side, { x: CARD.pad + k * (width + BETWEEN), y: top, width, height }, drawn[k], rows, scale, measure));
  drawCardFoot(body, stage, measure);
  return card;
}

/** What is in a frame: the most lines of its code, and its storages. @typedef {{rows: number, picture: import("./share.js").Picture | null}} Contents */

/** @param {Stage} side @param {number} room @param {number} height @param {Measure} measure @returns {Contents} */
function contentsOf(side, room, height, measure) {
  // Storages that nothing here is about would make the others smaller.
  const rows = [...side.root.querySelectorAll("[data-table]:not([hidden])")];
  for (const row of rows) row.toggleAttribute("hidden", true);
  const picture = pictureIn(side.root);
  if (picture) picture.element = /** @type {Element} */ (picture.element.cloneNode(true));
  for (const row of rows) row.toggleAttribute("hidden", false);
  return { rows: Math.min(rowsOf(side.payload, side.step, side.language, room, measure).length, Math.floor((CODE_PART * height) / CODE.line)), picture };
}

/** Divides frames between code and storages, which have one scale, since they are compared: as many lines of code as leave the storages
 * legible, if any number does. @param {{rows: number, picture: {width: number, height: number} | null}[]} contents @param {number} room @param {number} height */
export function plannedFrames(contents, room, height) {
  const scaleAt = (/** @type {number} */ rows) =>
    Math.min(MOST, ...contents.flatMap(({ rows: all, picture }) => (picture ? [room / picture.width, (height - VERDICT.high - Math.min(rows, all) * CODE.line - 2 * INSET) / picture.height] : [])));
  let rows = Math.max(...contents.map((each) => each.rows));
  const enough = Math.min(LEGIBLE, scaleAt(FEWEST));
  while (rows > FEWEST && scaleAt(rows) < enough) rows -= 1;
  return { rows, scale: scaleAt(rows) };
}

/** @param {Element} body @param {Stage} side @param {{x: number, y: number, width: number, height: number}} frame @param {Contents} contents
 * @param {number} most  The most lines of code. @param {number} scale @param {Measure} measure */
function drawFrame(body, side, { x, y, width, height }, { rows: all, picture }, most, scale, measure) {
  const { verdict, raises } = /** @type {SidePayload} */ (side.payload);
  body.append(svg("rect", { x, y, width, height, rx: 10, class: raises ? "ipl-verdict-raised" : "ipl-verdict" }));
  const [room, rows, top] = [width - 2 * INSET, Math.min(all, most), y + VERDICT.high];
  body.append(wordsAt(x + INSET, y + 32, VERDICT.size, cut(speak(verdict, side.language), room, VERDICT.size, measure), raises ? "ipl-bold ipl-alarm" : "ipl-bold"));
  drawLines(body, side, { left: x + INSET, top, width: room, rows }, measure);
  if (picture) body.append(pictureAt(picture, x + INSET, top + rows * CODE.line + INSET, scale));
}
