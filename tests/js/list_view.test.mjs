// The list's pure functions. Run with: node --test tests/js

import assert from "node:assert/strict";
import { test } from "node:test";

import { filtered, parted, sorted } from "../../widgets/inplacelab_widgets/list_view.js";

const ROWS = [["`sin_`", "`x`", "10"], ["`exp_`", "`out`", "2"], ["`add_`", "nothing", "2"]];

test("code stands in backquotes, in two where it has one itself", () => {
  assert.deepEqual(parted("sum of `x` and ``a `b` c``"), [["sum of ", false], ["x", true], [" and ", false], ["a `b` c", true], ["", false]]);
  assert.deepEqual(filtered([["``a `b` c``"], ["`b`"]], "`b`"), [["``a `b` c``"]]);
});

test("a row is kept if it contains all the words, whatever their case and wherever they stand", () => {
  assert.deepEqual(filtered(ROWS, "EXP out"), [ROWS[1]]);
  assert.deepEqual(filtered(ROWS, "exp x_"), []);
  assert.deepEqual(filtered(ROWS, "  "), ROWS);
});

test("numbers are sorted by size and words by the alphabet; equal rows keep their order", () => {
  assert.deepEqual(sorted(ROWS, 2, false).map((row) => row[0]), ["`exp_`", "`add_`", "`sin_`"]);
  assert.deepEqual(sorted(ROWS, 2, true).map((row) => row[0]), ["`sin_`", "`exp_`", "`add_`"]);
  assert.deepEqual(sorted(ROWS, 0, false).map((row) => row[0]), ["`add_`", "`exp_`", "`sin_`"]);
  assert.equal(sorted(ROWS, -1, true), ROWS);
});

test("sorting leaves the rows that it was given as they are", () => {
  const before = JSON.stringify(ROWS);
  sorted(ROWS, 0, true);
  assert.equal(JSON.stringify(ROWS), before);
});
