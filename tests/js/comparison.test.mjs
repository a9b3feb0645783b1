// Two programs side by side: the pure functions. Run with: node --test tests/js

import assert from "node:assert/strict";
import { test } from "node:test";

import { sharedByCode } from "../../widgets/inplacelab_widgets/player/comparison.js";
import { plannedFrames } from "../../widgets/inplacelab_widgets/player/comparison_card.js";
import { rowOf, waitingWords } from "../../widgets/inplacelab_widgets/player/sides.js";
import { PLAYERS } from "../../widgets/inplacelab_widgets/player/widget.js";

const row = (left, right, waits = [[-1, -1], [-1, -1]]) => ({ at_sides: [left, right], waits });
// The right side begins late, has no step in the third row, and ends early.
const ROWS = [row(0, null), row(1, 0), row(2, 0, [[-1, -1], [0, 1]]), row(3, 1), row(4, 1, [[-1, -1], [2, 2]])];
const SAID = [["no step", "没有步骤"], "", ["ended", "已结束"]];

test("a step of one side leads to the first row that shows it", () => {
  assert.deepEqual([0, 1, 2, 3, 4].map((step) => rowOf(ROWS, 0, step)), [0, 1, 2, 3, 4]);
  assert.deepEqual([0, 1].map((step) => rowOf(ROWS, 1, step)), [1, 3]);
});

test("a side that waits says why, by event or by line, in the reader's language", () => {
  assert.equal(waitingWords(ROWS[1], 1, "event", SAID, "en"), "");
  assert.equal(waitingWords(ROWS[2], 1, "event", SAID, "zh"), "没有步骤");
  assert.equal(waitingWords(ROWS[2], 0, "event", SAID, "en"), "");
  assert.equal(waitingWords(ROWS[4], 1, "line", SAID, "en"), "ended");
});

test("where there is enough room, code and storages have what they need", () => {
  assert.deepEqual(sharedByCode(100, 150, 400), [100, 150]);
});

test("where there is not, the storages have the larger part, and nothing is more than the room", () => {
  const [code, storages] = sharedByCode(400, 400, 300);
  assert.ok(storages > code);
  assert.equal(Math.round(code + storages), 300);
  assert.deepEqual(sharedByCode(50, 400, 300), [50, 250], "short code leaves the rest to the storages");
  assert.deepEqual(sharedByCode(400, 60, 300), [240, 60], "and low storages to the code");
});

test("two programs have a player of their own", () => {
  assert.equal(typeof PLAYERS.two, "function");
  assert.notEqual(PLAYERS.two, PLAYERS.one);
});

test("on a card, code makes room until the storages of both sides are legible, at one scale", () => {
  const legible = 18 / 11;
  const frame = (...pictures) => plannedFrames(pictures.map(([rows, width, height]) => ({ rows, picture: { width, height } })), 512, 490);
  assert.deepEqual(frame([7, 280, 100], [7, 250, 80]), { rows: 7, scale: 1.8 }, "there is room for everything");
  const tight = frame([7, 280, 180], [7, 250, 80]);
  assert.equal(tight.rows, 4);
  assert.ok(tight.scale >= legible);
  assert.deepEqual(frame([7, 640, 100], [7, 250, 80]), { rows: 7, scale: 0.8 }, "fewer lines would not make wide storages larger");
  assert.equal(frame([7, 280, 400], [2, 250, 80]).rows, 3, "some lines are shown in any case");
});
