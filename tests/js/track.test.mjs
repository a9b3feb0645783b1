// The track below the slider, and the events of a statement: pure functions of toolbar.js and steps.js.

import assert from "node:assert/strict";
import { test } from "node:test";

import { runOf, stopsOf } from "../../widgets/inplacelab_widgets/player/steps.js";
import { along, outermost, phasesOf, turnsAt, written } from "../../widgets/inplacelab_widgets/player/toolbar.js";

// Three statements: of one event, of three, of two that change nothing but the last.
const STEPS = /** @type {any[]} */ ([
  { phase: "forward", ends: true },
  { phase: "backward" },
  { phase: "backward", idle: true },
  { phase: "backward", ends: true },
  { phase: "update", idle: true },
  { phase: "update", ends: true },
]);

test("the run of a step has the events up to the end of its statement", () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5].map((step) => runOf(step, STEPS)), [[0, 0], [1, 3], [1, 3], [1, 3], [4, 5], [4, 5]]);
});

test("the phases of the track are stretches of stops", () => {
  assert.deepEqual(phasesOf(STEPS, stopsOf(STEPS, "line")), [["forward", 0, 0], ["backward", 1, 1], ["update", 2, 2]]);
  assert.deepEqual(phasesOf(STEPS, stopsOf(STEPS, "event")), [["forward", 0, 0], ["backward", 1, 2], ["update", 3, 3]]);
});

test("places on the track stay between its ends", () => {
  assert.deepEqual([-0.5, 0, 1, 2, 2.5].map((place) => along(place, 3)), [0, 0, 0.5, 1, 1]);
  assert.equal(along(0, 1), 0);
});

test("the turns around a step are those of all loops, the outermost first", () => {
  const payload = /** @type {any} */ ({ loops: [[0, 1, 1, 0, 5, 0], [1, 1, 2, 1, 3, 1], [2, 2, 2, 4, 5, 1]] });
  assert.deepEqual(turnsAt(payload, 2).map(([says]) => says), [0, 1]);
  assert.deepEqual(turnsAt(payload, 5).map(([says]) => says), [0, 2]);
  assert.deepEqual(turnsAt(/** @type {any} */ ({}), 2), []);
});

test("turns within other turns are not on the track, but those within a loop of a single turn are", () => {
  const loops = [[0, 1, 2, 0, 5, 0], [1, 1, 2, 1, 2, 1], [1, 2, 2, 3, 5, 1], [0, 2, 2, 6, 7, 0], [2, 1, 3, 9, 9, 1]];
  assert.deepEqual(outermost(loops).map(([, , , first]) => first), [0, 6, 9]);
});

test("a name on the track is whole or not written, and the first and the last of a loop go before the others", () => {
  const names = [0, 50, 100, 150, 200].map((left, k) => ({ left, width: 60, rank: Number(k > 0 && k < 4) }));
  const kept = (/** @type {number} */ room) => [...written(names, room)].map(({ left }) => left).sort((one, other) => one - other);
  assert.deepEqual(kept(260), [0, 100, 200]);
  assert.deepEqual(kept(259), [0, 100], "the last would be cut off");
  assert.deepEqual(kept(0), []);
});
