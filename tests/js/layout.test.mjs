import assert from "node:assert/strict";
import { test } from "node:test";

import { arranged, flowed, isDrawn, isWithin, stackOf, stoppingAt, stretchesOf, tabled, zoomFor } from "../../widgets/inplacelab_widgets/player/layout.js";

const block = { key: "s1", x: 0, y: 0, width: 100, height: 20, first: 1, last: 9, open: [2, 3, 6, 6], marks: [] };
const head = { key: "o0", x: 0, y: 0, width: 40, height: 17, first: 0, last: 11, marks: [], row: 0 };
const cell = { x: 0, y: 0, width: 60, height: 17, first: 0, last: 11, marks: [], row: 0 };
const line = { key: "s1", x: 20, y: 0, width: 60, height: 17, first: 1, last: 9, marks: [], row: 0 };
const panel = { width: 120, groups: [block], table: [head, cell, line] };

test("a stretch has both its ends", () => {
  assert.deepEqual([1, 2, 3, 4, 6].map((step) => isWithin(block.open, step)), [false, true, true, false, true]);
  assert.equal(isWithin(undefined, 7), true);
});

test("in each stretch stands what is drawn at each of its steps, in its order, and nothing else", () => {
  const always = { ...block, key: "s2", first: 0, last: 4, open: undefined };
  const late = { ...block, key: "s3", first: 5, last: 11, open: [0, 20] };
  const several = { groups: [block, always, late], table: panel.table };
  const stretches = stretchesOf(several);
  assert.equal(stretchesOf(several), stretches, "found once");
  let next = stretches[0].start;
  for (const { start, long, groups } of stretches) {
    assert.equal(start, next);
    next = start + long;
    for (let step = start; step < next; step += 1) {
      assert.deepEqual(groups, several.groups.filter((group) => isDrawn(group, step, null)), `groups at ${step}`);
    }
  }
  assert.deepEqual([stretches[0].start, next], [0, 12]);
});

test("what is followed stays in full", () => {
  assert.equal(isDrawn(block, 8, new Set(["s1"])), true);
  assert.equal(isDrawn(block, 2, new Set(["s7"])), false);
});

test("the table is below the storages, and in a high pane at its lower edge", () => {
  const arrangement = arranged(panel, 0);
  const placed = (step, high) => [...stackOf(panel, step, null, arrangement, high).places].map(([group, place]) => [group.key ?? "", ...place]);
  assert.deepEqual(placed(2), [["s1", 0, 0], ["o0", 0, 34], ["", 54, 34]]);
  assert.deepEqual(placed(4), [["o0", 0, 0], ["", 54, 0]]);
  assert.deepEqual(placed(2, 90), [["s1", 0, 0], ["o0", 0, 73], ["", 54, 73]]);
  assert.deepEqual(placed(0, 90), [["o0", 0, 73], ["", 54, 73]], "at the same place at every step");
  assert.equal(arrangement.height, 51, "as high as at the step that needs most");
});

test("cells stand side by side as far as there is room, and an open row has its lines below it", () => {
  const next = { ...head, key: "o1", row: 1 };
  const table = [head, cell, { ...cell }, line, { ...line, key: "s2", y: 17, first: 5 }, next];
  const placed = (...more) => [...tabled(table, ...more).places].map(([group, place]) => [group.key ?? "", ...place]);
  assert.deepEqual(placed(200), [["o0", 0, 0], ["", 54, 0], ["", 128, 0], ["o1", 0, 17]]);
  assert.deepEqual(placed(150), [["o0", 0, 0], ["", 54, 0], ["", 54, 17], ["o1", 0, 34]]);
  const opened = new Set(["o0"]);
  assert.deepEqual(placed(200, opened, 2), [["o0", 0, 0], ["", 54, 0], ["", 128, 0], ["s1", 20, 17], ["o1", 0, 51]], "with room for all its lines");
  assert.deepEqual(placed(200, opened, 6).slice(3), [["s1", 20, 17], ["s2", 20, 34], ["o1", 0, 51]]);
  assert.equal(tabled(table, 200, opened, 6).height, 68);
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

test("what would begin a row goes below a lower box of the row before, if it has room there", () => {
  const [high, low, wide] = [{ width: 100, height: 150 }, { width: 80, height: 50 }, { width: 90, height: 50 }];
  assert.deepEqual(flowed([high, low, low, low], 220), { places: [[0, 0], [124, 0], [124, 64], [0, 164]], bottom: 214 });
  assert.deepEqual(flowed([high, low, wide], 220), { places: [[0, 0], [124, 0], [124, 64]], bottom: 150 }, "up to the edge of the room");
  assert.deepEqual(flowed([low, high, wide, low], 210), { places: [[0, 0], [104, 0], [0, 164], [114, 164]], bottom: 214 }, "but not into the next column");
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

test("where there is room beside the storages and not below them, the table is beside them", () => {
  const low = { key: "s0", x: 0, y: 0, width: 300, height: 100, first: 0, last: 9, marks: [], row: 0 };
  const both = { groups: [low], table: panel.table };
  assert.equal(arranged(both, 310).height, 100 + 14 + 17, "below them");
  const wide = arranged(both, 900);
  assert.equal(wide.height, 100);
  const { places } = stackOf(both, 3, null, wide);
  assert.deepEqual(places.get(head), [420, 0]);
});

test("the most urgent storages of a step are drawn in full before the others", () => {
  const at = (row, open) => ({ ...storage(row, row, 9, 100), open });
  const many = { ...panel, width: 100, groups: [at(0, [0, 9]), at(1, [8, 8]), at(2, [1, 2]), at(3, [8, 8])] };
  const drawn = (urgency) => [...stackOf(many, 4, null, arranged(many, 0), 370, null, new Set(), urgency).places.keys()].flatMap(({ key }) => (key?.startsWith("s") ? [key] : []));
  assert.deepEqual(drawn(), ["s0", "s2"], "without any, that of the latest step");
  assert.deepEqual(drawn(({ key }) => (key === "s3" ? 3 : key === "s1" ? 2 : 0)), ["s0", "s3"]);
});

test("a panel is as high as most of the steps need, if that is enough", () => {
  const short = { key: "s0", x: 0, y: 0, width: 300, height: 50, first: 0, last: 19, marks: [], row: 0 };
  const rare = { key: "s1", x: 0, y: 60, width: 300, height: 90, first: 7, last: 7, open: [7, 7], marks: [], row: 1 };
  const { table } = panel;
  assert.equal(arranged({ groups: [short, rare], table }, 310).height, 50 + 14 + 90 + 14 + 17);
  assert.equal(arranged({ groups: [short, rare], table }, 310, 0.5).height, 50 + 14 + 17);
});

test("nothing is drawn so small that it cannot be read", () => {
  assert.deepEqual([zoomFor(100, 200, 0.5), zoomFor(100, 90, 0.5), zoomFor(100, 10, 0.5), zoomFor(100, 0, 0.5)], [1, 0.9, 1, 1]);
  assert.deepEqual([zoomFor(1000, 900, 1), zoomFor(1000, 900, 0.5)], [1, 0.9]);
});

test("who follows a tensor stops only where something happens to it", () => {
  const steps = [{ stop: true }, { stop: false }, { stop: true }];
  assert.deepEqual(stoppingAt(steps, [1]).map((step) => step.stop), [false, true, false]);
});

test("where nothing is scrolled, storages that the step is not about make room, and if the table does not fit, the rest is counted", () => {
  const groups = [1, 2, 3].map((k) => ({ key: `s${k}`, x: 0, y: 0, width: 100, height: 60, first: 0, last: 9, open: [0, 9], marks: [], row: k }));
  const table = [head, ...[1, 2, 3, 4, 5, 6].map((k) => ({ ...line, key: `s${k}`, first: 0, y: 17 * (k - 1) }))];
  const many = { groups, table };
  const drawnIn = (high) => {
    const { places, bottom, more } = stackOf(many, 3, null, arranged(many, 110), high, (group) => group.key === "s2");
    assert.ok(bottom <= high, `${bottom} of ${high}`);
    return [[...places.keys()].map(({ key }) => key).filter(Boolean).join(" "), more?.count ?? 0];
  };
  assert.deepEqual(drawnIn(400), ["s1 s2 s3 o0", 0]);
  assert.deepEqual(drawnIn(200), ["s2 s3 o0", 0]);
  assert.deepEqual(drawnIn(120), ["s2 o0", 0]);
  assert.deepEqual(drawnIn(60), ["s2", 5]);
  const saidIn = (room, high) => {
    const { more, bottom } = stackOf(many, 3, null, arranged(many, room), high, (group) => group.key === "s2");
    assert.ok(Math.max(bottom, more.y) <= high);
    return [more.x, more.y, more.form];
  };
  assert.deepEqual(saidIn(200, 60), [105, 0, 1], "there is room only for few words");
  assert.deepEqual(saidIn(200, 90), [0, 65, 0], "below there is room for all words");
});
