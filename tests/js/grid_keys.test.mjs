// Walking through a grid with the arrow keys.

import assert from "node:assert/strict";
import { test } from "node:test";

import { neighbor } from "../../widgets/inplacelab_widgets/player/grid_keys.js";

// Two blocks of 2 x 2, the second to the right of the first.
const CELLS = [0, 1].flatMap((block) => [0, 1].flatMap((row) => [0, 1].map((column) => ({ key: `t1:${block},${row},${column}`, x: 200 * block + 40 * column, y: 30 * row }))));

test("an arrow leads to the next element in its direction, across blocks too", () => {
  assert.equal(neighbor(CELLS, "t1:0,0,0", "ArrowRight"), "t1:0,0,1");
  assert.equal(neighbor(CELLS, "t1:0,0,1", "ArrowRight"), "t1:1,0,0");
  assert.equal(neighbor(CELLS, "t1:1,1,0", "ArrowLeft"), "t1:0,1,1");
  assert.equal(neighbor(CELLS, "t1:0,0,1", "ArrowDown"), "t1:0,1,1");
  assert.equal(neighbor(CELLS, "t1:0,1,1", "ArrowUp"), "t1:0,0,1");
});

test("at the edge it stays, and so does what is not there", () => {
  assert.equal(neighbor(CELLS, "t1:1,1,1", "ArrowDown"), "t1:1,1,1");
  assert.equal(neighbor(CELLS, "t1:0,0,0", "ArrowLeft"), "t1:0,0,0");
  assert.equal(neighbor(CELLS, "t9:0", "ArrowUp"), "t9:0");
});
