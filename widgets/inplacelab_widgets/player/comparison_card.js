// Draws two programs at one step as a card of 1200 by 675 px: what it comes to, and a frame around each with its verdict, its code and its
// storages, as scene/comparison_picture.py does.

import { CARD, CODE, cut, drawCardFoot, drawLines, emptyCard, fitted, measuring, pictureAt, pictureIn, piecesIn, wordsAt } from "./card.js";
import { svg } from "./elements.js";
import { speak } from "./words.js";
/** @import { ComparisonPayload, SidePayload } from "./sides.js" */
/** @import { Measure } from "./card.js" */
/** @import { Stage } from "./stage.js" */

/** The space between frames, and inside them, and the height of a verdict, in px. */
const BETWEEN = 24;
const INSET = 18;
const VERDICT = { size: 24, high: 44 };
/** The most of a frame that its code takes. */
const CODE_PART = 0.42;
/** The largest scale of the storages. */
const MOST = 1.8;

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
  sides.forEach((side, k) => drawFrame(body, side, { x: CARD.pad + k * (width + BETWEEN), y: top, width, height: CARD.height - CARD.foot - top }, measure));
  drawCardFoot(body, stage, measure);
  return card;
}

/** @param {Element} body @param {Stage} side @param {{x: number, y: number, width: number, height: number}} frame @param {Measure} measure */
function drawFrame(body, side, { x, y, width, height }, measure) {
  const { verdict, raises } = /** @type {SidePayload} */ (side.payload);
  body.append(svg("rect", { x, y, width, height, rx: 10, class: raises ? "ipl-verdict-raised" : "ipl-verdict" }));
  const room = width - 2 * INSET;
  body.append(wordsAt(x + INSET, y + 32, VERDICT.size, cut(speak(verdict, side.language), room, VERDICT.size, measure), raises ? "ipl-bold ipl-alarm" : "ipl-bold"));
  const top = y + VERDICT.high;
  const rows = Math.min(piecesIn(side.payload.source, room, measure).length, Math.floor((CODE_PART * height) / CODE.line));
  drawLines(body, side, { left: x + INSET, top, width: room, rows }, measure);
  // Storages that nothing here is about would make the others smaller.
  const chips = [...side.root.querySelectorAll("[data-shelf]:not([hidden])")];
  for (const chip of chips) chip.toggleAttribute("hidden", true);
  drawStorages(body, side, { x, y, width, height }, top + rows * CODE.line + INSET);
  for (const chip of chips) chip.toggleAttribute("hidden", false);
}

/** @param {Element} body @param {Stage} side @param {{x: number, y: number, width: number, height: number}} frame @param {number} below */
function drawStorages(body, side, { x, y, width, height }, below) {
  const picture = pictureIn(side.root);
  if (!picture) return;
  const room = width - 2 * INSET;
  const scale = Math.min(MOST, room / picture.width, (y + height - INSET - below) / picture.height);
  body.append(pictureAt(picture, x + INSET, below, scale));
}
