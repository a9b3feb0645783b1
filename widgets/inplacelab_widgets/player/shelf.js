// Which groups of a panel a step draws, and where. In the room that it was laid out for: as `stack_of` does it in Python for still
// pictures. In less room the cards of a storage stand below it; in more, storages stand beside each other.

import { paired } from "./runs.js";
/** @import { Group, Panel, Step } from "./runs.js" */

/** Between groups that stand one below the other; as in scene/marks.py. */
export const GAP = 14;
/** Between storages that stand beside each other. */
const AISLE = 24;
/** Of cards below a storage: their left edge, and what is between them; as in scene/storages.py. */
const CARD_LEFT = 6;
const CARD_GAP = 8;
/** Chips stand in rows; as in scene/shelf.py. */
const CHIPS_TOP = 22;
const CHIP_PITCH = 24;
const CHIP_GAP = 5;
/** A panel is drawn smaller, down to this, before it is cut; and a little smaller where another column is won by that. */
const SHRUNK = 0.8;
const SHRUNK_FOR_COLUMN = 0.9;
/** Cards stay beside their storage unless that is this much higher: a pointer leads from one to the other. */
const WORTH = 0.85;

/** How a panel is drawn in some room: how each group, how much smaller, how wide and high at all steps together, where the rows and
 * the chips stand, and how much of the room is left to the storages where the chips have a column of their own, beside them.
 * @typedef {{room: number, zoom: number, shapes: Map<Group, Shape>, width: number, height: number, seats: Map<Group, number[]>, beside: number}} Arrangement */
/** The size of a group, and how far each of its cards stands from where it was laid out. @typedef {{width: number, height: number, moved: number[][]}} Shape */

/** How much smaller something is drawn in some room; what would be too small is cut. @param {number} width @param {number} room */
export function zoomFor(width, room) {
  return room > 0 && room >= SHRUNK * width ? Math.min(1, room / width) : 1;
}

/** Whether a step lies in one of the stretches [first, last, first, last, ...]; in none at all means: always.
 * @param {number[] | undefined} spans @param {number} step */
export function isWithin(spans, step) {
  if (!spans) return true;
  for (let k = 0; k < spans.length; k += 2) if (spans[k] <= step && step <= spans[k + 1]) return true;
  return false;
}

/** Whether a group is drawn at a step. Who follows a tensor sees its storages all the time, and the others as chips.
 * @param {Group} group @param {number} step @param {boolean} isChip @param {Set<string> | null} followed  Keys of storages. */
export function isDrawn(group, step, isChip, followed) {
  if (step < group.first || step > group.last) return false;
  if (followed && group.key) return followed.has(group.key) !== isChip;
  return isWithin(group.open, step);
}

/** A storage as it was laid out; or, given `room`, with its cards below it, but no narrower than it is.
 * @param {Group} group @param {number} [room] @returns {Shape} */
export function shapeOf({ width, height = 0, memory, cards }, room) {
  if (!room || !memory || !cards) return { width, height, moved: [] };
  const [left, top, wide, inRow, count, down] = cards;
  const pitch = wide + CARD_GAP;
  const columns = Math.max(1, Math.min(count, Math.floor((Math.max(room, memory[0]) - CARD_LEFT + CARD_GAP) / pitch)));
  const below = memory[1] + 2;
  const moved = Array.from({ length: count }, (_, k) => [
    CARD_LEFT + (k % columns) * pitch - left - (k % inRow) * pitch,
    below + Math.floor(k / columns) * down - top - Math.floor(k / inRow) * down,
  ]);
  return { width: Math.max(memory[0], CARD_LEFT + columns * pitch - CARD_GAP), height: below + Math.ceil(count / columns) * down, moved };
}

/** Boxes beside each other, in columns if they are alike, with another row where there is no more room; and where they end.
 * @param {{width: number, height: number}[]} boxes @param {number} room */
export function flowed(boxes, room) {
  const widest = Math.max(...boxes.map((box) => box.width));
  const isEven = 2 * widest + AISLE <= room;
  let [x, y, high] = [0, 0, 0];
  const places = boxes.map(({ width, height }) => {
    if (x && x + width > room) [x, y, high] = [0, y + high + GAP, 0];
    const place = [x, y];
    x += (isEven ? widest : width) + AISLE;
    high = Math.max(high, height);
    return place;
  });
  return { places, bottom: y + high };
}

/** The last arrangement of each panel: it is asked for several times before the room changes.
 * @type {WeakMap<Panel, {room: number, part: number, best: Arrangement}>} */
const latest = new WeakMap();

/** How a panel of storages is best drawn in so much room. @param {Panel} panel @param {number} room
 * @param {number} [part]  The part of all steps at which all of it is to be seen. @returns {Arrangement} */
export function arranged(panel, room, part = 1) {
  const before = latest.get(panel);
  if (before?.room === room && before.part === part) return before.best;
  const best = bestOf(panel, room, part);
  latest.set(panel, { room, part, best });
  return best;
}

/** @param {Panel} panel @param {number} room @param {number} part @returns {Arrangement} */
function bestOf(panel, room, part) {
  const laidOut = arrangedWith(panel, room, part);
  if (room <= 0) return laidOut;
  const isTooWide = laidOut.width > room / SHRUNK;
  // As narrow as they are, storages may stand beside each other; as wide as the panel, their cards may.
  const others = [arrangedWith(panel, room, part, 1), arrangedWith(panel, room, part, 1, SHRUNK_FOR_COLUMN), arrangedWith(panel, room, part, room)];
  const beside = [laidOut, ...others].flatMap((each) => withColumn(panel, each, part));
  const [lowest] = [...others, ...beside].sort((one, other) => one.height - other.height);
  return isTooWide || lowest.height < WORTH * laidOut.height ? lowest : laidOut;
}

/** The same with the chips in a column beside the storages; nothing where that has no room.
 * @param {Panel} panel @param {Arrangement} arrangement @param {number} part @returns {Arrangement[]} */
function withColumn(panel, arrangement, part) {
  const shelf = panel.shelf ?? [];
  const beside = arrangement.room - Math.max(0, ...shelf.map((chip) => chip.width)) - AISLE;
  if (!shelf.length || beside < arrangement.width) return [];
  const places = [...new Set(shelf.filter((chip) => chip.key).map((chip) => String(arrangement.seats.get(chip))))];
  const down = (/** @type {Group} */ chip) => (chip.key ? CHIPS_TOP + places.indexOf(String(arrangement.seats.get(chip))) * CHIP_PITCH : chip.y);
  const seats = new Map([...arrangement.seats].map(([chip, place]) => [chip, shelf.includes(chip) ? [beside + AISLE, down(chip)] : place]));
  const found = { ...arrangement, beside, seats };
  return [{ ...found, height: highest(panel, found, part) }];
}

/** What is drawn over some steps, while nobody follows a tensor. @typedef {{start: number, long: number, groups: Group[], chips: Group[]}} Stretch */

/** @type {WeakMap<Panel, Stretch[]>} */
const known = new WeakMap();

/** The steps of a panel in stretches over which the same is drawn: found once, since a long recording has thousands of groups.
 * @param {Panel} panel @returns {Stretch[]} */
export function stretchesOf(panel) {
  const found = known.get(panel);
  if (found) return found;
  const { groups, shelf = [] } = panel;
  const spansOf = (/** @type {Group} */ { first, last, open }) =>
    paired(open ?? [first, last]).map(([from, to]) => [Math.max(first, from), Math.min(last, to) + 1]).filter(([from, to]) => from < to);
  const changes = [...groups, ...shelf].flatMap((group) => spansOf(group).flat());
  const starts = [...new Set(changes)].sort((one, other) => one - other);
  const places = new Map(starts.map((start, k) => [start, k]));
  /** @type {Stretch[]} */
  const stretches = starts.slice(0, -1).map((start, k) => ({ start, long: starts[k + 1] - start, groups: [], chips: [] }));
  /** @type {["groups" | "chips", Group[]][]} */
  const kinds = [["groups", groups], ["chips", shelf]];
  for (const [kind, all] of kinds)
    for (const group of all)
      for (const [from, to] of spansOf(group)) for (const stretch of stretches.slice(places.get(from), places.get(to))) stretch[kind].push(group);
  known.set(panel, stretches);
  return stretches;
}

/** How high it is at its highest, but for the steps at which it is higher than at that part of all steps.
 * @param {Panel} panel @param {Arrangement} arrangement @param {number} part */
function highest(panel, arrangement, part) {
  const stretches = stretchesOf(panel).map(({ groups, chips, long }) => ({ high: stack(groups, chips, arrangement).bottom, long }));
  stretches.sort((one, other) => one.high - other.high);
  let left = part * stretches.reduce((sum, { long }) => sum + long, 0);
  return stretches.find(({ long }) => (left -= long) <= 0)?.high ?? 0;
}

/** @param {Panel} panel @param {number} room @param {number} part @param {number} [below]  In how much room cards stand below their storage. @param {number} [most]  The zoom, if there is room.
 * @returns {Arrangement} */
function arrangedWith(panel, room, part, below, most = 1) {
  const { groups, shelf } = panel;
  const shapes = new Map(groups.map((group) => [group, shapeOf(group, below)]));
  const width = Math.max(1, ...[...shapes.values()].map((shape) => shape.width));
  const zoom = Math.min(most, zoomFor(width, room));
  const found = { room: Math.max(room / zoom, width), zoom, shapes, width, height: 0, seats: new Map(), beside: 0 };
  if (!shelf) {
    /** @type {{width: number, height: number}[]} */
    const rows = [];
    for (const [{ row = 0 }, shape] of shapes) {
      const { width = 0, height = 0 } = rows[row] ?? {};
      rows[row] = { width: Math.max(width, shape.width), height: Math.max(height, shape.height) };
    }
    const { places, bottom } = flowed(rows, found.room);
    for (const group of groups) found.seats.set(group, places[group.row ?? 0]);
    found.height = bottom;
    return found;
  }
  const chips = shelf.filter((chip) => chip.key);
  const pitch = (chips[0]?.width ?? 0) + CHIP_GAP;
  const before = 1 + Math.round(Math.max(0, ...chips.map((chip) => chip.x)) / pitch);
  const now = room > 0 ? Math.max(1, Math.floor((found.room + CHIP_GAP) / pitch)) : before;
  for (const chip of shelf) {
    const seat = ((chip.y - CHIPS_TOP) / CHIP_PITCH) * before + Math.round(chip.x / pitch);
    found.seats.set(chip, chip.key ? [(seat % now) * pitch, CHIPS_TOP + Math.floor(seat / now) * CHIP_PITCH] : [chip.x, chip.y]);
  }
  return { ...found, height: highest(panel, found, part) };
}

/** Where groups and chips stand at a step, and where they end. On a shelf those drawn are closed up, and the chips stand below or
 * beside them. @param {Panel} panel @param {number} step @param {Set<string> | null} followed @param {Arrangement} arrangement */
export function stackOf({ groups, shelf }, step, followed, arrangement) {
  const there = groups.filter((group) => isDrawn(group, step, false, shelf ? followed : null));
  if (!shelf) return { places: new Map(there.map((group) => [group, arrangement.seats.get(group)])), bottom: arrangement.height };
  return stacked(there, shelf.filter((chip) => isDrawn(chip, step, true, followed)), arrangement);
}

/** @param {Group[]} groups @param {Group[]} chips @param {Arrangement} arrangement */
function stacked(groups, chips, arrangement) {
  const { seats } = arrangement;
  const { flow, below, bottom } = stack(groups, chips, arrangement);
  const places = new Map(groups.map((group, k) => [group, flow.places[k]]));
  for (const chip of chips) {
    const [x, y] = seats.get(chip) ?? [0, 0];
    places.set(chip, [x, below + y]);
  }
  return { places, bottom };
}

/** How the groups flow, where the chips begin, and where all of them end. @param {Group[]} groups @param {Group[]} chips @param {Arrangement} arrangement */
function stack(groups, chips, { room, shapes, seats, beside }) {
  const flow = flowed(groups.flatMap((group) => shapes.get(group) ?? []), beside || room);
  const below = groups.length && !beside ? flow.bottom + GAP : 0;
  let bottom = flow.bottom;
  for (const chip of chips) bottom = Math.max(bottom, below + (seats.get(chip)?.[1] ?? 0) + (chip.height ?? 0));
  return { flow, below, bottom };
}

/** The steps, with a stop wherever something happens to what is followed. @param {Step[]} steps @param {number[]} stops @returns {Step[]} */
export function stoppingAt(steps, stops) {
  const wanted = new Set(stops);
  return steps.map((step, at) => ({ ...step, stop: wanted.has(at) }));
}
