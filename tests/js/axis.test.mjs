import assert from "node:assert/strict";
import { test } from "node:test";

import { axisIn, endingWithin, stretched } from "../../widgets/inplacelab_widgets/player/layout.js";

const AXIS = { left: 150, right: 26 };

test("an axis is as wide as its room, and its labels stay", () => {
  const { width, along, by } = axisIn(814, AXIS, 1133);
  assert.deepEqual([width, by, along(0), along(150), along(788)], [1133, 1.5, 0, 150, 1107]);
});

test("an axis never gets too narrow for its words, and without room it is as it was laid out", () => {
  assert.equal(axisIn(814, AXIS, 300).width, 640);
  assert.deepEqual([axisIn(814, AXIS, 0).width, axisIn(814, AXIS, 0).along(333)], [814, 333]);
});

test("places move, signs keep their size", () => {
  const along = (/** @type {number} */ x) => 2 * x;
  assert.deepEqual(stretched({ x: 10, y: 5, width: 30 }, along), { x: 20, y: 5, width: 60 });
  assert.deepEqual(stretched({ d: "M10 5V9H20l4 -6.5z" }, along), { d: "M20 5V9H40l4 -6.5z" });
  assert.deepEqual(stretched({ transform: "translate(10 0)" }, along), { transform: "translate(20 0)" });
  assert.deepEqual(stretched({ height: 7 }, along), { height: 7 });
});

test("words end within the picture", () => {
  assert.equal(endingWithin(600, ["ten letter"], 640), 640 - 69);
  assert.equal(endingWithin(600, [["a", "十个字"]], 640), 640 - 6 * 6.9);
  assert.equal(endingWithin(100, ["ten letter"], 640), 100);
});
