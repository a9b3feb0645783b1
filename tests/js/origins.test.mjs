// Following numbers back and on. Run with: node --test tests/js

import assert from "node:assert/strict";
import { test } from "node:test";

import { numberAt } from "../../widgets/inplacelab_widgets/player/linking.js";
import { eventPlaces, factorsOf, pathRows } from "../../widgets/inplacelab_widgets/player/origins.js";
import { onward, slotOfKey } from "../../widgets/inplacelab_widgets/player/origins.js";

// [storage, slot, step, words, from]: 0 and 1 are inputs, 2 is their sum, and 3 overwrites 0.
const NUMBERS = [
  [0, 0, -1, 0, []],
  [0, 1, 0, 1, []],
  [1, 0, 2, 2, [0, 1]],
  [0, 0, 3, 3, [0]],
];

test("a slot holds the last number that came into it up to a step", () => {
  assert.equal(numberAt(NUMBERS, 0, 0, 2), 0);
  assert.equal(numberAt(NUMBERS, 0, 0, 3), 3);
  assert.equal(numberAt(NUMBERS, 0, 1, -1), -1);
  assert.equal(numberAt(NUMBERS, 7, 0, 9), -1);
});

test("back to the origins in the order of the arithmetic, and on to what was computed from them", () => {
  assert.deepEqual(onward(NUMBERS, [2], false), [0, 1]);
  assert.deepEqual(onward(NUMBERS, [2, 3], false), [0, 1]);
  assert.deepEqual(onward(NUMBERS, [0], true), [2, 3]);
  assert.deepEqual(onward(NUMBERS, [1], false), []);
});

test("an element leads to its slot, through the layout that its tensor has at that step", () => {
  const layoutsOf = (key, step) => (key === "t3" && step > 1 ? [{ storage: 4, shape: [2, 2], strides: [1, 2], offset: 1, name: "v" }] : []);
  assert.deepEqual(slotOfKey("s4:7", 0, layoutsOf), [4, 7]);
  assert.deepEqual(slotOfKey("t3:1,1", 2, layoutsOf), [4, 4]);
  assert.equal(slotOfKey("t3:1,1", 1, layoutsOf), null);
  assert.equal(slotOfKey("n2", 2, layoutsOf), null);
  assert.equal(slotOfKey("", 2, layoutsOf), null);
  // A storage or a tensor as a whole: all its slots.
  assert.deepEqual(slotOfKey("s4", 2, layoutsOf), [4, -1]);
  assert.deepEqual(slotOfKey("t3", 2, layoutsOf), [4, -1]);
});

const path = (role, ...hops) => ({ says: 0, role, hops, end: 0, lights: "" });

test("of a wrong gradient each path that was used is below the right one", () => {
  const [right, other, used] = [path("right"), path("right"), path("used")];
  assert.deepEqual(pathRows([right, other, used], 4), [right, used, other]);
  assert.deepEqual(pathRows([path(""), path(""), path("")], 2).length, 2);
  assert.deepEqual(pathRows([right, used, path("used")], 4).length, 3);
});

test("the factors at a node, those that were used apart", () => {
  const found = factorsOf([path("right", [3, "b", "4", "2 · 4", 7, 4]), path("used", [3, "b", "4", "2 · 0", 7, 4]), path("", [4, "c", "1", "1", -1, 0])]);
  assert.deepEqual([...found], [[7, { right: ["2 · 4"], used: ["2 · 0"] }]]);
});

test("events are drawn by their steps, and never over each other", () => {
  const places = eventPlaces([[0, 1, 0, "1"], [0, 1, 2, ""], [10, 1, 1, "100"]], 200);
  assert.equal(places[0], 0);
  assert.ok(places[1] >= 18 && places[2] === 200, String(places));
  assert.deepEqual(eventPlaces([], 100), []);
});
