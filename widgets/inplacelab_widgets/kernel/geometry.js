// Which thread touches which slots: the arithmetic of the kernels, as in inplacelab/devices/kernels/geometry.py. Pure functions.

/** @typedef {{name: string, role: "reads" | "writes" | "both", dtype: string, shape: number[], strides: number[], offset: number, storage_bytes: number}} Operand */
/** @typedef {{kernel: string, kind: string, grid: number[], block: number[], width: number, dtype: string, operands: Operand[]}} Launch */
/** @typedef {{operand: number, kind: "reads" | "writes" | "adds", slot: number | null, slots: number}} Access */

export const WARP = 32;
export const TILE = 32;
export const TILE_ROWS = 8;
export const PASSES = 3;
export const SECTOR = 32;

/** @param {number[]} sizes */
export const product = (sizes) => sizes.reduce((all, size) => all * size, 1);

/** How many parts of `size` it takes to hold `n`. @param {number} n @param {number} size */
export const parts = (n, size) => Math.ceil(n / size);

/** @param {Launch} launch */
export const blocksOf = (launch) => product(launch.grid);

/** @param {Launch} launch */
export const threadsOf = (launch) => product(launch.block);

/** The index of an element that is counted in row-major order. @param {number[]} shape @param {number} element */
export function indexOf(shape, element) {
  const found = [];
  let rest = element;
  for (const size of [...shape].reverse()) {
    found.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return found;
}

/** The slot in which an element lies. @param {Operand} operand @param {number} element */
export function slotAt({ shape, strides, offset }, element) {
  return indexOf(shape, element).reduce((at, i, axis) => at + i * strides[axis], offset);
}

/** Where a number stands along x, y and z: x runs fastest. @param {number[]} sizes @param {number} number */
export const placeIn = ([x, y], number) => [number % x, Math.floor(number / x) % y, Math.floor(number / (x * y))];

/** The operand that is written. @param {Launch} launch */
export const targetOf = (launch) => launch.operands.findIndex(({ role }) => role !== "reads");

/** How many elements are computed. @param {Launch} launch */
function sizeOf({ kind, operands }) {
  const written = operands.find(({ role }) => role !== "reads");
  return product((kind === "scatter_add" || !written ? operands[operands.length - 1] : written).shape);
}

/** All axes but the last, as one; and the last. @param {number[]} shape */
const matrix = (shape) => [product(shape.slice(0, -1)), shape.length ? shape[shape.length - 1] : 1];

/** How many turns a thread may take. @param {Launch} launch */
export function turnsOf(launch) {
  const { kind, operands, grid } = launch;
  const [rows, columns] = matrix(operands[0].shape);
  if (kind === "normalize") return parts(rows, blocksOf(launch)) * PASSES * parts(columns, threadsOf(launch));
  if (kind === "transpose") return parts(parts(rows, TILE), grid[1]) * (TILE / TILE_ROWS);
  if (kind === "transpose_square") return (2 * TILE) / TILE_ROWS;
  const [n, step] = [sizeOf(launch), blocksOf(launch) * threadsOf(launch)];
  const packs = Math.floor(n / launch.width);
  return parts(packs, step) + parts(n - packs * launch.width, step);
}

/** Of an element-wise kernel: the first element of a turn, and how many there are; none beyond the end.
 * @param {Launch} launch @param {number} block @param {number} thread @param {number} turn */
export function portion(launch, block, thread, turn) {
  const { width } = launch;
  const [n, step, number] = [sizeOf(launch), blocksOf(launch) * threadsOf(launch), block * threadsOf(launch) + thread];
  const packs = Math.floor(n / width);
  const rounds = parts(packs, step);
  const pack = number + turn * step;
  if (turn < rounds) return pack < packs ? { first: pack * width, count: width } : undefined;
  const first = packs * width + number + (turn - rounds) * step;
  return first < n ? { first, count: 1 } : undefined;
}

/** What a thread does in one of its turns, in order. Where an atomic addition goes, `places` tells, if it is known.
 * @param {Launch} launch @param {number[] | null} places @param {number} block @param {number} thread @param {number} turn @returns {Access[]} */
export function accessesAt(launch, places, block, thread, turn) {
  const { kind } = launch;
  if (kind === "normalize") return inRow(launch, block, thread, turn);
  if (kind === "transpose") return inTile(launch, block, thread, turn);
  if (kind === "transpose_square") return inSquare(launch, block, thread, turn);
  const mine = portion(launch, block, thread, turn);
  if (!mine) return [];
  return kind === "scatter_add" ? scattered(launch, places, mine.first) : elementwise(launch, mine.first, mine.count);
}

/** Whether neighbours along the last axis are the same element: it is broadcast there. @param {Operand} operand */
function stays({ shape, strides }) {
  const last = shape.map((size) => size !== 1).lastIndexOf(true);
  return last >= 0 && strides[last] === 0;
}

/** @param {Launch} launch @param {number} first @param {number} count @returns {Access[]} */
function elementwise({ operands }, first, count) {
  const reads = operands.flatMap((each, operand) => (each.role === "writes" ? [] : [{ operand, kind: "reads", slot: slotAt(each, first), slots: stays(each) ? 1 : count }]));
  const target = operands.findIndex(({ role }) => role !== "reads");
  return [...reads, { operand: target, kind: "writes", slot: slotAt(operands[target], first), slots: count }];
}

/** @param {Launch} launch @param {number[] | null} places @param {number} first @returns {Access[]} */
function scattered({ operands }, places, first) {
  const reads = [1, 2].map((operand) => ({ operand, kind: "reads", slot: slotAt(operands[operand], first), slots: 1 }));
  return [...reads, { operand: 0, kind: "adds", slot: places ? places[first] : null, slots: 1 }];
}

/** @param {Launch} launch @param {number} block @param {number} thread @param {number} turn @returns {Access[]} */
function inRow(launch, block, thread, turn) {
  const x = launch.operands[0];
  const [rows, columns] = matrix(x.shape);
  const most = parts(columns, threadsOf(launch));
  const row = block + Math.floor(turn / (PASSES * most)) * blocksOf(launch);
  const column = thread + (turn % most) * threadsOf(launch);
  if (row >= rows || column >= columns) return [];
  const slot = x.offset + row * columns + column;
  const kinds = Math.floor(turn / most) % PASSES === 2 ? ["reads", "writes"] : ["reads"];
  return kinds.map((kind) => ({ operand: 0, kind, slot, slots: 1 }));
}

/** @param {Launch} launch @param {number} block @param {number} thread @param {number} turn @returns {Access[]} */
function inTile(launch, block, thread, turn) {
  const [x, out] = launch.operands;
  const [rows, columns] = matrix(x.shape);
  const [[a, b], [across, firstDown]] = [placeIn(launch.block, thread), placeIn(launch.grid, block)];
  const down = firstDown + Math.floor(turn / 4) * launch.grid[1];
  const k = (turn % 4) * TILE_ROWS;
  const found = [];
  const [row, column] = [down * TILE + b + k, across * TILE + a];
  if (row < rows && column < columns) found.push({ operand: 0, kind: "reads", slot: x.offset + row * columns + column, slots: 1 });
  const [turned, beside] = [across * TILE + b + k, down * TILE + a];
  if (down < parts(rows, TILE) && turned < columns && beside < rows) found.push({ operand: 1, kind: "writes", slot: out.offset + turned * rows + beside, slots: 1 });
  return found;
}

/** @param {Launch} launch @param {number} block @param {number} thread @param {number} turn @returns {Access[]} */
function inSquare(launch, block, thread, turn) {
  const x = launch.operands[0];
  const n = x.shape[x.shape.length - 1];
  const [[a, b], [right, down]] = [placeIn(launch.block, thread), placeIn(launch.grid, block)];
  const [k, side] = [Math.floor(turn / 2) * TILE_ROWS + b, turn % 2];
  const [row, column] = side ? [right * TILE + k, down * TILE + a] : [down * TILE + k, right * TILE + a];
  // A tile on the diagonal is its own mirror image: it has one side.
  if (down > right || (down === right && side) || row >= n || column >= n) return [];
  return ["reads", "writes"].map((kind) => ({ operand: 0, kind, slot: x.offset + row * n + column, slots: 1 }));
}
