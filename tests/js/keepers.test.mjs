// The list that folded pins open. Run with: node --test tests/js

import assert from "node:assert/strict";
import { test } from "node:test";

import { pinsOf } from "../../widgets/inplacelab_widgets/player/help.js";
import { widthOf } from "../../widgets/inplacelab_widgets/player/steps.js";

const SAID = ["MultiplyGradNode #1", "MultiplyGradNode #2", "x @ v0", "S1", ["✓ fresh", "✓ 有效"], ["✗ stale, now v1", "✗ 已过期，现为 v1"], "S11"];
const PAYLOAD = {
  said: SAID,
  tables: [
    { rows: { s1: [[0, [3]]], t1: [[0, [3]]] } },
    {
      rows: {
        "p1:1:0": [[2, [0, 2, 3, 4]], [5, [0, 2, 3, 5]], [8, null]],
        "p2:1:0": [[4, [1, 2, 3, 4]]],
        "p2:11:0": [[0, [1, 2, 6, 4]]],
      },
    },
  ],
};

test("a fold lists the pins that hang on its storage in this step, with what they say then", () => {
  assert.deepEqual(pinsOf(PAYLOAD, "k1", 1), []);
  assert.deepEqual(pinsOf(PAYLOAD, "k1", 3), [{ key: "p1:1:0", said: [SAID[0], SAID[2], SAID[4]] }]);
  assert.deepEqual(pinsOf(PAYLOAD, "k1", 6).map(({ key, said }) => [key, said[2]]), [["p1:1:0", SAID[5]], ["p2:1:0", SAID[4]]]);
  assert.deepEqual(pinsOf(PAYLOAD, "k1", 9).map(({ key }) => key), ["p2:1:0"]);
});

test("a Chinese character is as wide as two others", () => {
  assert.equal(widthOf("slot 3"), 6);
  assert.equal(widthOf("槽位 3"), 6);
});
