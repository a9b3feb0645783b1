// The arithmetic of a picked thread, with its numbers in it, as in formulas.py. Pure functions.

import { fill } from "../player/words.js";
import { PASSES, TILE, accessesAt, blocksOf, indexOf, parts, placeIn, portion, product, threadsOf } from "./geometry.js";

/** @typedef {import("./pick.js").Shown} Shown @typedef {import("./pick.js").Pick} Pick @typedef {(key: string) => string} Say  A pattern in the reader's language. */

/** Which part of the work the thread has in its turn. @param {Shown} shown @param {Pick} pick @param {Say} say */
export function shareOf({ launch, places }, pick, say) {
  const { block, thread, turn } = pick;
  const done = accessesAt(launch, places, block, thread, turn);
  if (!done.length) return fill(say("takes_none"), { thread, block });
  if (launch.kind === "normalize") return columnOf(launch, pick, say);
  if (launch.kind === "transpose" || launch.kind === "transpose_square") return tileOf(launch, pick, done[0], say);
  const { first, count } = /** @type {{first: number, count: number}} */ (portion(launch, block, thread, turn));
  return fill(say(count > 1 ? "takes_many" : "takes_one"), { thread, block, sum: termsOf(launch, pick), first, last: first + count - 1 });
}

/** The sum that leads to the first element of an element-wise kernel's turn. @param {import("./geometry.js").Launch} launch @param {Pick} pick */
function termsOf(launch, { block, thread, turn }) {
  const { kind, operands, width } = launch;
  const written = kind === "scatter_add" ? operands[operands.length - 1] : operands.find(({ role }) => role !== "reads");
  const step = blocksOf(launch) * threadsOf(launch);
  const packs = Math.floor(product(written?.shape ?? []) / width);
  const rounds = parts(packs, step);
  const terms = `${block}·${threadsOf(launch)} + ${thread}`;
  if (turn < rounds) {
    const all = terms + (turn ? ` + ${turn}·${step}` : "");
    return width > 1 ? `(${all})·${width}` : all;
  }
  return `${packs * width} + ${terms}${turn > rounds ? ` + ${turn - rounds}·${step}` : ""}`;
}

/** @param {import("./geometry.js").Launch} launch @param {Pick} pick @param {Say} say */
function columnOf(launch, { block, thread, turn }, say) {
  const most = parts(launch.operands[0].shape[launch.operands[0].shape.length - 1], threadsOf(launch));
  const [k, j] = [Math.floor(turn / (PASSES * most)), turn % most];
  const row = k ? `${block} + ${k}·${blocksOf(launch)} = ${block + k * blocksOf(launch)}` : `${block}`;
  const purpose = say(["mean", "variance", "result"][Math.floor(turn / most) % PASSES]);
  return fill(say("row"), { block, row, thread, sum: `${thread} + ${j}·${threadsOf(launch)}`, column: thread + j * threadsOf(launch), purpose });
}

/** @param {import("./geometry.js").Launch} launch @param {Pick} pick @param {import("./geometry.js").Access} access @param {Say} say */
function tileOf(launch, { block, thread }, { operand, slot }, say) {
  const [[a, b], [across, down]] = [placeIn(launch.block, thread), placeIn(launch.grid, block)];
  const { name, shape, offset } = launch.operands[operand];
  const element = (slot ?? 0) - offset;
  const [row, column] = [Math.floor(element / shape[shape.length - 1]), element % shape[shape.length - 1]];
  const below = (row - b) % TILE;
  const rows = `${Math.floor(row / TILE)}·${TILE} + ${b}${below ? ` + ${below}` : ""}`;
  return fill(say("tile"), { a, b, across, down, rows, row, columns: `${Math.floor(column / TILE)}·${TILE} + ${a}`, column, name });
}

/** From the element of an operand that the thread touches to its slot. @param {Shown} shown @param {Pick} pick @param {number} position @param {Say} say */
export function slotSaid({ launch, places }, { block, thread, turn }, position, say) {
  const operand = launch.operands[position];
  const mine = accessesAt(launch, places, block, thread, turn).find((each) => each.operand === position);
  if (!mine) return say("untouched");
  const { slot, slots, kind } = mine;
  if (slot === null) return say("somewhere");
  const first = portion(launch, block, thread, turn)?.first ?? 0;
  if (kind === "adds") return fill(say("place"), { element: first, slot });
  const wholeRows = !["contiguous", "strided", "scatter_add"].includes(launch.kind);
  const index = indexOf(operand.shape, wholeRows ? slot - operand.offset : first);
  return fill(say(slots > 1 ? "slots" : "slot"), { element: `${operand.name}[${index.join(",")}]`, sum: sumOf(operand, index), slot, last: slot + slots - 1 });
}

/** `offset + i·stride + ...`, without the axes of one element. @param {import("./geometry.js").Operand} operand @param {number[]} index */
function sumOf({ shape, strides, offset }, index) {
  const terms = index.map((i, axis) => (shape[axis] === 1 ? "" : ` ${strides[axis] < 0 ? "−" : "+"} ${i}·${Math.abs(strides[axis])}`));
  return `${offset}${terms.join("")}`;
}
