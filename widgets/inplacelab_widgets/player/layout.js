// Computes which groups of a panel a step draws, and where. In the width of the layout it does what `stack_of` does in Python for
// still pictures; with more or less room, more or fewer storages are side by side.

import { paired, widthOf } from "./steps.js";
/** @import { Attributes, Group, Panel, Said, Step } from "./steps.js" */

/** The space between groups one below the other, in px; as in scene/svg.py. */
export const GAP = 14;
/** The space between storages side by side, in px. */
const AISLE = 24;
/** The rows of chips; as in scene/svg.py. */
const CHIPS_TOP = 22;
const CHIP_PITCH = 24;
const CHIP_GAP = 5;
/** The widths of the words that say how many storages are not drawn, and of fewer words, in px. */
const MORE_WIDTH = 130;
const SHORT_WIDTH = 84;
/** The least scale of a panel before it is cut, and the least scale to gain another column. */
export const SHRUNK = 0.8;
const SHRUNK_FOR_COLUMN = 0.9;
/** The room of the storages on a laptop, as in scene/storages_panel.py. On a narrower screen words may become smaller, so that nothing is cut. */
export const USUAL_ROOM = 570;
/** Another arrangement is taken only if the panel then has at most this part of its height. */
const WORTH = 0.85;
/** The most storages that are drawn in full, as in scene/focus.py, and the most that are tried beyond those of the step. */
const MOST_IN_FULL = 8;
const MOST_TRIED = 12;

/** The arrangement of a panel in some room: the scale, the width of its widest group, the width and height over all steps, the places of the
 * rows, and the room of the storages if the chips have a separate column beside them.
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

/** Whether a group is drawn at a step. While a tensor is followed, its storages are always drawn, and the others are chips.
 * @param {Group} group @param {number} step @param {boolean} isChip @param {Set<string> | null} followed  Keys of storages. */
export function isDrawn(group, step, isChip, followed) {
  if (step < group.first || step > group.last) return false;
  if (followed && group.key) return followed.has(group.key) !== isChip;
  return isWithin(group.open, step);
}

/** Places boxes side by side, in columns if they are alike, with a new row when the room is used up; also returns their bottom.
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

/** The same with the chips in a column beside the storages; empty if there is no room for it.
 * @param {Panel} panel @param {Arrangement} arrangement @param {number} part @returns {Arrangement[]} */
function withColumn(panel, arrangement, part) {
  const shelf = panel.shelf ?? [];
  const beside = arrangement.room - Math.max(0, ...shelf.map((chip) => chip.width)) - AISLE;
  if (!shelf.length || beside < arrangement.widest) return [];
  const found = { ...arrangement, beside };
  return [{ ...found, height: highest(panel, found, part) }];
}

/** What is drawn over some steps, while no tensor is followed. @typedef {{start: number, long: number, groups: Group[], chips: Group[]}} Stretch */

/** @type {WeakMap<Panel, Stretch[]>} */
const known = new WeakMap();

/** The steps of a panel in ranges with the same drawing: computed once, since a long recording has thousands of groups.
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

/** The height that is enough for that part of all steps.
 * @param {Panel} panel @param {Arrangement} arrangement @param {number} part */
function highest(panel, arrangement, part) {
  const stretches = stretchesOf(panel).map(({ groups, chips, long }) => ({ high: stack(groups, chips, arrangement).bottom, long }));
  stretches.sort((one, other) => one.high - other.high);
  let left = part * stretches.reduce((sum, { long }) => sum + long, 0);
  return stretches.find(({ long }) => (left -= long) <= 0)?.high ?? 0;
}

/** @param {Panel} panel @param {number} room @param {number} part @param {number} shrunk @param {number} [most]  The greatest scale. @returns {Arrangement} */
function arrangedWith(panel, room, part, shrunk, most = 1) {
  const { groups, shelf } = panel;
  const widest = Math.max(1, ...groups.map((group) => group.width));
  const zoom = Math.min(most, zoomFor(widest, room, shrunk));
  const found = { room: room > 0 ? Math.max(room / zoom, widest) : panel.width, zoom, widest, width: widest, height: 0, seats: new Map(), beside: 0 };
  if (!shelf) {
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

/** @param {Group} group */
const sizeOf = ({ width, height = 0 }) => ({ width, height });

/** What is drawn: its places, its bottom, and what is said of the rest. @typedef {{places: Map<Group, number[]>, bottom: number, more?: More}} Stacked */
/** How many storages are not drawn, and where that is said; `form`: in all words, in few, or as a number.
 * @typedef {{count: number, x: number, y: number, form: number}} More */

/** The places of groups and chips at a step, and their bottom. With a shelf the drawn groups are moved together, and the chips are below
 * or beside them; as many more are drawn in full as the pane has room for.
 * @param {Panel} panel @param {number} step @param {Set<string> | null} followed @param {Arrangement} arrangement @param {number} [high]  The height of the pane.
 * @param {((group: Group) => boolean) | null} [isAbout]  Whether the step is about a storage; where nothing is scrolled, the others make room.
 * @returns {Stacked} */
export function stackOf({ groups, shelf }, step, followed, arrangement, high = 0, isAbout = null) {
  const there = groups.filter((group) => isDrawn(group, step, false, shelf ? followed : null));
  if (!shelf) return { places: new Map(there.map((group) => [group, arrangement.seats.get(group) ?? [0, 0]])), bottom: arrangement.height };
  const chips = shelf.filter((chip) => isDrawn(chip, step, true, followed));
  if (!followed) {
    const found = unfolded(groups, there, chips, step, arrangement, high);
    return high ? withFittingChips(found, arrangement, high, isAbout) : stacked(found.there, found.chips, arrangement);
  }
  // The heading is there whenever a chip is: which storages are chips depends on what is followed.
  const heading = chips.some((chip) => chip.key) ? shelf.filter((chip) => !chip.key && !chips.includes(chip)) : [];
  return stacked(there, [...heading, ...chips], arrangement);
}

/** Draws storages in full instead of their chips while the pane has room, those first that a step was about last.
 * @param {Group[]} groups @param {Group[]} there @param {Group[]} chips @param {number} step @param {Arrangement} arrangement @param {number} high */
function unfolded(groups, there, chips, step, arrangement, high) {
  if (!high) return { there, chips };
  const room = Math.max(high, stack(there, chips, arrangement).bottom);
  const keys = new Set(chips.map((chip) => chip.key));
  const waiting = groups.filter((group) => group.key && keys.has(group.key) && group.first <= step && step <= group.last);
  const since = new Map(waiting.map((group) => [group, step - Math.max(-1, ...paired(group.open ?? []).flatMap(([, last]) => (last < step ? [last] : [])))]));
  waiting.sort((one, other) => (since.get(one) ?? 0) - (since.get(other) ?? 0));
  for (const group of waiting.slice(0, MOST_TRIED)) {
    if (there.length >= MOST_IN_FULL) break;
    const [more, fewer] = [groups.filter((each) => each === group || there.includes(each)), chips.filter((chip) => chip.key !== group.key)];
    const left = fewer.some((chip) => chip.key) ? fewer : [];
    if (stack(more, left, arrangement).bottom <= room) [there, chips] = [more, left];
  }
  return { there, chips };
}

/** The same with as many chips as fit: none is cut. The others are below the lower edge, where they can be scrolled to. Where nothing is scrolled
 * they are left out, and storages that the step is not about make room.
 * @param {{there: Group[], chips: Group[]}} found @param {Arrangement} arrangement @param {number} high @param {((group: Group) => boolean) | null} isAbout @returns {Stacked} */
function withFittingChips({ there, chips }, arrangement, high, isAbout) {
  const { room, beside } = arrangement;
  const heading = chips.filter((chip) => !chip.key);
  const storages = chips.filter((chip) => chip.key);
  let count = 0;
  const bottomOf = (/** @type {Group[]} */ groups) => flowed(groups.map(sizeOf), beside || room).bottom;
  const below = () => (!beside && count + storages.length ? GAP + CHIPS_TOP + CHIP_PITCH : 0);
  // Beside the highest there is room in any case.
  while (isAbout && there.length > 1 && bottomOf(there) > Math.max(high - below(), ...there.map((group) => group.height ?? 0))) {
    const least = there.findIndex((group) => !isAbout(group));
    there = there.filter((_, k) => k !== (least < 0 ? there.length - 1 : least));
    count += 1;
  }
  if (bottomOf(there) + below() > high) {
    // There is no room for chips: how many other storages there are is said beside or below those that are drawn.
    const found = stacked(there, [], arrangement);
    count += storages.length;
    const more = count ? besideOrBelow(there, found.places, found.bottom, { room, high, count }) : undefined;
    return { ...(isAbout ? found : withRest(found, heading, storages, arrangement, high)), more };
  }
  const { across, top, seat } = stack(there, storages, arrangement).seats;
  const seats = Math.max(1, across * Math.floor((high - top - CHIPS_TOP) / CHIP_PITCH));
  const drawn = storages.length + Number(count > 0) > seats ? Math.max(0, seats - 1) : storages.length;
  const found = stacked(there, [...(storages.length ? heading : []), ...storages.slice(0, drawn)], arrangement);
  count += storages.length - drawn;
  if (!count || !storages.length) return found;
  const [x, y] = seat(drawn);
  const said = { ...found, bottom: Math.max(found.bottom, y + CHIP_PITCH), more: { count, x, y, form: formAt(x, room) } };
  return isAbout ? said : { ...said, ...withRest(said, [], storages.slice(drawn), arrangement, high) };
}

/** The same with the rest of the chips below the lower edge. @param {{places: Map<Group, number[]>, bottom: number}} found @param {Group[]} heading
 * @param {Group[]} chips @param {Arrangement} arrangement @param {number} high */
function withRest({ places, bottom }, heading, chips, arrangement, high) {
  if (!chips.length) return { places, bottom };
  const rest = stacked([], [...heading, ...chips], { ...arrangement, beside: 0 });
  const below = Math.max(high, bottom) + GAP - (heading.length ? 0 : CHIPS_TOP);
  return { places: new Map([...places, ...[...rest.places].map(([chip, [x, y]]) => /** @type {[Group, number[]]} */ ([chip, [x, below + y]]))]), bottom: below + rest.bottom };
}

/** Where it is said how many storages are not drawn: beside the others, below a lower one in their last row, or below all of them. There are fewer
 * words, or only the number, if they have no room there. @param {Group[]} there @param {Map<Group, number[]>} places @param {number} bottom
 * @param {{room: number, high: number, count: number}} found @returns {More} */
function besideOrBelow(there, places, bottom, { room, high, count }) {
  const boxes = there.map((group) => ({ ...sizeOf(group), x: places.get(group)?.[0] ?? 0, y: places.get(group)?.[1] ?? 0 }));
  const x = Math.max(...boxes.map((box) => box.x + box.width)) + CHIP_GAP;
  const last = Math.max(...boxes.map((box) => box.y));
  const below = boxes.filter((box) => box.y === last).map((box) => ({ x: box.x, y: box.y + box.height + CHIP_GAP }));
  const spots = [{ x: Math.min(x, room - CHIP_PITCH), y: 0 }, ...[...below, { x: 0, y: bottom }].filter((spot) => spot.y + CHIP_PITCH <= high)];
  const forms = spots.map((spot) => ({ count, ...spot, form: formAt(spot.x, room) }));
  return forms.sort((one, other) => one.form - other.form)[0];
}

/** The first form of the words that has room. @param {number} x @param {number} room */
const formAt = (x, room) => (x + MORE_WIDTH <= room ? 0 : x + SHORT_WIDTH <= room ? 1 : 2);

/** @param {Group[]} groups @param {Group[]} chips @param {Arrangement} arrangement @returns {{places: Map<Group, number[]>, bottom: number}} */
function stacked(groups, chips, arrangement) {
  const { flow, seats, bottom } = stack(groups, chips, arrangement);
  /** @type {Map<Group, number[]>} */
  const places = new Map(groups.map((group, k) => [group, flow.places[k]]));
  let count = 0;
  for (const chip of chips) places.set(chip, chip.key ? seats.seat(count++) : [seats.left, seats.top]);
  return { places, bottom };
}

/** The places of the groups, the seats of the chips, and the bottom of all. @param {Group[]} groups @param {Group[]} chips @param {Arrangement} arrangement */
function stack(groups, chips, arrangement) {
  const flow = flowed(groups.map(sizeOf), arrangement.beside || arrangement.room);
  const seats = seatsOf(chips, arrangement, groups.length ? flow.bottom + GAP : 0);
  const count = chips.reduce((sum, chip) => sum + Number(Boolean(chip.key)), 0);
  const bottom = count ? seats.seat(count - 1)[1] + CHIP_PITCH - CHIP_GAP : 0;
  return { flow, seats, bottom: Math.max(flow.bottom, bottom) };
}

/** The seats of chips in order: side by side below the storages, from `below` on, or one below the other beside them. Their heading is at `left` and `top`.
 * @param {Group[]} chips @param {Arrangement} arrangement @param {number} below */
function seatsOf(chips, { room, beside }, below) {
  const pitch = (chips.find((chip) => chip.key)?.width ?? 0) + CHIP_GAP;
  const across = beside ? 1 : Math.max(1, Math.floor((room + CHIP_GAP) / pitch));
  const [left, top] = beside ? [beside + AISLE, 0] : [0, below];
  const seat = (/** @type {number} */ k) => [left + (k % across) * pitch, top + CHIPS_TOP + Math.floor(k / across) * CHIP_PITCH];
  return { across, left, top, seat };
}

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
