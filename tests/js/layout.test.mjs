import assert from "node:assert/strict";
import { test } from "node:test";

import { arranged, flowed, isDrawn, isWithin, stackOf, stoppingAt, stretchesOf, zoomFor } from "../../widgets/inplacelab_widgets/player/layout.js";

const block = { key: "s1", x: 0, y: 0, width: 100, height: 20, first: 1, last: 9, open: [2, 3, 6, 6], marks: [] };
const chip = { key: "s1", x: 0, y: 22, width: 60, height: 19, first: 1, last: 9, open: [1, 1, 4, 5, 7, 9], marks: [] };
const panel = { width: 100, groups: [block], shelf: [chip] };

test("a stretch has both its ends", () => {
  assert.deepEqual([1, 2, 3, 4, 6].map((step) => isWithin(block.open, step)), [false, true, true, false, true]);
  assert.equal(isWithin(undefined, 7), true);
});

test("a storage is a block or a chip, never both and never neither while it lives", () => {
  for (const followed of [null, new Set(["s1"]), new Set(["s2"])]) {
    for (let step = 0; step < 12; step += 1) {
      const drawn = [isDrawn(block, step, false, followed), isDrawn(chip, step, true, followed)];
      assert.equal(drawn.filter(Boolean).length, step >= 1 && step <= 9 ? 1 : 0);
    }
  }
});

test("in each stretch stands what is drawn at each of its steps, in its order, and nothing else", () => {
  const always = { ...block, key: "s2", first: 0, last: 4, open: undefined };
  const late = { ...block, key: "s3", first: 5, last: 11, open: [0, 20] };
  const several = { groups: [block, always, late], shelf: [chip, { ...chip, first: 4 }] };
  const stretches = stretchesOf(several);
  assert.equal(stretchesOf(several), stretches, "found once");
  let next = stretches[0].start;
  for (const { start, long, groups, chips } of stretches) {
    assert.equal(start, next);
    next = start + long;
    for (let step = start; step < next; step += 1) {
      assert.deepEqual(groups, several.groups.filter((group) => isDrawn(group, step, false, null)), `groups at ${step}`);
      assert.deepEqual(chips, several.shelf.filter((each) => isDrawn(each, step, true, null)), `chips at ${step}`);
    }
  }
  assert.deepEqual([stretches[0].start, next], [0, 12]);
});

test("what is followed stays in full", () => {
  assert.equal(isDrawn(block, 8, false, new Set(["s1"])), true);
  assert.equal(isDrawn(block, 2, false, new Set(["s7"])), false);
});

test("the chips stand below the blocks", () => {
  const arrangement = arranged(panel, 0);
  assert.deepEqual(stackOf(panel, 2, null, arrangement), { places: new Map([[block, [0, 0]]]), bottom: 20 });
  assert.deepEqual(stackOf(panel, 4, null, arrangement), { places: new Map([[chip, [0, 22]]]), bottom: 41 });
  assert.equal(arrangement.height, 41, "as high as at the step that needs most");
});

/** A storage. @param {number} row @param {number} first @param {number} last */
function storage(row, first, last, width = 472) {
  return { key: `s${first}`, x: 0, y: row * 164, width, height: 150, first, last, marks: [], row };
}

test("boxes stand beside each other as far as there is room, those that are alike in columns", () => {
  const boxes = [100, 80, 90].map((width) => ({ width, height: 50 }));
  assert.deepEqual(flowed(boxes, 250), { places: [[0, 0], [124, 0], [0, 64]], bottom: 114 });
  assert.deepEqual(flowed(boxes, 90), { places: [[0, 0], [0, 64], [0, 128]], bottom: 178 });
});

test("in the room that it was laid out for a panel is as Python draws it", () => {
  const found = arranged({ width: 472, groups: [storage(0, 0, 9), storage(1, 1, 4), storage(1, 5, 9)] }, 480);
  assert.deepEqual([...found.seats.values()], [[0, 0], [0, 164], [0, 164]], "those that never meet share a row");
  assert.deepEqual([found.zoom, found.height], [1, 314]);
});

test("in more room storages stand beside each other; on a projector, in less they are smaller", () => {
  const of = (/** @type {number} */ room) => arranged({ width: 472, groups: [0, 1, 2].map((row) => storage(row, row, 9, 256)) }, room, 1, 0.5);
  assert.deepEqual([...of(900).seats.values()], [[0, 0], [280, 0], [560, 0]]);
  assert.equal(of(900).width, 816);
  assert.ok(of(900).height < of(480).height);
  assert.deepEqual([...of(240).seats.values()].map(([x]) => x), [0, 0, 0]);
  assert.equal(of(240).zoom, 240 / 256);
  for (const room of [240, 420, 480, 700, 900, 1400]) assert.ok(of(room).width * of(room).zoom <= room + 1e-6, `${room}`);
});

test("on a projector, storages are made a little smaller if then more of them fit side by side", () => {
  const panel = { width: 472, groups: [0, 1].map((row) => storage(row, row, 9, 256)) };
  const found = arranged(panel, 500, 1, 0.5);
  assert.deepEqual([...found.seats.values()], [[0, 0], [280, 0]]);
  assert.ok(found.zoom < 1 && found.width * found.zoom <= 500);
});

test("where there is room beside the storages and not below them, the chips have a column of their own", () => {
  const chips = [0, 1, 2].map((seat) => ({ key: `s${seat + 1}`, x: seat * 65, y: 22, width: 60, height: 19, first: 0, last: 9, marks: [] }));
  const heading = { x: 0, y: 0, width: 80, height: 22, first: 0, last: 9, marks: [] };
  const low = { key: "s0", x: 0, y: 0, width: 300, height: 100, first: 0, last: 9, marks: [], row: 0 };
  const shelved = { groups: [low], shelf: [heading, ...chips] };
  const narrow = arranged(shelved, 310);
  assert.equal(narrow.height, 100 + 14 + 41, "below them");
  const wide = arranged(shelved, 500);
  assert.equal(wide.height, 100);
  const { places } = stackOf(shelved, 3, null, wide);
  assert.deepEqual([heading, ...chips].map((each) => places.get(each)), [[420, 0], [420, 22], [420, 46], [420, 70]]);
});

test("a panel is as high as most of the steps need, if that is enough", () => {
  const short = { key: "s0", x: 0, y: 0, width: 300, height: 50, first: 0, last: 19, marks: [], row: 0 };
  const rare = { key: "s1", x: 0, y: 60, width: 300, height: 90, first: 7, last: 7, open: [7, 7], marks: [], row: 1 };
  const late = { ...chip, first: 19, last: 19, open: [19, 19] };
  assert.equal(arranged({ groups: [short, rare], shelf: [late] }, 310).height, 50 + 14 + 90);
  assert.equal(arranged({ groups: [short, rare], shelf: [late] }, 310, 0.5).height, 50);
});

test("nothing is drawn so small that it cannot be read", () => {
  assert.deepEqual([zoomFor(100, 200, 0.5), zoomFor(100, 90, 0.5), zoomFor(100, 10, 0.5), zoomFor(100, 0, 0.5)], [1, 0.9, 1, 1]);
  assert.deepEqual([zoomFor(1000, 900, 1), zoomFor(1000, 900, 0.5)], [1, 0.9]);
});

test("who follows a tensor stops only where something happens to it", () => {
  const steps = [{ stop: true }, { stop: false }, { stop: true }];
  assert.deepEqual(stoppingAt(steps, [1]).map((step) => step.stop), [false, true, false]);
});

test("the heading of the chips is there whenever a chip is, also while the drawn storages are chosen", () => {
  const heading = { x: 0, y: 0, width: 90, height: 22, first: 1, last: 9, open: [1, 1], marks: [] };
  const drawn = { groups: [block], shelf: [heading, chip], width: 100, height: 60, name: "storages", says: [] };
  const there = (step, followed) => stackOf(drawn, step, followed, arranged(drawn, 0)).places.has(heading);
  assert.equal(there(3, null), false, "the storage is drawn in full");
  assert.equal(there(3, new Set(["s2"])), true, "it is a chip now");
  assert.equal(there(3, new Set(["s1"])), false);
  assert.equal(there(1, new Set(["s2"])), true);
});

test("no chip is cut at the lower edge, and none keeps a place for a storage that is drawn in full", () => {
  const tall = { key: "s1", x: 0, y: 0, width: 200, height: 100, first: 0, last: 9, open: [0, 9], marks: [] };
  const chips = [2, 3, 4, 5].map((k, at) => ({ key: `s${k}`, x: 65 * (at + 1), y: 22, width: 60, height: 19, first: 0, last: 9, marks: [] }));
  const heading = { x: 0, y: 0, width: 60, height: 22, first: 0, last: 9, marks: [] };
  const shelved = { width: 200, groups: [tall], shelf: [heading, ...chips] };
  const drawnIn = (high) => {
    const { places, bottom, more } = stackOf(shelved, 3, null, arranged(shelved, 200), high);
    const tops = chips.map((each) => places.get(each));
    assert.ok(tops.every(([, y]) => y + 19 <= high || y > high), "all of it is in the pane or below it");
    assert.ok(tops.every(([, y]) => y + 19 <= bottom), "it can be scrolled to");
    return [tops.filter(([, y]) => y < high), more?.count ?? 0];
  };
  const first = [[0, 136], [65, 136], [130, 136]];
  assert.deepEqual(drawnIn(190), [[...first, [0, 160]], 0]);
  assert.deepEqual(drawnIn(170), [first.slice(0, 2), 2], "instead of the third chip, it says how many there are");
  assert.deepEqual(drawnIn(110), [[], 4]);
  assert.deepEqual(drawnIn(90), [[], 4]);
});

test("where nothing is scrolled, storages that the step is not about make room, and chips that do not fit are counted", () => {
  const groups = [1, 2, 3].map((k) => ({ key: `s${k}`, x: 0, y: 0, width: 100, height: 60, first: 0, last: 9, open: [0, 9], marks: [], row: k }));
  const shelf = [
    { key: "", x: 0, y: 0, width: 60, height: 19, first: 0, last: 9, open: [0, 9], marks: [] },
    ...[4, 5, 6].map((k, at) => ({ key: `s${k}`, x: 0, y: 22 + 24 * at, width: 60, height: 19, first: 0, last: 9, open: [0, 9], marks: [] })),
  ];
  const many = { groups, shelf };
  const arrangement = arranged(many, 110);
  const drawnIn = (high) => {
    const { places, bottom, more } = stackOf(many, 3, null, arrangement, high, (group) => group.key === "s2");
    assert.ok(bottom <= high, `${bottom} of ${high}`);
    return [[...places.keys()].map(({ key }) => key).filter(Boolean).join(" "), more?.count ?? 0];
  };
  assert.deepEqual(drawnIn(400), ["s1 s2 s3 s4 s5 s6", 0]);
  assert.deepEqual(drawnIn(200), ["s2 s3", 4]);
  assert.deepEqual(drawnIn(120), ["s2", 5]);
  assert.deepEqual(drawnIn(60), ["s2", 5]);
  const saidIn = (room, high) => {
    const { more, bottom } = stackOf(many, 3, null, arranged(many, room), high, (group) => group.key === "s2");
    assert.ok(Math.max(bottom, more.y) <= high);
    return [more.x, more.y, more.form];
  };
  assert.deepEqual(saidIn(300, 60), [229, 0, 2], "there is room only for the number");
  assert.deepEqual(saidIn(300, 90), [0, 65, 0], "below there is room for all words");
  const wide = { groups: [{ ...groups[1], width: 200 }], shelf };
  const { more } = stackOf(wide, 3, null, arranged(wide, 300), 50, (group) => group.key === "s2");
  assert.deepEqual([more.x, more.y, more.form], [205, 0, 1], "and here for few");
});
