// What the threads of one warp ask for in one turn, operand by operand, as in pick.py. Pure functions.

import { SECTOR, WARP, accessesAt, blocksOf, threadsOf, turnsOf } from "./geometry.js";

/** A launch to draw: see payload.py. @typedef {{launch: import("./geometry.js").Launch, places: number[] | null, sizes: number[], stored: string[], storages: string[], drawable: boolean}} Shown */
/** @typedef {{block: number, thread: number, turn: number}} Pick */
/** @typedef {{lane: number, slot: number, slots: number}} Lane */
/** @typedef {{operand: number, kinds: string[], lanes: Lane[], sectors: number[], wanted: number, crowd: number, unknown: boolean, apart: number}} Served */

const KINDS = ["reads", "writes", "adds"];

/** The nearest thread and turn that there are. @param {Shown} shown @param {Pick} pick @returns {Pick} */
export function fitted({ launch, drawable }, { block, thread, turn }) {
  const clamp = (/** @type {number} */ value, /** @type {number} */ count) => Math.min(Math.max(value, 0), count - 1);
  return { block: clamp(block, blocksOf(launch)), thread: clamp(thread, threadsOf(launch)), turn: clamp(turn, drawable ? turnsOf(launch) : 1) };
}

/** @param {Shown} shown @param {Pick} pick @returns {Served[]} */
export function served({ launch, places, sizes }, { block, thread, turn }) {
  const first = Math.floor(thread / WARP) * WARP;
  const count = Math.min(WARP, threadsOf(launch) - first);
  const done = Array.from({ length: count }, (_, lane) => accessesAt(launch, places, block, first + lane, turn));
  return launch.operands.map((_, operand) => servedOne(operand, sizes[operand], done));
}

/** @param {number} operand @param {number} size @param {import("./geometry.js").Access[][]} done @returns {Served} */
function servedOne(operand, size, done) {
  const mine = done.flatMap((accesses, lane) => accesses.filter((each) => each.operand === operand).map((each) => ({ lane, ...each })));
  const kinds = KINDS.filter((kind) => mine.some((each) => each.kind === kind));
  /** @type {Map<number, Lane>} */
  const lanes = new Map();
  for (const { lane, slot, slots } of mine) if (slot !== null) lanes.set(lane, { lane, slot, slots });
  /** @type {Map<number, number>} */
  const met = new Map();
  for (const { slot, slots } of lanes.values()) for (let k = slot; k < slot + slots; k += 1) met.set(k, (met.get(k) ?? 0) + 1);
  const sectors = [...new Set([...met.keys()].map((slot) => Math.floor((slot * size) / SECTOR)))].sort((a, b) => a - b);
  return {
    operand,
    kinds,
    lanes: [...lanes.values()],
    sectors,
    wanted: met.size * size,
    crowd: Math.max(0, ...met.values()),
    unknown: mine.length > 0 && lanes.size === 0,
    apart: apartOf([...lanes.values()]) * size,
  };
}

/** How many slots lie between those of one thread and of the next; 0 if that differs. @param {Lane[]} lanes */
function apartOf(lanes) {
  const steps = new Set(lanes.slice(1).map(({ slot }, k) => Math.abs(slot - lanes[k].slot)));
  return steps.size === 1 ? [...steps][0] : 0;
}
