// Maps elements to slots and back, and finds the sharers of a slot, the nodes that saved it, and the lines that wrote it. Pure functions.

import { paired, valueAt } from "./steps.js";
/** @import { Came, Payload } from "./steps.js" */

/**
 * A layout: element (i, j, ...) is at position `offset + i*strides[0] + j*strides[1] + ...`, counted in elements. `bytes` is set
 * if a tensor reads the storage as another dtype: [bytes of an element, bytes of a slot].
 * @typedef {{storage: number, shape: number[], strides: number[], offset: number, name: string, bytes?: [number, number]}} Layout
 */
/** @typedef {{element: string, tensor: string, key: string}} Sharer  An element ("b[1,2]") that reads a slot: its tensor's key and its own. */

/** @param {Layout} layout @param {number[]} index */
export function positionOf(layout, index) {
  return index.reduce((at, i, axis) => at + i * layout.strides[axis], layout.offset);
}

/** The slot in which an element begins. @param {Layout} layout @param {number[]} index */
export function slotOf(layout, index) {
  return Math.floor(spanOf(layout, positionOf(layout, index))[0]);
}

/** The start and the end of the bytes at one position, counted in slots. @param {Layout} layout @param {number} position @returns {[number, number]} */
export function spanOf({ bytes: [wide, slot] = [1, 1] }, position) {
  return [(position * wide) / slot, ((position + 1) * wide) / slot];
}

/** The slots between two positions, including partly covered ones. @param {number} start @param {number} end @returns {number[]} */
export function slotsBetween(start, end) {
  const first = Math.floor(start);
  return Array.from({ length: Math.ceil(end) - first }, (_, k) => first + k);
}

/** The indices of the elements in a slot, in row-major order: none, one, or with stride 0 or overlap several.
 * `most` limits the search. @param {Layout} layout @param {number} slot @param {number} [most] @returns {number[][]} */
export function elementsAt(layout, slot, most = Infinity) {
  const [wide, width] = layout.bytes ?? [1, 1];
  const last = Math.ceil(((slot + 1) * width) / wide);
  /** @type {number[][]} */
  const found = [];
  for (let position = Math.floor((slot * width) / wide); position < last; position += 1) indicesAt(layout, position, most, found);
  return found.sort((a, b) => a.map((i, axis) => i - b[axis]).find(Boolean) ?? 0);
}

/** Adds to `found` the indices that map to a position. The longest hops are chosen first, so that few wrong ones are tried.
 * @param {Layout} layout @param {number} position @param {number} most @param {number[][]} found */
function indicesAt({ shape, strides, offset }, position, most, found) {
  if (shape.includes(0)) return;
  const axes = shape.map((_, axis) => axis).sort((a, b) => Math.abs(strides[b]) - Math.abs(strides[a]));
  // The least and the greatest distance that the axes after the first k can add.
  const low = [0];
  const high = [0];
  for (const axis of [...axes].reverse()) {
    const reach = (shape[axis] - 1) * strides[axis];
    low.unshift(low[0] + Math.min(0, reach));
    high.unshift(high[0] + Math.max(0, reach));
  }
  const index = shape.map(() => 0);

  /** @param {number} k @param {number} rest */
  function walk(k, rest) {
    if (found.length >= most) return;
    if (k === axes.length) {
      if (rest === 0) found.push([...index]);
      return;
    }
    const [size, stride] = [shape[axes[k]], strides[axes[k]]];
    const ends = [(rest - low[k + 1]) / stride, (rest - high[k + 1]) / stride];
    const first = stride ? Math.max(0, Math.ceil(Math.min(...ends))) : 0;
    const last = stride ? Math.min(size - 1, Math.floor(Math.max(...ends))) : size - 1;
    for (let i = first; i <= last; i += 1) {
      index[axes[k]] = i;
      walk(k + 1, rest - i * stride);
    }
  }
  walk(0, position - offset);
}

/** All the slots that a layout reaches, each once. @param {Layout} layout @returns {number[]} */
export function slotsOf(layout) {
  const { shape, strides, offset } = layout;
  const positions = shape.reduce((found, size, axis) => found.flatMap((at) => Array.from({ length: size }, (_, i) => at + i * strides[axis])), [offset]);
  const slots = positions.flatMap((position) => slotsBetween(...spanOf(layout, position)));
  return [...new Set(slots)].sort((a, b) => a - b);
}

/** The formula with its numbers: "1 + 4·1 + 2·2", without axes that do not matter. @param {Layout} layout @param {number[]} index */
export function formula({ shape, strides, offset }, index) {
  const matters = (/** @type {number} */ axis) => shape[axis] > 1 && strides[axis] !== 0;
  const terms = index.map((i, axis) => (matters(axis) ? ` ${strides[axis] > 0 ? "+" : "−"} ${Math.abs(strides[axis])}·${i}` : ""));
  return `${offset}${terms.join("")}`;
}

/** "b[1,2]"; only the name for a tensor without axes. @param {Layout} layout @param {number[]} index */
export function elementName({ name }, index) {
  return index.length ? `${name}[${index.join(",")}]` : name;
}

/** Whether [start, stop, start, stop, ...] contains one of some slots. @param {number[]} runs @param {number[]} slots */
export function holds(runs, slots) {
  return paired(runs).some(([start, stop]) => slots.some((slot) => start <= slot && slot < stop));
}

/** The most elements of one tensor on one slot that are searched for. */
const MOST_SHARERS = 64;

/** Prepares the tensors, saved tensors and writes of a payload for queries. @param {Payload} payload */
export function slotFacts({ layouts, tensors, kept, writes }) {
  /** @type {Layout[]} */
  const known = layouts.map(([storage, shape, strides, offset, name, bytes]) => ({ storage, shape, strides, offset, name, bytes }));
  const lives = tensors.map(([id, runs]) => ({ key: `t${id}`, runs: paired(runs) }));
  const saved = kept.map(([key, owner, runs]) => ({ key, owner, runs: paired(runs) }));

  /** @param {{runs: [number, number][]}} item @param {number} step @returns {Layout | undefined} */
  const layoutAt = ({ runs }, step) => known[valueAt(runs, step) ?? -1];

  /** The layout of a tensor ("t3") or of a pin's saved tensor ("p2:1:0"). @param {string} key @param {number} step @returns {Layout[]} */
  function layoutsOf(key, step) {
    return [...lives, ...saved].filter((each) => each.key === key).flatMap((each) => layoutAt(each, step) ?? []);
  }

  /** Every element with bytes between two positions, counted in slots. @param {number} step @param {number} storage @param {number} start @param {number} end @returns {Sharer[]} */
  function sharers(step, storage, start, end) {
    return lives.flatMap((life) => {
      const layout = layoutAt(life, step);
      if (layout?.storage !== storage) return [];
      const found = new Map();
      for (const slot of slotsBetween(start, end)) {
        for (const index of elementsAt(layout, slot, MOST_SHARERS)) {
          const [first, last] = spanOf(layout, positionOf(layout, index));
          if (first < end && start < last) found.set(`${life.key}:${index}`, elementName(layout, index));
        }
      }
      return [...found].map(([key, element]) => ({ key, element, tensor: life.key }));
    });
  }

  /** The keys of the tensors on a storage. @param {number} step @param {number} storage */
  const tensorsOn = (step, storage) => lives.filter((life) => layoutAt(life, step)?.storage === storage).map(({ key }) => key);

  /** The saved tensors on some slots. @param {number} step @param {number} storage @param {number[]} slots */
  function keepers(step, storage, slots) {
    return saved.filter((each) => {
      const layout = layoutAt(each, step);
      return layout?.storage === storage && slots.some((slot) => elementsAt(layout, slot, 1).length > 0);
    });
  }

  /** The lines that wrote one of some slots up to a step, in order; without `slots`, any slot of the storage.
   * @param {number} step @param {number} storage @param {number[]} [slots] @returns {Set<number>} */
  function writersOf(step, storage, slots) {
    const wrote = writes.filter(([at, , to, runs]) => at <= step && to === storage && (!slots || holds(runs, slots)));
    return new Set(wrote.flatMap(([, line]) => line ?? []));
  }

  return { layoutsOf, sharers, tensorsOn, keepers, writersOf };
}

/** Stands for all the slots of a large storage, of which origins are told by rule. As `EVERY` of scene/player_links.py. */
export const ALL_SLOTS = -1;

/** The number that a slot held after a step: its place in the list; -1 if it is not known.
 * @param {Came[]} numbers @param {number} storage @param {number} slot @param {number} step */
export function numberAt(numbers, storage, slot, step) {
  return numbers.findLastIndex((each) => each[0] === storage && each[1] === slot && each[2] <= step);
}

// --- values ---

/** The first slot of a run, and the values of the run. @typedef {[number, (number | boolean | string)[]]} Piece */
/** The recorded values of a storage at each change, and whether they are shown with exponents. @typedef {{key: string, slots: number, exponent: boolean, moments: [number, Piece[]][]}} Page */
/** The steps that wrote a storage, each with the runs of slots that it wrote. @typedef {[number, number[]][]} Writes */

/** The value of a slot at a step, from the last write to it; undefined if it was not recorded.
 * @param {Page} page @param {Writes} writes @param {number} step @param {number} slot */
export function valueIn({ moments }, writes, step, slot) {
  for (let k = moments.length - 1; k >= 0; k -= 1) {
    const [since, pieces] = moments[k];
    if (since > step) continue;
    const piece = pieces.find(([start, values]) => start <= slot && slot < start + values.length);
    if (piece) return piece[1][slot - piece[0]];
    if (writes.some(([at, runs]) => at === since && holds(runs, [slot]))) return undefined;
  }
  return undefined;
}

/** A value with all its digits. @param {number | boolean | string} value */
export function whole(value) {
  if (typeof value === "boolean") return value ? "True" : "False";
  return String(value).replace("e+", "e");
}

/** A value with three significant digits, as `number` of recording/numerals.py writes it. @param {number | boolean | string} value @param {boolean} [exponent] @returns {string} */
export function number(value, exponent = false) {
  // What JSON has no number for comes as words: long integers, complex numbers, infinities.
  if (typeof value === "string") return value.replace(/\d[\d.]*(e-?\d+)?/g, (digits) => number(Number(digits), exponent));
  const size = Math.abs(Number(value));
  const isWhole = Number.isInteger(value);
  const isPlain = !exponent && (size === 0 || (size >= 1e-5 && size < (isWhole ? 1e8 : 1e6)));
  if (typeof value === "boolean" || (isWhole && (isPlain || size < 1000))) return whole(value);
  const rounded = value.toExponential(2);
  const digits = isPlain ? value.toFixed(Math.max(1, 2 - Number(rounded.split("e")[1]))) : rounded;
  if (Number(digits) !== value) return digits.replace("e+", "e");
  return (isPlain ? String(value) : value.toExponential()).replace("e+", "e");
}
