// The player's pure functions. Run with: node --test tests/js

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  actionOf,
  clamp,
  courier,
  fill,
  indentOf,
  isRelated,
  paired,
  pieces,
  runAt,
  scrollNeeded,
  seek,
  speak,
  stepAt,
  target,
  valueAt,
} from "../../widgets/inplacelab_widgets/player.js";

const step = (phase, stop = false) => ({ line: 1, phase, error: false, stop, says: "" });
const STEPS = [step("forward"), step("forward", true), step("forward"), step("backward", true), step("backward"), step("forward")];

test("a run holds from its first step until the next run", () => {
  const runs = [[2, "a"], [5, null], [7, "b"]];
  assert.equal(valueAt(runs, 1), undefined);
  assert.equal(valueAt(runs, 2), "a");
  assert.equal(valueAt(runs, 4), "a");
  assert.equal(valueAt(runs, 6), null);
  assert.equal(valueAt(runs, 99), "b");
  assert.deepEqual(runAt(runs, 8), [7, "b"]);
  assert.equal(runAt([], 0), undefined);
});

test("words are spoken in the chosen language, and English is the other one", () => {
  assert.equal(speak(["slot", "槽位"], "zh"), "槽位");
  assert.equal(speak(["slot", "槽位"], "en"), "slot");
  assert.equal(speak("S0", "zh"), "S0");
  assert.equal(speak(null, "en"), "");
  assert.equal(speak(undefined, "en"), "");
});

test("placeholders are filled once and unknown ones stay", () => {
  assert.equal(fill("step {step} of {steps}", { step: 2, steps: "{step}" }), "step 2 of {step}");
  assert.equal(fill("{constructor}", {}), "{constructor}");
  assert.equal(fill("{unknown}", { known: 1 }), "{unknown}");
});

test("words between backticks are code, and nothing is lost", () => {
  assert.deepEqual(pieces("Line 4 `scale_` wrote `x`."), [
    { code: false, text: "Line 4 " },
    { code: true, text: "scale_" },
    { code: false, text: " wrote " },
    { code: true, text: "x" },
    { code: false, text: "." },
  ]);
  assert.equal(pieces("a lonely ` stays").map((piece) => piece.text).join(""), "a lonely ` stays");
  assert.ok(pieces("a lonely ` stays").every((piece) => !piece.code));
  assert.deepEqual(pieces(""), []);
});

test("steps outside the recording are brought back into it", () => {
  assert.equal(clamp(-3, 6), 0);
  assert.equal(clamp(9, 6), 5);
  assert.equal(clamp(2.4, 6), 2);
  assert.equal(clamp(Number.NaN, 6), 0);
});

test("seeking stops at the first match, or at the end", () => {
  assert.equal(seek(6, 1, 1, (at) => at === 4), 4);
  assert.equal(seek(6, 1, 1, () => false), 5);
  assert.equal(seek(6, 4, -1, () => false), 0);
  assert.equal(seek(6, 4, -1, (at) => at < 4), 3);
});

test("each key asks for what the help line says", () => {
  const asked = (key, modifiers = {}) => actionOf({ key, ...modifiers });
  assert.equal(asked("ArrowRight"), "next");
  assert.equal(asked("ArrowLeft"), "previous");
  assert.equal(asked("ArrowRight", { shiftKey: true }), "nextStop");
  assert.equal(asked("ArrowLeft", { shiftKey: true }), "previousStop");
  assert.equal(asked("PageDown"), "nextPhase");
  assert.equal(asked("PageUp"), "previousPhase");
  assert.equal(asked("Home"), "first");
  assert.equal(asked("End"), "last");
  assert.equal(asked(" "), "play");
  assert.equal(asked("Escape"), "leave");
});

test("every other key is left to the page", () => {
  for (const key of ["b", "Tab", "Enter", "ArrowUp", "ArrowDown", "toString"]) assert.equal(actionOf({ key }), null);
  for (const modifier of ["ctrlKey", "altKey", "metaKey"]) assert.equal(actionOf({ key: "ArrowRight", [modifier]: true }), null);
  assert.equal(actionOf({ key: "Home", shiftKey: true }), null);
});

test("actions lead to steps and never out of the recording", () => {
  assert.equal(target("next", 0, STEPS), 1);
  assert.equal(target("next", 5, STEPS), 5);
  assert.equal(target("previous", 0, STEPS), 0);
  assert.equal(target("first", 4, STEPS), 0);
  assert.equal(target("last", 0, STEPS), 5);
  assert.equal(target("nextStop", 1, STEPS), 3);
  assert.equal(target("previousStop", 3, STEPS), 1);
  assert.equal(target("nextPhase", 0, STEPS), 3);
  assert.equal(target("nextPhase", 3, STEPS), 5);
  assert.equal(target("previousPhase", 5, STEPS), 3);
  assert.equal(target("previousPhase", 2, STEPS), 0);
  assert.equal(target("play", 2, STEPS), 2);
});

test("a mark is related if any of its keys is wanted, and keys are whole words", () => {
  assert.ok(isRelated("s1:4 s1", new Set(["s1"])));
  assert.ok(!isRelated("s11", new Set(["s1"])));
  assert.ok(!isRelated("", new Set([""])));
});

test("a click on the axis finds the nearest step", () => {
  const axis = { left: 100, spacing: 20 };
  assert.equal(stepAt(100, axis, 6), 0);
  assert.equal(stepAt(149, axis, 6), 2);
  assert.equal(stepAt(151, axis, 6), 3);
  assert.equal(stepAt(0, axis, 6), 0);
  assert.equal(stepAt(9999, axis, 6), 5);
});

test("indentation is counted in blanks", () => {
  assert.equal(indentOf("    x = 1"), 4);
  assert.equal(indentOf("x"), 0);
});

test("flat runs come in pairs", () => {
  assert.deepEqual(paired([0, 7, 3, -1]), [[0, 7], [3, -1]]);
  assert.deepEqual(paired([]), []);
});

test("a pane scrolls only as far as needed", () => {
  assert.equal(scrollNeeded(120, 160, 100, 300), 0);
  assert.ok(scrollNeeded(20, 60, 100, 300) < -80);
  assert.ok(scrollNeeded(290, 340, 100, 300) >= 40);
  const down = scrollNeeded(290, 340, 100, 300);
  assert.ok(340 - down <= 300 && 290 - down >= 100);
  // What is taller than the pane shows its beginning.
  assert.equal(150 - scrollNeeded(150, 900, 100, 300), 100);
});

test("an echo of an earlier step does not move the reader back", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const state = { step: 0, saved: [] };
  const model = {
    get: (key) => state[key],
    set: (key, value) => (state[key] = value),
    save_changes: () => state.saved.push(state.step),
  };
  const gone = [];
  const post = courier(model, (step) => gone.push(step));
  post.tell(2);
  post.tell(3);
  context.mock.timers.tick(1000);
  assert.deepEqual(state.saved, [3]);

  post.tell(2);
  state.step = 3; // the kernel's echo arrives while step 2 waits
  post.hear();
  assert.deepEqual(gone, []);
  context.mock.timers.tick(1000);
  assert.deepEqual(state.saved, [3, 2]);

  state.step = 5; // and now Python moves the player
  post.hear();
  assert.deepEqual(gone, [5]);
});

test("two steppers of one model follow each other", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const listeners = [];
  const state = { step: 0 };
  const model = {
    get: () => state.step,
    set: (key, value) => {
      state.step = value;
      for (const listener of listeners) listener();
    },
    save_changes: () => {},
  };
  const places = [0, 0];
  const posts = places.map((_, k) => courier(model, (step) => (places[k] = step)));
  for (const post of posts) listeners.push(post.hear);
  places[0] = 4;
  posts[0].tell(4);
  context.mock.timers.tick(1000);
  assert.deepEqual(places, [4, 4]);
});
