// The lens of a large storage: what it knows of a slot, and where it moves.

import assert from "node:assert/strict";
import { test } from "node:test";

import { movedBy, nextChange, windowOf } from "../../widgets/inplacelab_widgets/player/lens.js";
import { valueIn } from "../../widgets/inplacelab_widgets/player/linking.js";

const page = { key: "s0", slots: 100, moments: [[1, [[0, [1, 2]], [98, [3.5, 4]]]], [4, [[40, [7]]]], [6, []]] };
const writes = [[4, [40, 44, 90, 92]], [6, [0, 1]]];
const at = (step, slot) => valueIn(page, writes, step, slot);

test("a slot has the value of the last write that reached it", () => {
  assert.equal(at(1, 0), 1);
  assert.equal(at(3, 99), 4);
  assert.equal(at(4, 40), 7);
  assert.equal(at(5, 0), 1);
});

test("what was written but not recorded is not known, whatever stood there before", () => {
  assert.equal(at(4, 41), undefined);
  assert.equal(at(6, 0), undefined);
  assert.equal(at(6, 1), 2);
  assert.equal(at(0, 0), undefined);
});

test("the next change is the next slot that the last write reached, and after the last one the first again", () => {
  assert.equal(nextChange(writes, 4, 0), 40);
  assert.equal(nextChange(writes, 4, 40), 90);
  assert.equal(nextChange(writes, 5, 90), 40);
  assert.equal(nextChange(writes, 2, 8), 8);
});

test("a lens stays inside its storage", () => {
  const move = (key, first) => movedBy(key, first, page, writes, 4);
  assert.deepEqual([windowOf(0, 100), windowOf(17, 100), windowOf(99, 100), windowOf(-5, 100)], [0, 15, 96, 0]);
  assert.equal(move("ArrowLeft", 0), 0);
  assert.equal(move("ArrowRight", 0), 3);
  assert.equal(move("ArrowDown", 3), 9);
  assert.equal(move("ArrowUp", 9), 3);
  assert.equal(move("End", 0), 96);
  assert.equal(move("Home", 96), 0);
  assert.equal(move("n", 0), 39);
  assert.equal(move("Enter", 0), undefined);
});
