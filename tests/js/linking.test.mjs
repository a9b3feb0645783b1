// From elements to slots and back, compared with brute force and against Python's answers in linking_cases.json.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { elementName, elementsAt, formula, holds, positionOf, slotFacts, slotOf, slotsBetween, slotsOf, spanOf } from "../../widgets/inplacelab_widgets/player/linking.js";
import { linker } from "../../widgets/inplacelab_widgets/player/hover.js";

const CASES = JSON.parse(readFileSync(new URL("./linking_cases.json", import.meta.url), "utf-8"));

/** Numbers that look random and are the same in every run. */
function* numbers(seed) {
  for (;;) yield (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
}

function* layouts(count) {
  const draw = numbers(7);
  const between = (low, high) => low + Math.floor(draw.next().value * (high - low + 1));
  for (let k = 0; k < count; k += 1) {
    const shape = Array.from({ length: between(0, 4) }, () => between(0, 4));
    const layout = { storage: 0, shape, strides: shape.map(() => between(-9, 9)), offset: between(0, 40), name: "x" };
    yield between(0, 3) ? layout : { ...layout, bytes: [[2, 4], [8, 4], [1, 8]][between(0, 2)] };
  }
}

/** [first, one past the last] of the slots under an element. */
const slotsUnder = (layout, index) => {
  const [start, end] = spanOf(layout, positionOf(layout, index));
  return [Math.floor(start), Math.ceil(end)];
};

const indices = (shape) => shape.reduce((found, size) => found.flatMap((index) => Array.from({ length: size }, (_, i) => [...index, i])), [[]]);

test("elements, slots and reach are those that Python finds", () => {
  assert.ok(CASES.length >= 50);
  for (const { layout, elements, reached } of CASES) {
    assert.deepEqual(indices(layout.shape), elements.map(([index]) => index));
    for (const [index, first, end] of elements) {
      assert.equal(slotOf(layout, index), first);
      assert.deepEqual(slotsUnder(layout, index), [first, end]);
    }
    assert.deepEqual(slotsOf(layout), reached.flatMap(([start, stop]) => Array.from({ length: stop - start }, (_, k) => start + k)));
    for (const slot of slotsOf(layout)) {
      const there = elements.filter(([, first, end]) => first <= slot && slot < end).map(([index]) => index);
      assert.deepEqual(elementsAt(layout, slot), there);
    }
  }
});

test("the elements on a slot are those that brute force finds, for any strides", () => {
  for (const layout of layouts(400)) {
    const all = indices(layout.shape).map((index) => ({ index, under: slotsUnder(layout, index) }));
    for (let slot = -45; slot < 160; slot += 1) {
      const expected = all.filter(({ under: [first, end] }) => first <= slot && slot < end).map(({ index }) => index);
      assert.deepEqual(elementsAt(layout, slot), expected, JSON.stringify({ layout, slot }));
    }
  }
});

test("a search can be limited, and a large tensor is no work", () => {
  const expanded = { storage: 0, shape: [1000, 1000], strides: [0, 0], offset: 3, name: "x" };
  assert.equal(elementsAt(expanded, 3, 64).length, 64);
  assert.deepEqual(elementsAt(expanded, 2, 64), []);
  const large = { storage: 0, shape: [1000, 1000, 1000], strides: [1000000, 1000, 1], offset: 0, name: "x" };
  assert.deepEqual(elementsAt(large, 123456789), [[123, 456, 789]]);
});

test("the formula has the numbers in it, without the axes that do not matter", () => {
  const layout = { storage: 1, shape: [2, 3], strides: [4, 2], offset: 1, name: "b" };
  assert.equal(formula(layout, [1, 2]), "1 + 4·1 + 2·2");
  assert.equal(slotOf(layout, [1, 2]), 9);
  assert.equal(formula({ ...layout, shape: [1, 3], strides: [4, -2] }, [0, 2]), "1 − 2·2");
  assert.equal(formula({ ...layout, strides: [0, 1] }, [1, 2]), "1 + 1·2");
  assert.equal(formula({ ...layout, shape: [], strides: [] }, []), "1");
});

test("slots between two places, whole or in part", () => {
  assert.deepEqual(slotsBetween(2, 4), [2, 3]);
  assert.deepEqual(slotsBetween(2.5, 3), [2]);
  assert.deepEqual(slotsBetween(2.5, 3.5), [2, 3]);
});

test("names of elements", () => {
  assert.equal(elementName({ name: "b" }, [1, 2]), "b[1,2]");
  assert.equal(elementName({ name: "loss" }, []), "loss");
});

test("runs hold what lies between their ends", () => {
  assert.ok(holds([0, 2, 5, 6], [5]));
  assert.ok(holds([0, 2, 5, 6], [9, 1]));
  assert.ok(!holds([0, 2, 5, 6], [2, 4, 6]));
  assert.ok(!holds([], [0]));
});

// `b` is [2, 3] on S1 from step 1; `v` is its second column from step 2 and goes at step 4; node 7 keeps all of it in steps 2 to 4.
const WORDS = {
  link_element: ["`{element}` is slot {sum} of {storage}", "`{element}` 是 {storage} 的 {sum}"],
  link_bytes: "`{element}` is at {sum}, slot {slot} of {storage}",
  link_tensor: "{name} on {storage}: {shape} {strides} {offset}",
  link_slot: "slot {slot} of {storage}: {elements}",
  link_unread: "slot {slot} of {storage}: nobody",
  link_shared: "with {elements}",
  link_more: " and {count} more",
  link_kept: "kept by {nodes}",
  link_line: "line {lines}",
  link_lines: "lines {lines}",
  comma: [", ", "、"],
  semicolon: "; ",
};
const PAYLOAD = {
  words: WORDS,
  pages: [],
  said: ["", "MultiplyGradNode"],
  layouts: [[1, [2, 3], [3, 1], 0, "b"], [1, [2], [3], 1, "v"], [1, [2, 3], [3, 1], 0, "x"], [1, [12], [1], 0, "h", [2, 4]], [1, [9, 1], [0, 1], 5, "e"]],
  tensors: [[1, [1, 0]], [2, [2, 1, 4, -1]], [3, [5, 3]], [4, [6, 4]]],
  kept: [["p7:1:0", 1, [2, 2, 5, -1]], ["p7:1:0", 1, [2, 2, 5, -1]]],
  writes: [[1, 1, 1, [0, 6]], [3, 4, 1, [1, 2, 4, 5]], [4, 1, 1, [0, 1]], [4, null, 1, [0, 6]]],
};

test("an element lights up its slot, who shares it, who keeps it, and the lines that wrote it", () => {
  const { keys, lines, says } = linker(PAYLOAD).related("t1:1,1", 3);
  assert.deepEqual([...keys].sort(), ["n7", "p7:1:0", "s1:4", "t1", "t1:1,1", "t2", "t2:1"]);
  assert.deepEqual([...lines], [1, 4]);
  assert.deepEqual(says, [
    "`b[1,1]` is slot 0 + 3·1 + 1·1 = 4 of S1; with `v[1]`; kept by MultiplyGradNode; lines 1, 4",
    "`b[1,1]` 是 S1 的 0 + 3·1 + 1·1 = 4; with `v[1]`; kept by MultiplyGradNode; lines 1、4",
  ]);
});

test("what is known is what is there at the step", () => {
  const link = linker(PAYLOAD);
  assert.deepEqual([...link.related("t1:1,1", 1).keys].sort(), ["s1:4", "t1", "t1:1,1"]);
  assert.deepEqual([...link.related("t1:1,1", 2).lines], [1]);
  assert.deepEqual(link.sharers(4, 1, 4, 5).map(({ element }) => element), ["b[1,1]"]);
  assert.deepEqual(link.sharers(0, 1, 4, 5), []);
  assert.deepEqual(link.related("t2:0", 4), { keys: new Set(["t2:0"]), lines: new Set(), says: "" });
  assert.deepEqual([...link.writersOf(4, 1)], [1, 4]);
  assert.deepEqual([...link.writersOf(4, 1, [5])], [1]);
});

test("a slot says who reads it, and many are counted", () => {
  const link = linker(PAYLOAD);
  assert.equal(link.related("s1:4 s1 t1 t2", 3).says[0], "slot 4 of S1: `b[1,1]`, `v[1]`; kept by MultiplyGradNode; lines 1, 4");
  assert.equal(link.related("s1:4", 0).says[0], "slot 4 of S1: nobody");
  assert.equal(link.related("s1:5", 6).says[0], "slot 5 of S1: `b[1,2]`, `h[10]`, `h[11]`, `e[0,0]`, `e[1,0]` and 7 more; line 1");
});

test("of a number that the picture rounds, all digits are read out", () => {
  const pages = [{ key: "s1", slots: 6, exponent: false, moments: [[1, [[4, [0.08214637, 0.5]]]]] }];
  const link = linker({ ...PAYLOAD, pages, words: { ...WORDS, link_value: ["value {value}", "值 {value}"] } });
  assert.match(link.related("s1:4", 2).says[0], /^value 0\.08214637; slot 4/);
  assert.match(link.related("t1:1,1", 2).says[1], /^值 0\.08214637; /);
  assert.match(link.related("s1:5", 2).says[0], /^slot 5/);
});

test("a tensor that reads the bytes as another dtype says where it stands", () => {
  const { keys, says } = linker(PAYLOAD).related("t3:9", 5);
  assert.equal(says[0], "`h[9]` is at 0 + 1·9 = 9, slot 4 of S1; with `b[1,1]`; lines 1, 4");
  assert.ok(keys.has("t3:9") && !keys.has("t3:8") && keys.has("t1:1,1"));
});

test("a tensor and a pin light up their slots, and anything else itself", () => {
  const link = linker(PAYLOAD);
  assert.deepEqual([...link.related("t2 n3", 3).keys], ["t2", "n3", "s1:1", "s1:4"]);
  assert.deepEqual([...link.related("t2", 3).lines], [1, 4]);
  assert.equal(link.related("t2", 3).says[1], "v on S1: [2] [3] 1; lines 1、4");
  assert.equal(link.related("t2", 4).says, "");
  assert.ok(link.related("p7:1:0 n7 s1", 3).keys.has("s1:5"));
  assert.deepEqual([...link.related("s1", 3).lines], [1, 4]);
  assert.deepEqual(link.related("n7 t1", 3), { keys: new Set(["n7", "t1"]), lines: new Set(), says: "" });
  assert.deepEqual(link.related("", 3), { keys: new Set(), lines: new Set(), says: "" });
  assert.equal(slotFacts(PAYLOAD).keepers(3, 1, [4]).length, 2);
});
