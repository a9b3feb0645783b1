// "Read as table": what the picked warp asks for, and what each of its threads touches, as in tables.py. Pure functions.

import { fill } from "../player/words.js";
import { SECTOR, WARP, threadsOf } from "./geometry.js";
import { served } from "./pick.js";
import { shareOfMoved } from "./strips.js";

/** @typedef {{caption: string, heads: string[], rows: string[][]}} Read  A table in the reader's language. */

/** @param {import("./pick.js").Shown} shown @param {import("./pick.js").Pick} pick @param {import("./formulas.js").Say} say @returns {Read[]} */
export function pickedTables(shown, pick, say) {
  const asked = served(shown, pick);
  const { operands } = shown.launch;
  const heads = ["operand", "does", "taking_part", "wanted", "sectors", "moved", "share"].map(say);
  const requests = asked.map(({ operand, kinds, lanes, wanted, sectors, ...rest }) => [
    operands[operand].name,
    kinds.map(say).join(say("comma")),
    ...[lanes.length, wanted, sectors.length, SECTOR * sectors.length].map(String),
    sectors.length ? `${shareOfMoved({ operand, kinds, lanes, wanted, sectors, ...rest })} %` : "",
  ]);
  const first = pick.thread - (pick.thread % WARP);
  const rows = Array.from({ length: Math.min(WARP, threadsOf(shown.launch) - first) }, (_, lane) => [String(first + lane), ...asked.map(({ lanes }) => slotsSaid(lanes, lane))]);
  return [
    { caption: say("requests"), heads, rows: requests },
    { caption: say("threads"), heads: [say("thread"), ...operands.map(({ name }) => fill(say("slots_of"), { name }))], rows },
  ];
}

/** @param {import("./pick.js").Lane[]} lanes @param {number} lane */
function slotsSaid(lanes, lane) {
  const found = lanes.find((each) => each.lane === lane);
  if (!found) return "";
  return found.slots === 1 ? String(found.slot) : `${found.slot}–${found.slot + found.slots - 1}`;
}
