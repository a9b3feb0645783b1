// The lines of code around the present one, where the whole program stands above the player.

import assert from "node:assert/strict";
import { test } from "node:test";

import { linesAround } from "../../widgets/inplacelab_widgets/player/code.js";

test("always five lines, also at both ends, and those of the trace", () => {
  assert.deepEqual([...linesAround(5, 9, [])], [3, 4, 5, 6, 7]);
  assert.deepEqual([...linesAround(1, 9, [])], [1, 2, 3, 4, 5]);
  assert.deepEqual([...linesAround(9, 9, [2])], [5, 6, 7, 8, 9, 2]);
  assert.deepEqual([...linesAround(2, 3, [])], [1, 2, 3]);
});
