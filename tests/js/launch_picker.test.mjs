// Which step shows a thread of a kernel. Run with: node --test tests/js

import assert from "node:assert/strict";
import { test } from "node:test";

import { drawnOf, launchesAt, nearestStep, partOf, stepFor } from "../../widgets/inplacelab_widgets/player/launch_picker.js";
import { placeOf, stopsOf, target } from "../../widgets/inplacelab_widgets/player/steps.js";
import { visitItem } from "../../widgets/inplacelab_widgets/player/highlighting.js";
import { courier, played } from "../../widgets/inplacelab_widgets/player/widget.js";

/** The steps of a launch with warps of four threads. */
function stepsOf(launch, blocks, turns, warps) {
  const threads = warps.flatMap((warp) => [0, 1, 2, 3].map((lane) => [warp, lane, 4 * warp + lane]));
  const at = blocks.flatMap((block) => turns.flatMap((turn) => threads.map((thread) => [launch, block, turn, ...thread])));
  return at.map((each) => ({ line: null, phase: `block ${each[1]}`, error: false, stop: each[4] === 0, ends: each[4] === 3, says: 0, at: each }));
}

const FIRST = stepsOf(0, [0, 1, 9], [0, 2], [0, 1, 7]);
const SECOND = stepsOf(1, [0, 3], [0], [0, 1]);
const NOTHING = { line: null, phase: "", error: false, stop: true, ends: true, says: 0 };
const STEPS = [...FIRST, ...SECOND, NOTHING];
const LAUNCHES = [
  { title: "relu_", step: 4, picks: true },
  { title: "exp_", step: 6, picks: true },
];
const shows = (step) => STEPS[step].at;

test("a part of a pick is wanted, and the others stay as they are", () => {
  const from = [0, 1, 2, 1, 2, 6];
  assert.deepEqual(shows(nearestStep(STEPS, from, { block: 9 })), [0, 9, 2, 1, 2, 6]);
  assert.deepEqual(shows(nearestStep(STEPS, from, { turn: 0 })), [0, 1, 0, 1, 2, 6]);
  assert.deepEqual(shows(nearestStep(STEPS, from, { thread: 31 })), [0, 1, 2, 7, 3, 31]);
  // In another warp it is the same lane; another lane is one of the same warp.
  assert.deepEqual(shows(nearestStep(STEPS, from, { warp: 7 })), [0, 1, 2, 7, 2, 30]);
  assert.deepEqual(shows(nearestStep(STEPS, from, { lane: 0 })), [0, 1, 2, 1, 0, 4]);
});

test("what is not drawn cannot be picked", () => {
  assert.equal(nearestStep(STEPS, [0, 0, 0, 0, 0, 0], { block: 5 }), -1);
  assert.equal(nearestStep([NOTHING], [], {}), -1);
});

test("another launch shows the nearest thread that it has", () => {
  assert.deepEqual(shows(nearestStep(STEPS, [0, 9, 2, 7, 1, 29], { launch: 1 })), [1, 3, 0, 1, 1, 5]);
});

test("fields offer what is drawn of a launch, in order", () => {
  assert.deepEqual(drawnOf(STEPS, 0, "block"), [0, 1, 9]);
  assert.deepEqual(drawnOf(STEPS, 0, "turn"), [0, 2]);
  assert.deepEqual(drawnOf(STEPS, 1, "thread"), [0, 1, 2, 3, 4, 5, 6, 7]);
});

test("of a recording, the launches of a step are offered", () => {
  assert.deepEqual(launchesAt(LAUNCHES, -1), [0, 1]);
  assert.deepEqual(launchesAt(LAUNCHES, 6), [1]);
  assert.deepEqual(launchesAt(LAUNCHES, 5), []);
});

/** A model as anywidget hands it over. */
function modelWith(traits) {
  const saved = [];
  return { traits, saved, get: (name) => traits[name], set: (name, value) => (traits[name] = value), save_changes: () => saved.push({ ...traits }) };
}

test("a model asks for a thread of a launch, and gets the nearest one that is drawn", () => {
  const payload = { steps: STEPS, launches: LAUNCHES };
  const asked = (traits) => stepFor(payload, (name) => ({ launch: 0, block: 0, turn: 0, thread: 0, step: -1, ...traits })[name]);
  assert.deepEqual(shows(asked({ block: 1, thread: 30, turn: 2 })), [0, 1, 2, 7, 2, 30]);
  assert.deepEqual(shows(asked({ block: 6, thread: 30 })), [0, 9, 0, 7, 2, 30]);
  assert.deepEqual(shows(asked({ launch: 0, step: 6 })), [1, 0, 0, 0, 0, 0]);
  assert.equal(shows(asked({ step: 5 })), undefined);
});

test("a model is told of the thread that a step shows, and does not answer while it is told", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const model = modelWith({ launch: 0, block: 0, turn: 0, thread: 0, step: -1 });
  const steps = played(model, { steps: STEPS, launches: LAUNCHES });
  const shown = [];
  const post = courier(steps, (step) => shown.push(shows(step)));
  const set = model.set;
  model.set = (name, value) => model.traits[name] !== value && (set(name, value), post.receive());
  post.tell(nearestStep(STEPS, [0, 0, 0, 0, 0, 0], { block: 9, thread: 29, turn: 2 }));
  assert.deepEqual(model.traits, { launch: 0, block: 9, turn: 2, thread: 29, step: -1 });
  assert.deepEqual(shown, []);
  context.mock.timers.tick(1000);
  assert.deepEqual(model.saved.at(-1), model.traits);
  model.set("thread", 4);
  assert.deepEqual(shown, [[0, 9, 2, 1, 0, 4]]);
});

test("the keys and the slider stay within a launch", () => {
  const here = FIRST.length + 3;
  const stops = stopsOf(STEPS, "event", here);
  assert.deepEqual([stops[0], stops.at(-1)], [FIRST.length, FIRST.length + SECOND.length - 1]);
  assert.equal(target("first", here, STEPS, stops), FIRST.length);
  assert.equal(target("previous", FIRST.length, STEPS, stops), FIRST.length);
  assert.equal(target("last", here, STEPS, stops), FIRST.length + SECOND.length - 1);
  assert.equal(placeOf(here, stops), 3);
  assert.deepEqual(stopsOf(STEPS, "event", STEPS.length - 1), [STEPS.length - 1]);
});

test("by warp, the last thread of each is a stop", () => {
  const stops = stopsOf(STEPS, "line", FIRST.length);
  assert.deepEqual(stops.map((step) => partOf(STEPS[step], "thread")), [3, 7, 3, 7]);
});

test("a click picks what its mark stands for", () => {
  const picked = [];
  const stage = { pick: (wanted) => picked.push(wanted) };
  visitItem(stage, "pick:block:9");
  visitItem(stage, "pick:lane:31");
  assert.deepEqual(picked, [{ block: 9 }, { lane: 31 }]);
});
