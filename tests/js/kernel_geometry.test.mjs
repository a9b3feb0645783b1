// The browser's arithmetic and marks of a launch are Python's: both are held against kernel_cases.json.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { accessesAt, blocksOf, threadsOf, turnsOf } from "../../widgets/inplacelab_widgets/kernel/geometry.js";
import { pickAbove } from "../../widgets/inplacelab_widgets/kernel/blocks.js";
import { slotSaid } from "../../widgets/inplacelab_widgets/kernel/formulas.js";
import { pickAfter } from "../../widgets/inplacelab_widgets/kernel/keys.js";
import { fitted, served } from "../../widgets/inplacelab_widgets/kernel/pick.js";
import { pickedMarks, spoken } from "../../widgets/inplacelab_widgets/kernel/scene.js";
import { pickBelow } from "../../widgets/inplacelab_widgets/kernel/strips.js";
import { pickedTables } from "../../widgets/inplacelab_widgets/kernel/tables.js";

const { words, cases } = JSON.parse(readFileSync(new URL("./kernel_cases.json", import.meta.url), "utf-8"));
const LANGUAGES = ["en", "zh"];
const sayIn = (language) => (key) => words[key][LANGUAGES.indexOf(language)];

test("what a thread touches in a turn is what Python finds", () => {
  for (const { shown, picks } of cases) {
    assert.equal(turnsOf(shown.launch), shown.turns);
    for (const { pick, accesses } of picks) assert.deepEqual(accessesAt(shown.launch, shown.places, pick.block, pick.thread, pick.turn), accesses);
  }
});

test("the marks are Python's, in both languages", () => {
  for (const { shown, picks } of cases)
    for (const [k, language] of LANGUAGES.entries()) {
      const { pick, marks } = picks[0];
      const expected = marks.map(([tag, style, place, said]) => [tag, style, place, Array.isArray(said) ? said[k] : said]);
      assert.deepEqual(pickedMarks(shown, pick, sayIn(language), language), expected);
    }
});

test("the sentences and formulas are Python's, in both languages", () => {
  for (const { shown, picks } of cases)
    for (const { pick, says, slots } of picks)
      for (const [k, language] of LANGUAGES.entries()) {
        const say = sayIn(language);
        assert.equal(spoken(shown, pick, say, language), says[k]);
        for (const [position, said] of slots.entries()) assert.equal(slotSaid(shown, pick, position, say), said[k]);
      }
});

test("the tables are Python's, in both languages", () => {
  const said = (words, k) => (Array.isArray(words) ? words[k] : words);
  for (const { shown, picks } of cases)
    for (const { pick, tables } of picks.slice(0, 1))
      for (const [k, language] of LANGUAGES.entries()) {
        const expected = tables.map(({ caption, heads, rows }) => ({ caption: said(caption, k), heads: heads.map((head) => said(head, k)), rows: rows.map((row) => row.map((cell) => said(cell, k))) }));
        assert.deepEqual(pickedTables(shown, pick, sayIn(language)), expected);
      }
});

const SMALL = cases.find(({ name }) => name === "many blocks").shown;
const after = (pick, ...keys) => keys.reduce((at, key) => pickAfter(SMALL, at, key), pick);

test("arrows go from thread to thread, over the ends of blocks", () => {
  const start = { block: 0, thread: 255, turn: 0 };
  assert.deepEqual(after(start, "ArrowRight"), { block: 1, thread: 0, turn: 0 });
  assert.deepEqual(after(start, "ArrowRight", "ArrowLeft"), start);
  assert.deepEqual(after({ ...start, thread: 0 }, "ArrowLeft"), { ...start, thread: 0 });
  const end = { block: blocksOf(SMALL.launch) - 1, thread: threadsOf(SMALL.launch) - 1, turn: 0 };
  assert.deepEqual(after(end, "ArrowRight"), end);
});

test("up and down go by warps, page keys by blocks, home and end to the ends of the warp and then of the block", () => {
  const start = { block: 2, thread: 37, turn: 0 };
  assert.equal(after(start, "ArrowUp").thread, 5);
  assert.equal(after(start, "ArrowUp", "ArrowUp").thread, 5);
  assert.equal(after(start, "ArrowDown").thread, 69);
  assert.equal(after(start, "PageDown").block, 3);
  assert.equal(after(start, "PageUp", "PageUp", "PageUp").block, 0);
  assert.equal(after(start, "Home").thread, 32);
  assert.equal(after(start, "Home", "Home").thread, 0);
  assert.equal(after(start, "End").thread, 63);
  assert.equal(after(start, "End", "End").thread, 255);
  assert.equal(pickAfter(SMALL, start, "b"), undefined);
});

test("a pick is brought to the nearest one that there is", () => {
  assert.deepEqual(fitted(SMALL, { block: -4, thread: 999, turn: 3 }), { block: 0, thread: 255, turn: 0 });
});

test("a place in the picture leads to the block, the thread or the slot that is drawn there", () => {
  const pick = { block: 40, thread: 37, turn: 0 };
  assert.deepEqual(pickAbove(SMALL.launch, pick, 35, 73), { ...pick, block: 3 });
  assert.deepEqual(pickAbove(SMALL.launch, pick, 35, 93), { ...pick, block: 67 });
  assert.deepEqual(pickAbove(SMALL.launch, pick, 421, 73), { ...pick, thread: 0 });
  assert.deepEqual(pickAbove(SMALL.launch, pick, 433, 83), { ...pick, thread: 33 });
  assert.equal(pickAbove(SMALL.launch, pick, 380, 73), undefined);
  const asked = served(SMALL, pick);
  assert.deepEqual(pickBelow(SMALL, pick, asked, 76 + 22 * 9 + 5, 196 + 25), { ...pick, thread: 41 });
  assert.deepEqual(pickBelow(SMALL, pick, asked, 76 + 22 * 4 + 5, 196 + 100), { ...pick, thread: 36 });
  assert.equal(pickBelow(SMALL, pick, asked, 20, 196 + 100), undefined);
});
