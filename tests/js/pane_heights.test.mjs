import assert from "node:assert/strict";
import { test } from "node:test";

import { leastSize, shared, sizeFor } from "../../widgets/inplacelab_widgets/player/pane_heights.js";

test("where there is enough for all, each has what it needs and no more", () => {
  assert.deepEqual(shared(200, [100, 150], 600, 0), [200, 150]);
});

test("a little too much is not cut in a notebook", () => {
  assert.deepEqual(shared(300, [130], 400, 40), [300, 130]);
  assert.notDeepEqual(shared(300, [130], 400, 0), [300, 130]);
});

test("where there is not enough, both get their part, and what one does not need the other gets", () => {
  assert.deepEqual(shared(900, [900], 400, 0), [280, 120]);
  assert.deepEqual(shared(100, [900], 400, 0), [100, 300]);
  assert.deepEqual(shared(900, [100], 400, 0), [300, 100]);
});

test("what the storages show, too, gets less", () => {
  assert.deepEqual(shared(900, [900], 400, 0, 0.2), [320, 80]);
});

test("a pane that needs little more is shown whole", () => {
  assert.deepEqual(shared(900, [900, 140], 400, 40), [280, 140]);
  assert.deepEqual(shared(900, [900, 190], 400, 40), [280, 120]);
});

test("a storage that needs little more is shown whole", () => {
  const highestOf = (/** @type {number[]} */ ...heights) => (/** @type {number} */ most) => Math.max(0, ...heights.filter((height) => height <= most));
  assert.deepEqual(shared(900, [900], 400, 40, 0.3, highestOf(200, 315, 700)), [315, 120]);
  assert.deepEqual(shared(900, [900], 400, 0, 0.3, highestOf(200, 315, 700)), [280, 120]);
  assert.deepEqual(shared(900, [900, 150], 400, 40, 0.3, highestOf(315)), [280, 150], "together they have no more than a little");
});

test("a page or a view may have one of the two", () => {
  assert.deepEqual(shared(900, [], 400, 0), [400, 0]);
  assert.deepEqual(shared(0, [900], 400, 0), [0, 400]);
});

test("a projector shows all as large as it has room for", () => {
  const need = (/** @type {number} */ size) => 400 * size;
  const never = () => false;
  assert.equal(sizeFor(need, never, 900, 1.2), 2.2);
  assert.equal(sizeFor(need, never, 500, 1.2), 1.25);
  assert.equal(sizeFor(need, never, 500, 1.5), 1.5);
});

test("rather smaller than cut at the side, but where it is cut in any case as large as it may be", () => {
  const need = (/** @type {number} */ size) => 400 * size;
  assert.equal(sizeFor(need, (size) => size > 1.3, 600, 1.2), 1.3);
  assert.equal(sizeFor(need, () => true, 600, 1.2), 1.5);
});

test("what is too high in any size is scrolled, and can be read", () => {
  assert.equal(sizeFor(() => 900, () => false, 600, 1.7), 1.7);
});

test("on a large screen no word of a picture is smaller than 20 px, on a small one it is as large a part of the screen", () => {
  assert.ok(11 * leastSize(1920, 1080) >= 20);
  assert.ok(11 * leastSize(3840, 2160) >= 20);
  assert.ok(Math.abs(leastSize(1280, 720) - leastSize(1920, 1080) / 1.5) < 1e-9);
});
