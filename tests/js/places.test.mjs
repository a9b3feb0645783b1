// Programs of several functions and texts: steps of three sizes, the chain of calls, and where a line is. Run with: node --test tests/js

import assert from "node:assert/strict";
import { test } from "node:test";

import { tabAt } from "../../widgets/inplacelab_widgets/player/calls.js";
import { callsOf, chainWords, excerptOf, folded, framesOf, lineWords, sourceAt, sourcesOf, stepTo } from "../../widgets/inplacelab_widgets/player/places.js";
import { actionOf, stopsOf } from "../../widgets/inplacelab_widgets/player/steps.js";

// train.py has 8 lines, model.py those after it: `main` calls `forward` in line 3, which calls `block`, and calls it again in line 4.
const MAIN3 = 0;
const SAID = ["train.py", "model.py", "train.py:3", "Net.forward:2", "Net.block:6", "train.py:4", "train.py:5", "model.py:2", ["…", "…"]];
const WORDS = { at_line: ["line {line}", "第 {line} 行"], calls_between: ["… {count} calls …", "… {count} 层调用 …"] };
const PLACES = [
  [3, 2],
  [10, 7, MAIN3, "Net.forward", 0, 3],
  [14, 4, 1, "Net.block"],
  [4, 5],
  [10, 7, 3, "Net.forward", 0, 3],
  [5, 6],
];
const SOURCE = Array.from({ length: 20 }, (_, k) => `line ${k + 1}`);
const at = (place, turn, more = {}) => ({ place, turn, line: PLACES[place][0], phase: "forward", says: 0, ...more });
const STEPS = [at(0, 1), at(1, 2), at(2, 3), at(2, 4), at(1, 4), at(0, 5), at(3, 6), at(4, 7), at(3, 8), at(5, 9)];
const PAYLOAD = { source: SOURCE, sources: [[0, 0, 0], [1, 1, 8]], places: PLACES, steps: STEPS, said: SAID, words: WORDS };
const STOPS = stopsOf(STEPS, "event");
const FRAMES = framesOf(PAYLOAD);
const leads = (action, from) => stepTo(action, from, STEPS, STOPS, FRAMES);

test("frames know their text and depth, and a statement goes on after the call in it", () => {
  assert.deepEqual(FRAMES.map(({ source }) => source), [0, 1, 1, 1, 1, 0, 0, 1, 0, 0]);
  assert.deepEqual(FRAMES.map(({ depth }) => depth), [1, 2, 3, 3, 2, 1, 1, 2, 1, 1]);
  const [main, forward, block, again, back, rest, next, , restOfNext, last] = FRAMES.map(({ statement }) => statement);
  assert.equal(main, rest);
  assert.equal(forward, back);
  assert.equal(next, restOfNext);
  assert.equal(new Set([main, forward, block, again, next, last]).size, 6);
  assert.equal(framesOf({ steps: STEPS, source: SOURCE }), null);
});

test("into goes to the next step wherever it is, over to the next statement here, out to the caller", () => {
  assert.equal(leads("into", 0), 1);
  assert.equal(leads("over", 0), 6);
  assert.equal(leads("over", 1), 5);
  assert.equal(leads("over", 2), 3);
  assert.equal(leads("over", 3), 4);
  assert.equal(leads("out", 2), 4);
  assert.equal(leads("out", 1), 5);
  assert.equal(leads("out", 0), 0);
});

test("backwards, the same sizes lead back: over a statement to its beginning", () => {
  assert.equal(leads("backInto", 5), 4);
  assert.equal(leads("backOver", 6), 0);
  assert.equal(leads("backOver", 9), 6);
  assert.equal(leads("backOver", 3), 2);
  assert.equal(leads("backOut", 3), 1);
  assert.equal(leads("backOut", 4), 0);
  assert.equal(leads("backOut", 9), 9);
});

test("an arrow leads to the next thing in the same text, or in a caller, and back", () => {
  assert.deepEqual([0, 5, 6, 8].map((from) => leads("next", from)), [5, 6, 8, 9]);
  assert.deepEqual([1, 2, 3, 4].map((from) => leads("next", from)), [2, 3, 4, 5]);
  assert.deepEqual([9, 8, 6, 5].map((from) => leads("previous", from)), [8, 6, 5, 0]);
  assert.equal(leads("previous", 3), 2);
  assert.equal(leads("next", 9), 9);
  assert.equal(leads("first", 7), 0);
});

test("what went wrong is never passed over, nor what happened nobody knows where", () => {
  const failing = STEPS.map((step, k) => (k === 2 ? { ...step, error: true } : step));
  for (const action of ["next", "over", "out"]) assert.equal(stepTo(action, 1, failing, STOPS, framesOf({ ...PAYLOAD, steps: failing })), 2);
  const lost = STEPS.map((step, k) => (k === 3 ? { ...step, place: undefined, line: null } : step));
  assert.equal(stepTo("next", 0, lost, STOPS, framesOf({ ...PAYLOAD, steps: lost })), 3);
});

test("a loop of one line is a statement each time round, and a recursion goes deeper", () => {
  const loop = [at(3, 1), at(3, 2), at(3, 3)];
  const frames = framesOf({ ...PAYLOAD, steps: loop });
  assert.equal(stepTo("over", 0, loop, [0, 1, 2], frames), 1);
  const places = [[3, 2], [10, 3, 0, "f"], [10, 3, 1, "f"], [10, 3, 2, "f"]];
  const deeper = [1, 2, 3, 3, 2, 1].map((place, k) => ({ ...at(0, k + 1), place, line: 10 }));
  const walked = framesOf({ ...PAYLOAD, places, steps: deeper });
  assert.equal(stepTo("over", 0, deeper, [0, 1, 2, 3, 4, 5], walked), 5);
  assert.equal(stepTo("out", 2, deeper, [0, 1, 2, 3, 4, 5], walked), 4);
});

test("a program of one text without functions is stepped through as ever", () => {
  const plain = STEPS.map(({ line, phase }) => ({ line, phase, says: 0 }));
  for (const action of ["next", "into", "over"]) assert.equal(stepTo(action, 1, plain, STOPS, null), 2);
  for (const action of ["previous", "backInto", "backOver"]) assert.equal(stepTo(action, 2, plain, STOPS, null), 1);
  assert.equal(stepTo("out", 2, plain, STOPS, null), 2);
});

test("the keys of a debugger have these sizes, with Shift backwards", () => {
  assert.deepEqual(["i", "o", "u"].map((key) => actionOf({ key })), ["into", "over", "out"]);
  assert.deepEqual(["I", "O", "U"].map((key) => actionOf({ key, shiftKey: true })), ["backInto", "backOver", "backOut"]);
  assert.equal(actionOf({ key: "w" }), "origins");
  assert.equal(actionOf({ key: "o", ctrlKey: true }), null);
});

test("a line is counted through all texts, and said with its text where another one is shown", () => {
  assert.deepEqual([1, 8, 9, 20, null].map((line) => sourceAt(PAYLOAD, line)), [0, 0, 1, 1, 0]);
  assert.deepEqual(sourcesOf(PAYLOAD).map(({ short, before, count }) => [short, before, count]), [["train.py", 0, 8], ["model.py", 8, 12]]);
  assert.equal(lineWords(PAYLOAD, 10, "en"), "model.py:2");
  assert.equal(lineWords(PAYLOAD, 10, "zh", 1), "第 2 行");
  assert.equal(lineWords(PAYLOAD, 10, "en", 0), "model.py:2");
  assert.equal(lineWords({ source: SOURCE, words: WORDS, said: SAID }, 10, "en"), "line 10");
});

test("the calls of a step stand outermost first, and a long chain is folded in the middle", () => {
  assert.deepEqual(callsOf(PAYLOAD, STEPS[2]).map(({ line }) => line), [3, 10, 14]);
  assert.deepEqual(callsOf(PAYLOAD, {}), []);
  assert.equal(chainWords(PAYLOAD, 2, "en"), "train.py:3 › model.py:2 › Net.block:6");
  assert.equal(chainWords(PAYLOAD, 1, "en"), "train.py:3 › Net.forward:2");
  assert.equal(chainWords(PAYLOAD, 9, "en"), "train.py:5");
  const calls = Array.from({ length: 9 }, (_, k) => ({ line: k, skipped: k === 7 ? 40 : 0 }));
  const shown = folded(calls);
  assert.deepEqual(shown.map((each) => each.left ?? each.line), [0, 5, 6, 40, 7, 8]);
  assert.equal(shown[1].isFolded, true);
  assert.equal(shown[3].isFolded, false);
  assert.equal(folded(calls, true).length, 10);
  assert.equal(folded(calls.slice(0, 5)).length, 5);
});

test("an excerpt has the lines around the step, and the marked ones of other texts", () => {
  const marked = [[14, "kept", 0, 0], [10, "written", 0, 0], [4, "refused", 0, 0]];
  const rows = excerptOf({ ...PAYLOAD, steps: [at(3, 1, { marked })] }, 0, "en");
  assert.deepEqual(rows.map(({ number, text }) => `${number} ${text}`), [" train.py", "2 line 2", "3 line 3", "4 line 4", "5 line 5", "6 line 6", " model.py", "2 line 10", " ⋮", "6 line 14"]);
  assert.deepEqual(rows.filter((row) => row.isHere).map((row) => row.line), [4]);
});

test("arrow keys go from tab to tab", () => {
  assert.deepEqual(["ArrowLeft", "ArrowRight", "Home", "End", "o"].map((key) => tabAt(key, 1, 3)), [0, 2, 0, 2, -1]);
  assert.deepEqual([tabAt("ArrowLeft", 0, 3), tabAt("ArrowRight", 2, 3)], [0, 2]);
});
