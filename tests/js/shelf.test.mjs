import assert from "node:assert/strict";
import { test } from "node:test";

import { isDrawn, isWithin, stackOf, stoppingAt } from "../../widgets/inplacelab_widgets/player/shelf.js";

const block = { key: "s1", x: 0, y: 0, height: 20, first: 1, last: 9, open: [2, 3, 6, 6], marks: [] };
const chip = { key: "s1", x: 5, y: 22, height: 19, first: 1, last: 9, open: [1, 1, 4, 5, 7, 9], marks: [] };
const panel = { groups: [block], shelf: [chip] };

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

test("what is followed stays in full", () => {
  assert.equal(isDrawn(block, 8, false, new Set(["s1"])), true);
  assert.equal(isDrawn(block, 2, false, new Set(["s7"])), false);
});

test("the chips stand below the blocks", () => {
  assert.deepEqual(stackOf(panel, 2, null), { places: new Map([[block, [0, 0]]]), bottom: 20 });
  assert.deepEqual(stackOf(panel, 4, null), { places: new Map([[chip, [5, 22]]]), bottom: 41 });
});

test("who follows a tensor stops only where something happens to it", () => {
  const steps = [{ stop: true }, { stop: false }, { stop: true }];
  assert.deepEqual(stoppingAt(steps, [1]).map((step) => step.stop), [false, true, false]);
});
