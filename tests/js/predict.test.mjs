// The pure functions of predict mode. Run with: node --test tests/js

import assert from "node:assert/strict";
import { test } from "node:test";

import { graded, nextAsked, openQuestions, score, verdicts } from "../../widgets/inplacelab_widgets/player/predict.js";

const question = (step, kind, right = [1], options = ["a", "b", "c"]) => ({ step, kind, right, options });
const QUESTIONS = [question(2, "values", [0, 2]), question(2, "version"), question(5, "stale")];

test("a question is open until it is answered or skipped", () => {
  const answered = [graded(QUESTIONS[0], [0])];
  const skipped = [graded(QUESTIONS[1], null)];
  assert.deepEqual(openQuestions(QUESTIONS, [], 2), QUESTIONS.slice(0, 2));
  assert.deepEqual(openQuestions(QUESTIONS, answered, 2), [QUESTIONS[1]]);
  assert.deepEqual(openQuestions(QUESTIONS, [...answered, ...skipped], 2), []);
  assert.deepEqual(openQuestions(QUESTIONS, [], 3), []);
});

test("the same kind at another step is another question", () => {
  const questions = [question(1, "values"), question(4, "values")];
  assert.deepEqual(openQuestions(questions, [graded(questions[0], [1])], 4), [questions[1]]);
});

test("reading on stops before the first open question on the way", () => {
  assert.equal(nextAsked(QUESTIONS, [], 0, 1), -1);
  assert.equal(nextAsked(QUESTIONS, [], 1, 2), 2);
  assert.equal(nextAsked(QUESTIONS, [], 0, 9), 2);
  assert.equal(nextAsked(QUESTIONS, [], 2, 9), 5);
  assert.equal(nextAsked(QUESTIONS, [], 5, 9), -1);
});

test("going back asks nothing, and what was answered is not asked again", () => {
  assert.equal(nextAsked(QUESTIONS, [], 5, 0), -1);
  const answers = QUESTIONS.slice(0, 2).map((each) => graded(each, null));
  assert.equal(nextAsked(QUESTIONS, answers, 0, 4), -1);
  assert.equal(nextAsked(QUESTIONS, answers, 0, 9), 5);
  assert.equal(nextAsked(QUESTIONS, answers.slice(0, 1), 0, 9), 2);
});

test("an answer is right if exactly the right options were chosen, in any order", () => {
  assert.deepEqual(graded(QUESTIONS[0], [2, 0]), { step: 2, kind: "values", chosen: [0, 2], right: true });
  assert.equal(graded(QUESTIONS[0], [0]).right, false);
  assert.equal(graded(QUESTIONS[0], [0, 1, 2]).right, false);
  assert.equal(graded(QUESTIONS[1], [1]).right, true);
  assert.equal(graded(question(1, "values", [2, 10]), [10, 2]).right, true);
});

test("what was skipped is neither right nor wrong", () => {
  assert.deepEqual(graded(QUESTIONS[1], null), { step: 2, kind: "version", chosen: null, right: null });
  const answers = [graded(QUESTIONS[0], [0, 2]), graded(QUESTIONS[1], [0]), graded(QUESTIONS[2], null)];
  assert.deepEqual(score(answers), { right: 1, given: 2 });
  assert.deepEqual(score([]), { right: 0, given: 0 });
});

test("each option is told what it turned out to be", () => {
  assert.deepEqual(verdicts(QUESTIONS[0], [0, 1]), ["hit", "wrong", "missed"]);
  assert.deepEqual(verdicts(QUESTIONS[1], [1]), ["", "hit", ""]);
});
