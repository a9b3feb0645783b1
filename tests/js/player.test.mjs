// The player's pure functions. Run with: node --test tests/js

import assert from "node:assert/strict";
import { test } from "node:test";

import { cutParts, indentOf, lineBeside, wrapParts } from "../../widgets/inplacelab_widgets/player/code.js";
import { isTaken } from "../../widgets/inplacelab_widgets/player/keyboard.js";
import { makePace, PACES } from "../../widgets/inplacelab_widgets/player/toolbar.js";
import { firstOf, isItem } from "../../widgets/inplacelab_widgets/player/panel.js";
import { actionOf, beginning, clamp, isRelated, numbered, paired, placeOf, runAt, seek, seenAt, stepAt, stopsOf, target, valueAt, visitOf } from "../../widgets/inplacelab_widgets/player/steps.js";
import { begun, chapterAt } from "../../widgets/inplacelab_widgets/player/key_steps.js";
import { mostWithin, scrollNeeded } from "../../widgets/inplacelab_widgets/player/scrolling.js";
import { asked, courier } from "../../widgets/inplacelab_widgets/player/widget.js";
import { visitItem, describe } from "../../widgets/inplacelab_widgets/player/highlighting.js";
import { fill, pieces, speak } from "../../widgets/inplacelab_widgets/player/steps.js";

const step = (phase, stop = false) => ({ line: 1, phase, error: false, stop, says: "" });
const STEPS = [step("forward"), step("forward", true), step("forward"), step("backward", true), step("backward"), step("forward")];
const EVENTS = stopsOf(STEPS, "event");

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
  assert.equal(asked("e"), "mode");
  assert.equal(asked("f"), "present");
  assert.equal(asked("?", { shiftKey: true }), "help");
  assert.equal(asked("+", { shiftKey: true }), "faster");
  assert.equal(asked("-"), "slower");
  assert.equal(asked("g"), "openGraph");
});

test("every other key is left to the page", () => {
  for (const key of ["b", "Tab", "Enter", "ArrowUp", "ArrowDown", "toString"]) assert.equal(actionOf({ key }), null);
  for (const modifier of ["ctrlKey", "altKey", "metaKey"]) assert.equal(actionOf({ key: "ArrowRight", [modifier]: true }), null);
  assert.equal(actionOf({ key: "Home", shiftKey: true }), null);
});

test("actions lead to steps and never out of the recording", () => {
  assert.equal(target("next", 0, STEPS, EVENTS), 1);
  assert.equal(target("next", 5, STEPS, EVENTS), 5);
  assert.equal(target("previous", 0, STEPS, EVENTS), 0);
  assert.equal(target("first", 4, STEPS, EVENTS), 0);
  assert.equal(target("last", 0, STEPS, EVENTS), 5);
  assert.equal(target("nextStop", 1, STEPS, EVENTS), 3);
  assert.equal(target("previousStop", 3, STEPS, EVENTS), 1);
  assert.equal(target("nextPhase", 0, STEPS, EVENTS), 3);
  assert.equal(target("nextPhase", 3, STEPS, EVENTS), 5);
  assert.equal(target("previousPhase", 5, STEPS, EVENTS), 3);
  assert.equal(target("previousPhase", 2, STEPS, EVENTS), 0);
  assert.equal(target("play", 2, STEPS, EVENTS), 2);
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

test("of what a step changed in a block higher than its pane, as much as possible is seen, and rather the grids than the strip", () => {
  const boxes = [0, 20, 300, 320, 340].map((top) => ({ top, bottom: top + 10 }));
  assert.deepEqual(mostWithin(boxes, 100), boxes.slice(2));
  assert.deepEqual(mostWithin(boxes.slice(0, 4), 100), boxes.slice(0, 2));
  assert.deepEqual(mostWithin(boxes, 400), boxes);
  assert.deepEqual(mostWithin(boxes, 5), boxes.slice(-1));
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
  post.receive();
  assert.deepEqual(gone, []);
  context.mock.timers.tick(1000);
  assert.deepEqual(state.saved, [3, 2]);

  state.step = 5; // and now Python moves the player
  post.receive();
  assert.deepEqual(gone, [5]);
});

test("who goes on in another view before all is sent is not taken back", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const state = { step: 0, saved: [] };
  const model = { get: () => state.step, set: (key, value) => (state.step = value), save_changes: () => state.saved.push(state.step) };
  const gone = [];
  const post = courier(model, (step) => gone.push(step));
  post.tell(1);
  post.tell(2);
  state.step = 1; // an echo
  post.receive();
  assert.deepEqual(gone, []);
  state.step = 9; // the other view
  post.receive();
  context.mock.timers.tick(1000);
  assert.deepEqual([state.step, gone, state.saved], [9, [9], []]);
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
  for (const post of posts) listeners.push(post.receive);
  places[0] = 4;
  posts[0].tell(4);
  context.mock.timers.tick(1000);
  assert.deepEqual(places, [4, 4]);
});

const line = (number, ends, phase = "forward", stop = false) => ({ line: number, ends, phase, error: false, stop, says: "" });
const PROGRAM = [
  line(1, false), line(1, true, "forward", true), line(2, true), line(3, false), line(3, true), line(2, true, "forward", true),
  line(4, false, "backward"), line(4, true, "backward", true), line(null, true),
];

test("by line, a step is the last event of each statement", () => {
  assert.deepEqual(stopsOf(PROGRAM, "event"), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(stopsOf(PROGRAM, "line"), [1, 2, 4, 5, 7, 8]);
  assert.deepEqual(stopsOf([line(1, true)], "line"), [0]);
  assert.deepEqual(stopsOf([line(1, true), line(1, true)], "line"), [0, 1], "a loop of one line stops each time round");
});

test("a step between two stops belongs to the later one", () => {
  const stops = [1, 2, 4, 5, 7, 8];
  assert.equal(placeOf(0, stops), 0);
  assert.equal(placeOf(3, stops), 2);
  assert.equal(placeOf(4, stops), 2);
  assert.equal(placeOf(99, stops), 5);
});

test("by line, actions lead from stop to stop", () => {
  const stops = stopsOf(PROGRAM, "line");
  const to = (action, from) => target(action, from, PROGRAM, stops);
  assert.equal(to("next", 1), 2);
  assert.equal(to("next", 3), 4, "from within a line, to its end");
  assert.equal(to("next", 8), 8);
  assert.equal(to("previous", 3), 2);
  assert.equal(to("previous", 4), 2);
  assert.equal(to("previous", 1), 1);
  assert.equal(to("first", 7), 1);
  assert.equal(to("last", 1), 8);
  assert.equal(to("nextStop", 1), 5);
  assert.equal(to("nextStop", 6), 7, "what is worth seeing in the line that was begun");
  assert.equal(to("previousStop", 7), 5);
  assert.equal(to("previousStop", 5), 1);
  assert.equal(to("nextPhase", 1), 7);
  assert.equal(to("previousPhase", 8), 7);
});

test("every action ends at a stop, from wherever it is asked", () => {
  for (const mode of ["event", "line"]) {
    const stops = stopsOf(PROGRAM, mode);
    for (const action of ["first", "last", "previous", "next", "previousStop", "nextStop", "previousPhase", "nextPhase"]) {
      for (let from = 0; from < PROGRAM.length; from += 1) assert.ok(stops.includes(target(action, from, PROGRAM, stops)), `${mode} ${action} ${from}`);
    }
  }
});

test("a control keeps its own keys and leaves the others to the player", () => {
  assert.ok(isTaken({ tagName: "BUTTON" }, " "));
  assert.ok(isTaken({ tagName: "SUMMARY" }, "Enter"));
  assert.ok(!isTaken({ tagName: "BUTTON" }, "ArrowRight"));
  assert.ok(!isTaken({ tagName: "INPUT", type: "range" }, "ArrowRight"));
  assert.ok(!isTaken({ tagName: "INPUT", type: "range" }, "e"));
  for (const type of ["text", "number", "radio"]) assert.ok(isTaken({ tagName: "INPUT", type }, "ArrowRight"), type);
  assert.ok(isTaken({ tagName: "INPUT", type: "text" }, "e"));
  assert.ok(!isTaken({ tagName: "INPUT", type: "text" }, "Escape"));
  assert.ok(!isTaken({ tagName: "DIV" }, " "));
});

test("code is wrapped after brackets, commas and operators and before a dot, and nothing is lost", () => {
  const code = 'y = paddle.nn.functional.relu(layer(x), name="a.b")**2 + w[0:3]';
  const parts = wrapParts(code);
  assert.equal(parts.join(""), code);
  assert.ok(parts.includes(".functional"));
  assert.ok(parts.includes(".relu("));
  assert.ok(parts.every((part) => !part.startsWith("*")), "an operator of two characters stays whole");
  assert.deepEqual(wrapParts("1.5 + .5"), ["1.5 + .5"]);
});

test("code is cut once more where what is meant of it begins and ends, and is not wrapped there", () => {
  const code = "loss = (y * a.exp()).sum()";
  const whole = cutParts(code, 0, 0);
  assert.deepEqual(whole.map(([text]) => text), wrapParts(code));
  assert.ok(whole.every(([, isMeant, wraps]) => !isMeant && wraps));
  const parts = cutParts(code, code.indexOf("a.exp"), code.indexOf(").sum"));
  assert.equal(parts.map(([text]) => text).join(""), code);
  assert.equal(parts.filter(([, isMeant]) => isMeant).map(([text]) => text).join(""), "a.exp()");
  assert.deepEqual(parts.filter(([, , wraps]) => wraps).length, whole.length);
});

test("slots and elements are not walked through; everything else is", () => {
  for (const key of ["s1", "t12", "n3", "v0", "p2:1:0"]) assert.ok(isItem(key), key);
  for (const key of ["s1:4", "t1:0,2", "", "was n1"]) assert.ok(!isItem(key), key);
  assert.equal(firstOf("p2:1:0 n2 s1"), "p2:1:0");
  assert.equal(firstOf(""), "");
});

/** A stage that notes what is asked of it. */
function noting(facts = {}) {
  const asked = [];
  const stage = {
    selection: "",
    parts: [{ raisedAt: (key) => (key === "v1" ? 4 : -1) }, {}],
    go: (step) => asked.push(["go", step]),
    open: (pane) => asked.push(["open", pane]),
    choose: (trait, value) => asked.push([trait, value]),
    ...facts,
  };
  return { stage, asked };
}

test("a version leads to the step that raised it, a pin to its node, anything else is kept or let go", () => {
  const visited = (key, selection = "") => {
    const { stage, asked } = noting({ selection });
    visitItem(stage, key);
    return asked;
  };
  assert.deepEqual(visited("v1"), [["go", 4]]);
  assert.deepEqual(visited("v2"), [], "a version that was never raised leads nowhere");
  assert.deepEqual(visited("p2:1:0"), [["open", "graph"], ["selection", "n2"]]);
  assert.deepEqual(visited("t3"), [["selection", "t3"]]);
  assert.deepEqual(visited("t3", "t3"), [["selection", ""]]);
  assert.deepEqual(visited("s1:4", "t3"), [["selection", "s1:4"]]);
});

test("an item is described as its row in the tables is", () => {
  const tables = [{ rows: { s0: [[0, [0, 1]]] } }, { rows: { t1: [[2, [2, 3, 4]], [5, null]] } }];
  const payload = { tables, said: ["S0", "16", "b", "", ["leaf", "叶子张量"]] };
  assert.equal(describe({ payload, step: 3, language: "en" }, "t1"), "b · leaf");
  assert.equal(describe({ payload, step: 3, language: "zh" }, "t1"), "b · 叶子张量");
  assert.equal(describe({ payload, step: 6, language: "en" }, "t1"), "");
  assert.equal(describe({ payload, step: 6, language: "en" }, "constructor"), "");
});

test("playing follows the pace and stops at the end", (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  globalThis.window = globalThis;
  const flags = new Set();
  const stage = {
    stops: [0, 1, 2, 3, 4, 5],
    step: 0,
    root: {
      toggleAttribute: (name, on) => (on ? flags.add(name) : flags.delete(name)),
      removeAttribute: (name) => flags.delete(name),
    },
    reach(action) {
      stage.step = action === "first" ? 0 : stage.step + 1;
      return true;
    },
  };
  const pace = makePace(stage, () => {});
  pace.toggle();
  context.mock.timers.tick(2000);
  assert.equal(stage.step, 2);
  pace.change(1);
  assert.ok(flags.has("data-hurried"));
  context.mock.timers.tick(1000);
  assert.equal(stage.step, 4);
  context.mock.timers.tick(5000);
  assert.equal(stage.step, 5);
  assert.ok(!pace.isPlaying());
  assert.ok(!flags.has("data-hurried"));
  pace.change(Infinity);
  assert.ok(pace.isFastest());
  pace.change(-Infinity);
  assert.equal(pace.perSecond(), PACES[0]);
  pace.toggle();
  assert.equal(stage.step, 0, "played again from the beginning");
  pace.toggle();
  delete globalThis.window;
});

test("a click on a line leads to its first visit, and again to the next", () => {
  const at = (line, ends = true) => ({ ...step("forward"), line, ends });
  const steps = [at(1), at(2, false), at(2), at(3), at(2, false), at(2), at(2), at(null)];
  const events = stopsOf(steps, "event");
  const clicks = (line, from, stops) => {
    const seen = [];
    for (let here = from; seen.length < 4; ) seen.push((here = visitOf(line, here, steps, stops)));
    return seen;
  };
  assert.deepEqual(clicks(2, 0, events), [1, 4, 6, 1]);
  assert.deepEqual(clicks(2, 0, stopsOf(steps, "line")), [2, 5, 6, 2]);
  assert.equal(visitOf(3, 7, steps, events), 3);
  assert.equal(visitOf(3, 3, steps, events), 3);
  assert.equal(visitOf(9, 0, steps, events), -1);
});

test("the address of a page names a step and a panel", () => {
  assert.deepEqual(asked("#step=7&panel=elements"), { step: 6, panel: "elements" });
  assert.deepEqual(asked("#panel=graph"), { panel: "graph" });
  for (const nothing of ["", "#", "#step=0", "#step=-2", "#step=x", "#section"]) assert.deepEqual(asked(nothing), {});
});

const quiet = (line, ends = true) => ({ ...step("forward"), line, ends, idle: true });
const loud = (line, ends = true) => ({ ...step("forward"), line, ends });
const QUIET = [quiet(1), loud(2), quiet(3), loud(4, false), quiet(4), loud(5, false), loud(5), quiet(3), quiet(6)];

test("a step that changes nothing is no stop, by event and by line", () => {
  assert.deepEqual(stopsOf(QUIET, "event"), [1, 3, 5, 6]);
  assert.deepEqual(stopsOf(QUIET, "line"), [1, 4, 6], "a line is a stop if any of its events changes something");
  assert.deepEqual(stopsOf([quiet(1), quiet(2)], "event"), [0, 1], "if nothing changes anywhere, all steps are stops");
  assert.deepEqual(stopsOf([quiet(1), quiet(2)], "line"), [0, 1]);
});

test("from a step that is no stop, keys lead to the stops around it", () => {
  const stops = stopsOf(QUIET, "event");
  const to = (action, from) => target(action, from, QUIET, stops);
  assert.equal(to("previous", 2), 1);
  assert.equal(to("next", 2), 3);
  assert.equal(to("next", 0), 1);
  assert.equal(to("previous", 8), 6, "after the last stop, that one is the previous");
  assert.equal(to("next", 8), 6);
  assert.equal(to("last", 0), 6);
  assert.equal(to("first", 6), 1);
});

test("by event, steps keep the numbers with which they were recorded", () => {
  const stops = stopsOf(QUIET, "event");
  assert.deepEqual(stops.map((at) => numbered(at, QUIET, stops, "event").step), [2, 4, 6, 7]);
  assert.deepEqual(numbered(2, QUIET, stops, "event"), { step: 3, steps: 9 }, "also one that is no stop");
  for (let at = 0; at < QUIET.length; at += 1) assert.equal(asked(`#step=${numbered(at, QUIET, stops, "event").step}`).step, at, "a link leads to the step of this number");
  assert.deepEqual(numbered(4, QUIET, stopsOf(QUIET, "line"), "line"), { step: 2, steps: 3 });
});

test("a step that changes nothing is seen at the stop before it", () => {
  assert.deepEqual(QUIET.map((_, at) => seenAt(at, QUIET)), [1, 1, 1, 3, 3, 5, 6, 6, 6]);
  assert.equal(seenAt(1, [quiet(1), quiet(2)]), 1);
});

test("a click on a line that changes nothing leads to where its state is seen, and again to its next visit", () => {
  const stops = stopsOf(QUIET, "event");
  assert.equal(visitOf(3, 5, QUIET, stops), 1);
  assert.equal(visitOf(3, 1, QUIET, stops), 6);
  assert.equal(visitOf(3, 6, QUIET, stops), 1);
  assert.equal(visitOf(1, 6, QUIET, stops), 1, "before the first stop there is only that one");
  assert.equal(visitOf(4, 1, QUIET, stops), 3);
  assert.equal(visitOf(7, 1, QUIET, stops), -1);
});

test("questions begin at the first stop, or before it if it is asked about", () => {
  assert.equal(beginning([], [1, 3]), 1);
  assert.equal(beginning([{ step: 4 }], [1, 3]), 1);
  assert.equal(beginning([{ step: 4 }, { step: 1 }], [1, 3]), 0);
  assert.equal(beginning([{ step: 0 }], [0, 3]), 0);
});

test("up and down in the code go from line to line that leads to a step", () => {
  const leads = new Set([2, 4, 5, null]);
  assert.equal(lineBeside(4, 1, leads, 6, true), 4, "the first key stands on the running line");
  assert.equal(lineBeside(4, 1, leads, 6, false), 5);
  assert.equal(lineBeside(4, -1, leads, 6, false), 2);
  assert.equal(lineBeside(5, 1, leads, 6, false), 5, "after the last there is none");
  assert.equal(lineBeside(0, 1, leads, 6, true), 2);
  assert.equal(lineBeside(0, -1, new Set([null]), 6, true), 0);
});

test("arrow keys lead from chapter to chapter of the story", () => {
  assert.equal(chapterAt("ArrowRight", 1, 4), 2);
  assert.equal(chapterAt("ArrowRight", 3, 4), 3);
  assert.equal(chapterAt("ArrowLeft", 0, 4), 0);
  assert.equal(chapterAt("Home", 2, 4), -1);
  const chapters = [{ step: 2 }, { step: 5 }];
  assert.deepEqual([0, 2, 4, 5, 9].map((at) => begun(chapters, at)), [-1, 0, 0, 1, 1]);
});
