// Computes which groups of a panel a step draws, and where. In the width of the layout it does what `stack_of` does in Python for
// still pictures; with more or less room, more or fewer storages are side by side.

import { paired, widthOf } from "./steps.js";
/** @import { Attributes, Group, Panel, Said, Step } from "./steps.js" */

/** The space between groups one below the other, in px; as in scene/svg.py. */
export const GAP = 14;
/** The space between storages side by side, in px. */
const AISLE = 24;
/** The rows of the table, and the space between its cells; as in scene/svg.py. */
const ROW = 17;
const CELL_GAP = 14;
/** The space around the words that say how many storages are not drawn, and their height, in px. */
const MORE_GAP = 5;
const MORE_HEIGHT = 24;
/** The widths of the words that say how many storages are not drawn, and of fewer words, in px. */
const MORE_WIDTH = 130;
const SHORT_WIDTH = 84;
/** The least scale of a panel before it is cut, and the least scale to gain another column. */
export const SHRUNK = 0.8;
const SHRUNK_FOR_COLUMN = 0.9;
/** The room of the storages on a laptop, as in scene/storages_panel.py. On a narrower screen words may become smaller, so that nothing is cut. */
export const USUAL_ROOM = 570;
/** The least width of a table beside the storages, in px. */
const LEAST_TABLE = 480;
/** Another arrangement is taken only if the panel then has at most this part of its height. */
const WORTH = 0.85;
/** The most storages that are drawn in full, as in scene/focus.py, and the most that are tried beyond those of the step. */
const MOST_IN_FULL = 8;
const MOST_TRIED = 12;

/** The arrangement of a panel in some room: the scale, the width of its widest group, the width and height over all steps, the places of the
 * rows, and the room of the storages if the table is beside them.
 * @typedef {{room: number, zoom: number, widest: number, width: number, height: number, seats: Map<Group, number[]>, beside: number}} Arrangement */

/** The scale of a drawing in some room; what would be too small is cut instead. @param {number} width @param {number} room
 * @param {number} shrunk  The least scale. */
export function zoomFor(width, room, shrunk) {
  return room > 0 && room >= shrunk * width ? Math.min(1, room / width) : 1;
}

/** Whether a step is in one of the ranges [first, last, first, last, ...]; without ranges, always.
 * @param {number[] | undefined} spans @param {number} step */
export function isWithin(spans, step) {
  if (!spans) return true;
  for (let k = 0; k < spans.length; k += 2) if (spans[k] <= step && step <= spans[k + 1]) return true;
  return false;
}

/** Whether a group is drawn at a step. While a tensor is followed, its storages are always drawn, and no others.
 * @param {Group} group @param {number} step @param {Set<string> | null} followed  Keys of storages. */
export function isDrawn(group, step, followed) {
  if (step < group.first || step > group.last) return false;
  return followed && group.key ? followed.has(group.key) : isWithin(group.open, step);
}

/** Places boxes side by side, in columns if they are alike, with a new row when the room is used up; also returns their bottom. Before a new row begins,
 * one goes below a lower one of the row.
 * @param {{width: number, height: number}[]} boxes @param {number} room */
export function flowed(boxes, room) {
  const widest = Math.max(...boxes.map((box) => box.width));
  const isEven = 2 * widest + AISLE <= room;
  let [x, y, high] = [0, 0, 0];
  /** The left edge and the bottom of each column of the present row. @type {number[][]} */
  let row = [];
  const places = boxes.map(({ width, height }) => {
    let [left, top] = [x, y];
    if (x && x + width > room) {
      const column = row.find(([edge, bottom], k) => edge + width + AISLE <= (row[k + 1]?.[0] ?? room + AISLE) && bottom + GAP + height <= y + high);
      if (column) {
        [left, top] = [column[0], column[1] + GAP];
        row = row.filter((each) => each !== column);
      } else {
        [x, y, high, row] = [0, y + high + GAP, 0, []];
        [left, top] = [0, y];
      }
    }
    row = [...row, [left, top + height]].sort(([one], [other]) => one - other);
    x = Math.max(x, left + (isEven ? widest : width) + AISLE);
    high = Math.max(high, top + height - y);
    return [left, top];
  });
  return { places, bottom: y + high };
}

/** The last arrangement of each panel, which is needed several times before the room changes.
 * @type {WeakMap<Panel, {asked: string, best: Arrangement}>} */
const latest = new WeakMap();

/** The best arrangement of a panel of storages in some room. @param {Panel} panel @param {number} room
 * @param {number} [part]  The part of all steps at which all of it should be visible. @param {number} [shrunk]  The least scale. @returns {Arrangement} */
export function arranged(panel, room, part = 1, shrunk = 1) {
  const before = latest.get(panel), asked = `${room} ${part} ${shrunk}`;
  if (before?.asked === asked) return before.best;
  const best = bestOf(panel, room, part, shrunk);
  latest.set(panel, { asked, best });
  return best;
}

/** @param {Panel} panel @param {number} room @param {number} part @param {number} shrunk @returns {Arrangement} */
function bestOf(panel, room, part, shrunk) {
  const laidOut = arrangedWith(panel, room, part, shrunk);
  if (room <= 0) return laidOut;
  const isTooWide = laidOut.width > room / shrunk;
  // Try whether more storages fit side by side if they are a little smaller.
  const others = shrunk < SHRUNK_FOR_COLUMN ? [arrangedWith(panel, room, part, shrunk, SHRUNK_FOR_COLUMN)] : [];
  const beside = [laidOut, ...others].flatMap((each) => withColumn(panel, each, part));
  const [lowest] = [...others, ...beside, laidOut].sort((one, other) => one.height - other.height);
  return isTooWide || lowest.height < WORTH * laidOut.height ? lowest : laidOut;
}

/** The same with the table beside the storages; empty if there is no room for it.
 * @param {Panel} panel @param {Arrangement} arrangement @param {number} part @returns {Arrangement[]} */
function withColumn(panel, arrangement, part) {
  const beside = arrangement.room - LEAST_TABLE - AISLE;
  if (!panel.table || beside < arrangement.widest) return [];
  const found = { ...arrangement, beside };
  return [{ ...found, height: highest(panel, found, part) }];
}

/** What is drawn over some steps, while no tensor is followed. @typedef {{start: number, long: number, groups: Group[]}} Stretch */

/** @type {WeakMap<Panel, Stretch[]>} */
const known = new WeakMap();

/** The steps of a panel in ranges with the same drawing: computed once, since a long recording has thousands of groups.
 * @param {Panel} panel @returns {Stretch[]} */
export function stretchesOf(panel) {
  const found = known.get(panel);
  if (found) return found;
  const { groups } = panel;
  const spansOf = (/** @type {Group} */ { first, last, open }) =>
    paired(open ?? [first, last]).map(([from, to]) => [Math.max(first, from), Math.min(last, to) + 1]).filter(([from, to]) => from < to);
  const changes = groups.flatMap((group) => spansOf(group).flat());
  const starts = [...new Set(changes)].sort((one, other) => one - other);
  const places = new Map(starts.map((start, k) => [start, k]));
  /** @type {Stretch[]} */
  const stretches = starts.slice(0, -1).map((start, k) => ({ start, long: starts[k + 1] - start, groups: [] }));
  for (const group of groups)
    for (const [from, to] of spansOf(group)) for (const stretch of stretches.slice(places.get(from), places.get(to))) stretch.groups.push(group);
  known.set(panel, stretches);
  return stretches;
}

/** The height that is enough for that part of all steps.
 * @param {Panel} panel @param {Arrangement} arrangement @param {number} part */
function highest(panel, arrangement, part) {
  const { height } = tabled(panel.table ?? [], tableRoom(arrangement));
  const stretches = stretchesOf(panel).map(({ groups, long }) => ({ high: under(bottomOf(groups, arrangement), height, arrangement), long }));
  stretches.sort((one, other) => one.high - other.high);
  let left = part * stretches.reduce((sum, { long }) => sum + long, 0);
  return stretches.find(({ long }) => (left -= long) <= 0)?.high ?? 0;
}

/** @param {Panel} panel @param {number} room @param {number} part @param {number} shrunk @param {number} [most]  The greatest scale. @returns {Arrangement} */
function arrangedWith(panel, room, part, shrunk, most = 1) {
  const { groups, table } = panel;
  const widest = Math.max(1, ...groups.map((group) => group.width));
  const zoom = Math.min(most, zoomFor(widest, room, shrunk));
  const found = { room: room > 0 ? Math.max(room / zoom, widest) : panel.width, zoom, widest, width: widest, height: 0, seats: new Map(), beside: 0 };
  if (!table) {
    /** @type {{width: number, height: number}[]} */
    const rows = [];
    for (const group of groups) {
      const { width = 0, height = 0 } = rows[group.row ?? 0] ?? {};
      rows[group.row ?? 0] = { width: Math.max(width, group.width), height: Math.max(height, group.height ?? 0) };
    }
    const { places, bottom } = flowed(rows, found.room);
    for (const group of groups) found.seats.set(group, places[group.row ?? 0]);
    found.height = bottom;
    found.width = Math.max(widest, ...rows.map(({ width }, row) => places[row][0] + width));
    return found;
  }
  return { ...found, width: found.room, height: highest(panel, found, part) };
}

/** What is drawn: its places, its bottom, and what is said of the rest. @typedef {{places: Map<Group, number[]>, bottom: number, more?: More}} Stacked */
/** How many storages are not drawn, and where that is said; `form`: in all words, in few, or as a number.
 * @typedef {{count: number, x: number, y: number, form: number}} More */

/** The places of groups and of the table at a step, and their bottom. In a panel with a table the drawn groups are moved together, with the table below
 * or beside them; as many more are drawn in full as the pane has room for. Where the pane is high, the table is at its lower edge at every step.
 * @param {Panel} panel @param {number} step @param {Set<string> | null} followed @param {Arrangement} arrangement @param {number} [high]  The height of the pane.
 * @param {((group: Group) => boolean) | null} [isAbout]  Whether the step is about a storage; where nothing is scrolled, the others make room.
 * @param {Set<string>} [opened]  The keys of the rows that are open. @param {(group: Group) => number} [urgency]  Of the others, the most urgent are drawn in full first.
 * @returns {Stacked} */
export function stackOf({ groups, table }, step, followed, arrangement, high = 0, isAbout = null, opened = new Set(), urgency = () => 0) {
  let there = groups.filter((group) => isDrawn(group, step, table ? followed : null));
  if (!table) return { places: new Map(there.map((group) => [group, arrangement.seats.get(group) ?? [0, 0]])), bottom: arrangement.height };
  const { room, beside } = arrangement;
  const { height } = tabled(table, tableRoom(arrangement));
  if (high && !followed) there = unfolded(groups, there, step, arrangement, Math.max(high, under(bottomOf(there, arrangement), height, arrangement)), height, urgency);
  const waiting = new Set(table.filter((line) => isStorage(line) && isDrawn(line, step, null)).map((line) => line.key));
  // Where nothing is scrolled, storages that the step is not about make room. Beside the highest there is room in any case.
  while (isAbout && there.length > 1 && under(bottomOf(there, arrangement), height, arrangement) > Math.max(high, ...there.map((group) => group.height ?? 0))) {
    const least = there.findIndex((group) => !isAbout(group));
    there = there.filter((_, k) => k !== (least < 0 ? there.length - 1 : least));
  }
  const flow = flowed(there.map(sizeOf), beside || room);
  /** @type {Map<Group, number[]>} */
  const places = new Map(there.map((group, k) => [group, flow.places[k]]));
  if (isAbout && under(flow.bottom, height, arrangement) > high) {
    for (const group of there) waiting.delete(group.key);
    return { places, bottom: flow.bottom, more: waiting.size ? besideOrBelow(there, places, flow.bottom, { room, high, count: waiting.size }) : undefined };
  }
  const [left, top] = beside ? [beside + AISLE, 0] : [0, Math.max(there.length ? flow.bottom + GAP : 0, high - height)];
  const rows = tabled(table, tableRoom(arrangement), opened, step);
  for (const [group, [x, y]] of rows.places) places.set(group, [left + x, top + y]);
  return { places, bottom: Math.max(flow.bottom, top + rows.height) };
}

/** Whether a group of a table is the line of a storage. @param {Group} group */
const isStorage = ({ key }) => key?.startsWith("s") ?? false;

/** @param {Arrangement} arrangement */
const tableRoom = ({ room, beside }) => (beside ? room - beside - AISLE : room);

/** The bottom of storages. @param {Group[]} groups @param {Arrangement} arrangement */
const bottomOf = (groups, { room, beside }) => (groups.length ? flowed(groups.map(sizeOf), beside || room).bottom : 0);

/** The bottom of storages and a table. @param {number} bottom @param {number} height @param {Arrangement} arrangement */
const under = (bottom, height, { beside }) => (beside || !height ? Math.max(bottom, height) : bottom + (bottom && GAP) + height);

/** The places of the heads and cells of a table, side by side in the room, and below an opened row the lines of its storages; and the height. As in
 * scene/svg.py. @param {Group[]} table @param {number} room @param {Set<string>} [opened] @param {number} [step] */
export function tabled(table, room, opened = new Set(), step = -1) {
  const heads = table.filter(({ key }) => key?.startsWith("o"));
  const left = Math.max(0, ...heads.map(({ width }) => width)) + CELL_GAP;
  /** @type {Map<Group, number[]>} */
  const places = new Map();
  let [x, y, below] = [left, -ROW, 0];
  let isOpen = false;
  for (const group of table) {
    if (isStorage(group)) {
      if (!isOpen) continue;
      if (isDrawn(group, step, null)) places.set(group, [group.x, y + ROW + group.y]);
      below = Math.max(below, group.y + ROW);
      continue;
    }
    if (group.key) {
      [x, y, below] = [left, y + below + ROW, 0];
      isOpen = opened.has(group.key);
      places.set(group, [0, y]);
      continue;
    }
    if (x > left && x + group.width > room) [x, y] = [left, y + ROW];
    places.set(group, [Math.round(10 * x) / 10, y]);
    x += group.width + CELL_GAP;
  }
  return { places, height: y + below + ROW };
}

/** @param {Group} group */
const sizeOf = ({ width, height = 0 }) => ({ width, height });

/** Draws more storages in full while the pane has room, those first that are most urgent at this step, then those that a step was about last.
 * @param {Group[]} groups @param {Group[]} there @param {number} step @param {Arrangement} arrangement @param {number} room @param {number} height  That of the table.
 * @param {(group: Group) => number} urgency */
function unfolded(groups, there, step, arrangement, room, height, urgency) {
  const keys = new Set(there.map((group) => group.key));
  const waiting = groups.filter((group) => group.key && !keys.has(group.key) && group.first <= step && step <= group.last);
  const since = new Map(waiting.map((group) => [group, -urgency(group) || step - Math.max(-1, ...paired(group.open ?? []).flatMap(([, last]) => (last < step ? [last] : [])))]));
  waiting.sort((one, other) => (since.get(one) ?? 0) - (since.get(other) ?? 0));
  for (const group of waiting.slice(0, MOST_TRIED)) {
    if (there.length >= MOST_IN_FULL) break;
    const more = groups.filter((each) => each === group || there.includes(each));
    if (under(bottomOf(more, arrangement), height, arrangement) <= room) there = more;
  }
  return there;
}

/** Where it is said how many storages are not drawn: beside the others, below a lower one in their last row, or below all of them. There are fewer
 * words, or only the number, if they have no room there. @param {Group[]} there @param {Map<Group, number[]>} places @param {number} bottom
 * @param {{room: number, high: number, count: number}} found @returns {More} */
function besideOrBelow(there, places, bottom, { room, high, count }) {
  const boxes = there.map((group) => ({ ...sizeOf(group), x: places.get(group)?.[0] ?? 0, y: places.get(group)?.[1] ?? 0 }));
  const x = Math.max(...boxes.map((box) => box.x + box.width)) + MORE_GAP;
  const last = Math.max(...boxes.map((box) => box.y));
  const below = boxes.filter((box) => box.y === last).map((box) => ({ x: box.x, y: box.y + box.height + MORE_GAP }));
  const spots = [{ x: Math.min(x, room - MORE_HEIGHT), y: 0 }, ...[...below, { x: 0, y: bottom }].filter((spot) => spot.y + MORE_HEIGHT <= high)];
  const forms = spots.map((spot) => ({ count, ...spot, form: formAt(spot.x, room) }));
  return forms.sort((one, other) => one.form - other.form)[0];
}

/** The first form of the words that has room. @param {number} x @param {number} room */
const formAt = (x, room) => (x + MORE_WIDTH <= room ? 0 : x + SHORT_WIDTH <= room ? 1 : 2);

/** The steps, with a stop wherever the followed tensor is concerned. @param {Step[]} steps @param {number[]} stops @returns {Step[]} */
export function stoppingAt(steps, stops) {
  const wanted = new Set(stops);
  return steps.map((step, at) => ({ ...step, stop: wanted.has(at) }));
}

// The step axis, as wide as its pane. Python lays it out for one width: words and signs keep their size, positions move.

/** The panels whose x axis is the step. */
export const ON_AXIS = new Set(["lanes", "memory", "ranks"]);
/** Narrower than this, an axis is scaled down instead, since its words would overlap. As in scene/timeline.py. */
const AXIS_LEAST = 640;
/** The approximate width of a character on an axis, in px. */
const CHARACTER = 6.9;

/** The width of an axis in some room, and the map from positions in the layout. Left of the axis nothing moves.
 * @param {number} width  As it was laid out. @param {{left: number, right: number}} axis @param {number} room */
export function axisIn(width, { left, right }, room) {
  const wide = room > 0 ? Math.max(AXIS_LEAST, room) : width;
  const by = (wide - left - right) / (width - left - right);
  const along = (/** @type {number} */ x) => (x <= left ? x : Math.round(10 * (left + (x - left) * by)) / 10);
  return { width: wide, by, along };
}

/** Attributes of a mark on such an axis. In a path, absolute positions are on the axis; relative ones are part of a sign.
 * @param {Attributes} place @param {(x: number) => number} along @returns {Attributes} */
export function stretched(place, along) {
  const found = { ...place };
  if ("x" in place) {
    found.x = along(Number(place.x));
    if ("width" in place) found.width = along(Number(place.x) + Number(place.width)) - found.x;
  }
  const moved = (/** @type {string} */ command, /** @type {string} */ x) => command + along(Number(x));
  if ("d" in place) found.d = String(place.d).replace(/([MH])(-?[\d.]+)/g, (_, command, x) => moved(command, x));
  if ("transform" in place) found.transform = String(place.transform).replace(/(\()([\d.]+)/, (_, command, x) => moved(command, x));
  return found;
}

/** The x at which words begin so that they end within `width`. @param {number} x @param {Said[]} said @param {number} width */
export function endingWithin(x, said, width) {
  const longest = Math.max(0, ...said.flat().map(widthOf));
  return Math.max(0, Math.min(x, width - longest * CHARACTER));
}
