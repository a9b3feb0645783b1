// The grid with the picked block, and the block with the picked warp and thread, as in blocks.py. Pure functions.

import { fill } from "../player/words.js";
import { HEAD, LANE, LEFT, PANELS, ROOM, boxed, grouped, groupedAll, pathMark, put1, textMark } from "./drawing.js";
import { WARP, blocksOf, placeIn, threadsOf } from "./geometry.js";

/** @typedef {import("./geometry.js").Launch} Launch @typedef {import("./pick.js").Pick} Pick @typedef {import("./formulas.js").Say} Say @typedef {import("./drawing.js").Drawn} Drawn */

const COLUMNS = 32;
const ROWS = 8;
const CELL = 10;
const BLOCK_LEFT = 416;
const THREAD = 11.4;
const TOP = HEAD + 20;
const EDGE = BLOCK_LEFT + 4;

/** The part of the grid round a block. A grid of one row is broken into lines. @param {Launch} launch @param {number} block */
export function windowAt({ grid: [across, y, z] }, block) {
  const down = y * z;
  if (down === 1) {
    const lines = Math.ceil(across / COLUMNS);
    const top = Math.floor(Math.floor(block / COLUMNS) / ROWS) * ROWS;
    const rows = Math.min(ROWS, lines - top);
    const facts = { first: top * COLUMNS, last: Math.min(across, (top + rows) * COLUMNS) - 1, blocks: across };
    return { left: 0, top, columns: Math.min(across, COLUMNS), rows, wraps: true, note: lines > ROWS ? "blocks_shown" : "", facts };
  }
  const [row, column] = [Math.floor(block / across), block % across];
  const [left, top] = [Math.floor(column / COLUMNS) * COLUMNS, Math.floor(row / ROWS) * ROWS];
  const [columns, rows] = [Math.min(COLUMNS, across - left), Math.min(ROWS, down - top)];
  const facts = { left, right: left + columns - 1, across, top, bottom: top + rows - 1, down };
  return { left, top, columns, rows, wraps: false, note: across > COLUMNS || down > ROWS ? "tiles_shown" : "", facts };
}

/** Column and row of a block in a window. @param {Launch} launch @param {ReturnType<typeof windowAt>} seen @param {number} block */
function cellOf({ grid: [across] }, seen, block) {
  if (seen.wraps) return [block % COLUMNS, Math.floor(block / COLUMNS) - seen.top];
  return [(block % across) - seen.left, Math.floor(block / across) - seen.top];
}

/** The numbers from `first` on. @param {number} count @param {number} [first] */
export const range = (count, first = 0) => Array.from({ length: Math.max(0, count) }, (_, k) => first + k);

/** From the picked block to its threads, and from the picked warp to its own. @param {Launch} launch @param {Pick} pick @returns {Drawn[]} */
export function beamMarks(launch, { block, thread }) {
  const [column, row] = cellOf(launch, windowAt(launch, block), block);
  const [x, y] = [put1(column * CELL + 8), TOP + row * CELL];
  const bottom = put1(TOP + Math.min(ROWS, Math.ceil(threadsOf(launch) / WARP)) * CELL);
  const [beside, below] = [put1(EDGE + 32 * THREAD), put1(TOP + (Math.floor(thread / WARP) % ROWS) * CELL + 8)];
  return [
    pathMark(`M${x} ${put1(y)}L${BLOCK_LEFT} ${put1(TOP - 2)}V${bottom}L${x} ${put1(y + 8)}z`, "beam"),
    pathMark(`M${EDGE} ${below}V${bottom}L${LEFT} ${PANELS + 20}H${LEFT + ROOM}L${beside} ${bottom}V${below}z`, "beam"),
  ];
}

/** The blocks of the grid. @param {Launch} launch @param {Pick} pick @param {Say} say @returns {Drawn[]} */
export function gridMarks(launch, { block }, say) {
  const seen = windowAt(launch, block);
  const [column, row] = cellOf(launch, seen, block);
  const total = seen.wraps ? launch.grid[0] - seen.top * COLUMNS : seen.columns * seen.rows;
  const cells = range(seen.rows)
    .flatMap((r) => range(seen.columns).map((c) => (!seen.wraps || r * COLUMNS + c < total ? boxed(c * CELL, TOP + r * CELL, 8, 8) : "")))
    .join("");
  const [x, y] = [column * CELL, TOP + row * CELL];
  const [bx, by] = placeIn(launch.grid, block);
  const number = launch.grid[1] > 1 ? `${grouped(block)} (${grouped(bx)}, ${grouped(by)})` : grouped(block);
  const marks = [
    textMark(0, HEAD + 10, "bold", fill(say("grid"), { block: number, blocks: grouped(blocksOf(launch)) })),
    pathMark(cells, "slot"),
    pathMark(boxed(x, y, 8, 8), "inked"),
  ];
  return seen.note ? [...marks, textMark(0, TOP + seen.rows * CELL + 11, "tiny", fill(say(seen.note), groupedAll(seen.facts)))] : marks;
}

/** The threads of the picked block, a warp in each row. @param {Launch} launch @param {Pick} pick @param {Say} say @returns {Drawn[]} */
export function blockMarks(launch, { block, thread }, say) {
  const threads = threadsOf(launch);
  const [warp, lane] = [Math.floor(thread / WARP), thread % WARP];
  const top = Math.floor(warp / ROWS) * ROWS;
  const rows = range(Math.min(top + ROWS, Math.ceil(threads / WARP)) - top, top);
  const there = (/** @type {number} */ row) => range(Math.min(WARP, threads - row * WARP));
  const cells = rows.flatMap((row) => there(row).map((k) => boxed(EDGE + k * THREAD, TOP + (row - top) * CELL, 9.4, 8))).join("");
  const y = TOP + (warp - top) * CELL;
  const [across] = placeIn(launch.block, thread);
  const number = launch.block[1] > 1 ? `${thread} (${across}, ${Math.floor(thread / launch.block[0])})` : `${thread}`;
  return [
    textMark(EDGE, HEAD + 10, "bold", fill(say("block"), { block: grouped(block), thread: number, threads: grouped(threads) })),
    pathMark(cells, "slot"),
    pathMark(there(warp).map((k) => boxed(EDGE + k * THREAD, y, 9.4, 8)).join(""), "in-warp"),
    pathMark(boxed(EDGE + lane * THREAD, y, 9.4, 8), "inked"),
  ];
}

/** The 32 threads of the warp, large enough to be numbered. @param {Launch} launch @param {Pick} pick @param {number} top @param {Say} say @returns {Drawn[]} */
export function laneMarks(launch, { thread }, top, say) {
  const [warp, lane] = [Math.floor(thread / WARP), thread % WARP];
  const there = range(Math.min(WARP, threadsOf(launch) - warp * WARP));
  return [
    textMark(LEFT - 6, top + 13, "small end", fill(say("warp"), { warp })),
    pathMark(there.map((k) => boxed(LEFT + k * LANE + 1, top, LANE - 2, 18)).join(""), "slot"),
    pathMark(boxed(LEFT + lane * LANE + 1, top, LANE - 2, 18), "written"),
    ...there.map((k) => textMark(LEFT + k * LANE + LANE / 2, top + 12.5, "tiny middle", String(warp * WARP + k))),
  ];
}

/** The block or the thread at a place in the upper part of the picture. @param {Launch} launch @param {Pick} pick @param {number} x @param {number} y @returns {Pick | undefined} */
export function pickAbove(launch, pick, x, y) {
  const row = Math.floor((y - TOP) / CELL);
  if (row < 0 || row >= ROWS || y >= PANELS - 20) return undefined;
  if (x < COLUMNS * CELL) {
    const seen = windowAt(launch, pick.block);
    const column = Math.floor(x / CELL);
    const block = seen.wraps ? (seen.top + row) * COLUMNS + column : (seen.top + row) * launch.grid[0] + seen.left + column;
    return column >= 0 && column < seen.columns && row < seen.rows && block < blocksOf(launch) ? { ...pick, block } : undefined;
  }
  const lane = Math.floor((x - EDGE) / THREAD);
  const warp = Math.floor(Math.floor(pick.thread / WARP) / ROWS) * ROWS + row;
  const thread = warp * WARP + lane;
  return lane >= 0 && lane < WARP && thread < threadsOf(launch) ? { ...pick, thread } : undefined;
}
