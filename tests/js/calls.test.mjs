// The calls that are left out at the beginning of a chain, and the rows that the lower edge of a pane would cut.

import assert from "node:assert/strict";
import { test } from "node:test";

import { leftOut } from "../../widgets/inplacelab_widgets/player/calls.js";
import { lastEdge } from "../../widgets/inplacelab_widgets/player/scrolling.js";

test("calls are left out from the first on, until the others fit with the words in their place", () => {
  assert.equal(leftOut([300, 200, 100], 300, 20), 0);
  assert.equal(leftOut([300, 200, 100], 299, 20), 1);
  assert.equal(leftOut([300, 200, 100], 219, 20), 2);
  assert.equal(leftOut([300, 200, 100], 50, 20), 2, "the last call stays");
  assert.equal(leftOut([300], 50, 20), 0);
});

test("what is seen ends above the row that the edge cuts, and a pane says that there is more", () => {
  const more = new Set();
  const pane = /** @type {any} */ ({
    clientTop: 1, clientHeight: 99, scrollHeight: 200, scrollTop: 0,
    getBoundingClientRect: () => ({ top: 0 }),
    toggleAttribute: (/** @type {string} */ name, /** @type {boolean} */ on) => void (on ? more.add(name) : more.delete(name)),
  });
  const row = (/** @type {number} */ top) => ({ top, bottom: top + 17 });
  assert.equal(lastEdge(pane, [row(60), row(77), row(94), row(111)]), 94);
  assert.ok(more.has("data-more"));
  assert.equal(lastEdge(pane, [row(66), row(83), row(100)]), 100, "none is cut");
  assert.equal(lastEdge(pane, [row(92), row(94)]), 92, "of two side by side the higher one");
  pane.scrollTop = 101;
  lastEdge(pane, []);
  assert.ok(!more.has("data-more"));
});
