// An operand's part of the picture: the threads of the warp above, the sectors that they touch below, as in strips.py. Pure functions.

import { fill } from "../player/words.js";
import { laneMarks, range } from "./blocks.js";
import { LANE, LEFT, PANEL, PANELS, ROOM, WIDTH, boxed, em, pathMark, put1, textMark } from "./drawing.js";
import { slotSaid } from "./formulas.js";
import { SECTOR, WARP } from "./geometry.js";

/** @typedef {import("./pick.js").Shown} Shown @typedef {import("./pick.js").Pick} Pick @typedef {import("./pick.js").Served} Served */
/** @typedef {import("./pick.js").Lane} Lane @typedef {import("./formulas.js").Say} Say @typedef {import("./drawing.js").Drawn} Drawn */

const LANES = 20;
const STRIP = 88;
const STRIP_HEIGHT = 24;
const OVERVIEW = 127;
const FOOT = 150;
const PIXELS_FOR_A_SECTOR = 5.5;
const COLOURS = ["c0", "c1", "c3", "c4", "c2"];

/** Places for sectors. Slots are as wide as threads if there is room. @param {number[]} sectors @param {number} size */
export function spread(sectors, size) {
  const per = SECTOR / size;
  const apart = sectors.slice(1).map((later, k) => later !== sectors[k] + 1);
  const jumps = apart.filter(Boolean).length;
  const gap = jumps > 8 ? 4 : 14;
  const wide = Math.min(LANE * per, (ROOM - gap * jumps) / Math.max(1, sectors.length));
  let x = LEFT + (ROOM - wide * sectors.length - gap * jumps) / 2;
  /** @type {Map<number, number>} */
  const lefts = new Map();
  sectors.forEach((sector, k) => {
    lefts.set(sector, x);
    x += wide + (apart[k] ? gap : 0);
  });
  return { lefts, slot: wide / per, per };
}

/** @typedef {ReturnType<typeof spread>} Spread */

/** Where a slot begins. @param {Spread} places @param {number} slot */
const leftOf = ({ lefts, per, slot: wide }, slot) => (lefts.get(Math.floor(slot / per)) ?? 0) + (slot % per) * wide;

/** @param {Shown} shown @param {Pick} pick @param {Served} asked @param {Say} say @returns {Drawn[]} */
export function stripMarks(shown, pick, asked, say) {
  const { launch, sizes, storages, stored } = shown;
  const top = PANELS + asked.operand * PANEL;
  const operand = launch.operands[asked.operand];
  const colour = COLOURS[asked.operand % COLOURS.length];
  const places = spread(asked.sectors, sizes[asked.operand]);
  const picked = asked.lanes.filter(({ lane }) => lane === pick.thread % WARP);
  const others = asked.lanes.filter(({ lane }) => lane !== pick.thread % WARP);
  const storage = storages[asked.operand];
  return [
    textMark(0, top + 11, "bold", storage ? `${operand.name} · ${storage}` : operand.name),
    textMark(LEFT, top + 11, "", slotSaid(shown, pick, asked.operand, say)),
    pathMark(others.map((lane) => ribbon(lane, places, top)).join(""), `ribbon ${colour}-fill ${colour}-line`),
    pathMark(picked.map((lane) => ribbon(lane, places, top)).join(""), "ribbon-picked"),
    ...laneMarks(launch, pick, top + LANES, say),
    ...directions(asked, top, say),
    ...sectorMarks(asked, places, picked, colour, top),
    ...overview(asked, operand.storage_bytes, stored[asked.operand], colour, top, say),
    ...cost(asked, colour, top, say),
  ];
}

/** From a thread to what it touches. @param {Lane} lane @param {Spread} places @param {number} top */
function ribbon({ lane, slot, slots }, places, top) {
  const x = LEFT + lane * LANE + 3;
  const below = put1(top + STRIP);
  return `M${put1(x)} ${put1(top + LANES + 18)}H${put1(x + LANE - 6)}L${put1(leftOf(places, slot + slots - 1) + places.slot)} ${below}H${put1(leftOf(places, slot))}z`;
}

/** @param {Served} asked @param {number} top @param {Say} say */
function directions({ kinds }, top, say) {
  return kinds.map((kind, k) => textMark(LEFT - 6, top + 56 + 14 * k, "small end", (kind === "reads" ? "↑ " : "↓ ") + say(kind)));
}

/** The slots of some threads, each once, in order. @param {Lane[]} lanes */
const slotsIn = (lanes) => [...new Set(lanes.flatMap(({ slot, slots }) => range(slots, slot)))].sort((a, b) => a - b);

/** @param {Served} asked @param {Spread} places @param {Lane[]} picked @param {string} colour @param {number} top @returns {Drawn[]} */
function sectorMarks({ lanes }, places, picked, colour, top) {
  const y = top + STRIP;
  const wide = places.slot * places.per;
  const lefts = [...places.lefts.values()];
  const filled = (/** @type {Lane[]} */ some) => slotsIn(some).map((slot) => boxed(leftOf(places, slot), y, places.slot, STRIP_HEIGHT)).join("");
  const frames = lefts.map((left) => boxed(left, y, wide, STRIP_HEIGHT)).join("");
  const lines = places.slot < 4 ? [] : lefts.flatMap((left) => range(places.per - 1, 1).map((k) => `M${put1(left + k * places.slot)} ${put1(y)}v${STRIP_HEIGHT}`));
  return [
    pathMark(frames, "over"),
    pathMark(filled(lanes), `wanted ${colour}-fill`),
    pathMark(lines.join(""), "cells"),
    pathMark(frames, "sector"),
    pathMark(filled(picked), "written"),
    ...numbers(places, y + STRIP_HEIGHT + 10),
  ];
}

/** The first slot of each sector, where there is room. @param {Spread} places @param {number} y @returns {Drawn[]} */
function numbers({ lefts, per }, y) {
  const marks = [];
  let free = 0;
  for (const [sector, left] of lefts) {
    const number = String(sector * per);
    if (left < free) continue;
    marks.push(textMark(left, y, "tiny", number));
    free = left + em(number, 9) + 6;
  }
  return marks;
}

/** @param {Served} asked @param {number} bytes @param {string} size @param {string} colour @param {number} top @param {Say} say @returns {Drawn[]} */
function overview({ sectors }, bytes, size, colour, top, say) {
  const y = top + OVERVIEW;
  const wide = ROOM / Math.max(1, Math.ceil(bytes / SECTOR));
  return [
    textMark(LEFT - 6, y + 7, "tiny end", fill(say("whole"), { size })),
    pathMark(boxed(LEFT, y, ROOM, 7), "slot"),
    pathMark(sectors.map((sector) => boxed(LEFT + sector * wide, y, Math.max(1.5, wide), 7)).join(""), `wanted ${colour}-fill`),
  ];
}

/** @param {Served} asked @param {string} colour @param {number} top @param {Say} say @returns {Drawn[]} */
function cost(asked, colour, top, say) {
  const y = top + FOOT;
  const said = costOf(asked, say);
  if (!asked.sectors.length) return [textMark(LEFT, y, "soft", said)];
  const scale = PIXELS_FOR_A_SECTOR / SECTOR;
  const left = WIDTH - 70 - 32 * PIXELS_FOR_A_SECTOR;
  const moved = SECTOR * asked.sectors.length * scale;
  const share = `${shareOfMoved(asked)} %`;
  return [
    textMark(LEFT, y, "", said),
    pathMark(boxed(left, y - 9, moved, 11), "over sector"),
    pathMark(boxed(left, y - 9, asked.wanted * scale, 11), `wanted ${colour}-fill`),
    textMark(left + moved + 6, y, "bold", share),
  ];
}

/** The part of what is moved that was wanted, in percent. @param {Served} asked */
export function shareOfMoved({ wanted, sectors }) {
  const tenths = Math.floor((wanted * 1000) / (SECTOR * sectors.length));
  return tenths % 10 ? `${Math.floor(tenths / 10)}.${tenths % 10}` : `${tenths / 10}`;
}

/** What the warp costs, in a sentence. @param {Served} asked @param {Say} say */
export function costOf(asked, say) {
  if (asked.unknown) return say("cost_unknown");
  if (!asked.sectors.length) return say("cost_none");
  if (whyOf(asked) === "scattered" && asked.apart) return fill(say("apart"), { sectors: asked.sectors.length, wanted: asked.wanted, apart: asked.apart });
  const cost = fill(say(asked.sectors.length === 1 ? "cost_one" : "cost"), { sectors: asked.sectors.length, wanted: asked.wanted, share: shareOfMoved(asked) });
  if (asked.crowd > 1) return cost + fill(say("crowd"), { crowd: asked.crowd });
  const why = whyOf(asked);
  return why ? cost + say(why) : cost;
}

/** The word for it, if it is as good or as bad as it can be. @param {Served} asked */
function whyOf({ lanes, sectors, wanted }) {
  if (lanes.length < 2) return "";
  if (wanted === SECTOR * sectors.length) return "coalesced";
  return sectors.length === lanes.length ? "scattered" : "";
}

/** The thread at a place in an operand's part: its own cell, or the first that touches the slot there.
 * @param {Shown} shown @param {Pick} pick @param {Served[]} all @param {number} x @param {number} y @returns {Pick | undefined} */
export function pickBelow(shown, pick, all, x, y) {
  const asked = all[Math.floor((y - PANELS) / PANEL)];
  if (!asked || y < PANELS) return undefined;
  const down = (y - PANELS) % PANEL;
  const first = pick.thread - (pick.thread % WARP);
  if (down >= LANES && down < LANES + 18) {
    const lane = Math.floor((x - LEFT) / LANE);
    return lane >= 0 && lane < WARP ? { ...pick, thread: first + lane } : undefined;
  }
  if (down < STRIP || down >= STRIP + STRIP_HEIGHT) return undefined;
  const places = spread(asked.sectors, shown.sizes[asked.operand]);
  const found = asked.lanes.find(({ slot, slots }) => leftOf(places, slot) <= x && x < leftOf(places, slot + slots - 1) + places.slot);
  return found && { ...pick, thread: first + found.lane };
}
