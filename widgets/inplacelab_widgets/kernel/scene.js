// All marks that depend on the pick, and the same in words, as in scene.py. Pure functions.

import { fill } from "../player/words.js";
import { beamMarks, blockMarks, gridMarks } from "./blocks.js";
import { LEFT, PANELS, grouped, textMark } from "./drawing.js";
import { shareOf } from "./formulas.js";
import { turnsOf } from "./geometry.js";
import { served } from "./pick.js";
import { costOf, stripMarks } from "./strips.js";

/** @typedef {import("./pick.js").Shown} Shown @typedef {import("./pick.js").Pick} Pick @typedef {import("./formulas.js").Say} Say */

/** @param {Shown} shown @param {Pick} pick @param {Say} say @param {string} language @returns {import("./drawing.js").Drawn[]} */
export function pickedMarks(shown, pick, say, language) {
  const { launch } = shown;
  const asked = served(shown, pick);
  return [
    ...beamMarks(launch, pick),
    ...gridMarks(launch, pick, say),
    ...blockMarks(launch, pick, say),
    textMark(LEFT, PANELS - 8, "bold", saidOf(shown, pick, say, language)),
    ...asked.flatMap((each) => stripMarks(shown, pick, each, say)),
  ];
}

/** What the thread has to do; and in which turn, if there are several. @param {Shown} shown @param {Pick} pick @param {Say} say @param {string} language */
export function saidOf(shown, pick, say, language) {
  const turns = turnsOf(shown.launch);
  const share = shareOf(shown, pick, say);
  return turns === 1 ? share : fill(say("turn"), { turn: grouped(pick.turn + 1), turns: grouped(turns) }) + (language === "zh" ? "：" : ". ") + share;
}

/** The picture in a few sentences. @param {Shown} shown @param {Pick} pick @param {Say} say @param {string} language */
export function spoken(shown, pick, say, language) {
  const [colon, stop, gap] = language === "zh" ? ["：", "。", ""] : [": ", ".", " "];
  const costs = served(shown, pick).map((asked) => shown.launch.operands[asked.operand].name + colon + costOf(asked, say) + stop);
  return [saidOf(shown, pick, say, language), ...costs].join(gap);
}
