// A step as a link, a card and Markdown. Run with: node --test tests/js

import assert from "node:assert/strict";
import { test } from "node:test";

import { firstRow, planned, wrapped } from "../../widgets/inplacelab_widgets/player/share.js";
import { inMarkdown, marked, safe } from "../../widgets/inplacelab_widgets/player/share.js";
import { linkTo, nameOf } from "../../widgets/inplacelab_widgets/player/share.js";

test("a link leads to a step as the page counts it, and keeps the rest of the address", () => {
  assert.equal(linkTo("file:///a/page.html", 0), "file:///a/page.html#step=1");
  assert.equal(linkTo("https://example.org/p?x=1#step=9&panel=elements", 6), "https://example.org/p?x=1#step=7");
});

test("a title becomes a file name for every system", () => {
  assert.equal(nameOf("one_write.py"), "one_write");
  assert.equal(nameOf("a/b\\c: <d>|?*\n"), "a-b-c-d");
  assert.equal(nameOf("视图 1"), "视图-1");
  assert.equal(nameOf("../.."), "step");
  assert.equal(nameOf("x".repeat(300)).length, 60);
});

test("what a program wrote means nothing in Markdown", () => {
  assert.equal(safe("a*b | <img> `x` _y_ a_b"), "a\\*b \\| &lt;img> \\`x\\` \\_y\\_ a_b");
  assert.equal(safe("1. first"), "&#49;. first");
  assert.equal(safe("# head\n- item"), "\\# head - item");
  assert.equal(safe("[a](https://x.org) me@x.org www.x.org"), "[a]\\(https&#58;//x.org) me&#64;x.org www&#46;x.org");
  assert.equal(safe("&amp;"), "&amp;amp;");
});

test("the code of a sentence stays code", () => {
  assert.equal(inMarkdown("`a*b` wrote *x* and ` alone"), "`a*b` wrote \\*x\\* and &#96; alone");
});

test("the line of the step has a comment, unless it goes on", () => {
  assert.deepEqual(marked(["a = 1", "b = 2"], 2, "this step"), ["a = 1", "b = 2  # ← this step"]);
  assert.deepEqual(marked(["a = \\", "  2"], 1, "this step"), ["a = \\", "  2"]);
  assert.deepEqual(marked(["a = 1"], null, "this step"), ["a = 1"]);
});

const fits = (/** @type {number} */ most) => (/** @type {string} */ text) => text.length <= most;

test("a sentence is broken at blanks and between Chinese characters, and nothing is lost", () => {
  assert.deepEqual(wrapped("wrote slot 1 of S0", fits(10)), ["wrote slot", "1 of S0"]);
  assert.deepEqual(wrapped("读写，完成", fits(3)), ["读写，", "完成"]);
  assert.deepEqual(wrapped("", fits(3)), [""]);
  const said = "第 4 行的 scale_ 经由 row 写入了 S0 的第 1、5 和 9 号槽位。";
  assert.equal(wrapped(said, fits(7)).join("").replaceAll(" ", ""), said.replaceAll(" ", ""));
});

test("the picture is beside the code, or below it where it is much larger there", () => {
  const high = planned(6, 6, { width: 300, height: 200 }, 480);
  assert.deepEqual(high, { isBelow: false, rows: 6, scale: 2.2 });
  const wide = planned(6, 4, { width: 1100, height: 100 }, 480);
  assert.deepEqual([wide.isBelow, wide.rows], [true, 4]);
  assert.equal(planned(0, 0, { width: 300, height: 200 }, 480).isBelow, true);
  assert.deepEqual(planned(99, 99, null, 270), { isBelow: false, rows: 10, scale: 1 });
  for (const size of [{ width: 5000, height: 30 }, { width: 30, height: 5000 }, { width: 800, height: 900 }]) {
    const { isBelow, rows, scale } = planned(40, 30, size, 480);
    assert.ok(size.width * scale <= (isBelow ? 1120 : 692) + 1e-6);
    assert.ok(size.height * scale + (isBelow ? rows * 27 + 28 : 0) <= 480 + 1e-6);
  }
});

test("of a long program the rows around the line are shown", () => {
  const rows = Array.from({ length: 50 }, (_, k) => ({ line: k + 1 }));
  assert.equal(firstRow(rows, 25, 5), 22);
  assert.equal(firstRow(rows, 1, 5), 0);
  assert.equal(firstRow(rows, 50, 5), 45);
  assert.equal(firstRow(rows, null, 5), 0);
  assert.equal(firstRow(rows.slice(0, 3), 2, 3), 0);
});
