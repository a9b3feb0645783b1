// What is shown of a graph. Run with: node --test tests/js

import assert from "node:assert/strict";
import { test } from "node:test";

import { facesOf, fitting, openingOf } from "../../widgets/inplacelab_widgets/player/zoom.js";

test("the widest layout that fits is shown, or else the narrowest", () => {
  const widths = [1200, 833, 561];
  assert.deepEqual([1250, 1200, 900, 570, 300].map((room) => fitting(widths, room)), [0, 0, 1, 2, 2]);
});

test("a box says what it opens into; a node opens into nothing", () => {
  assert.equal(openingOf("n3 n4 box:12 p3:1:0"), 12);
  assert.equal(openingOf("n3 p3:1:0"), -1);
  assert.equal(openingOf(""), -1);
});

test("the layouts of the whole graph come before those of its boxes", () => {
  const inside = { name: "inside" };
  const narrow = { name: "narrow" };
  const panel = { name: "graph", narrower: [narrow], opens: [{ says: 0, within: null, panel: inside }] };
  assert.deepEqual(facesOf(panel), [panel, narrow, inside]);
  assert.deepEqual(facesOf(narrow), [narrow]);
});
