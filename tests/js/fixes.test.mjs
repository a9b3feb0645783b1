// The fixed program. Run with: node --test tests/js

import assert from "node:assert/strict";
import { test } from "node:test";

import { offered, programOf } from "../../widgets/inplacelab_widgets/player/fixes.js";

test("a fixed program is copied as text", () => {
  assert.equal(programOf({ says: 0, lines: [["a = 1", false], ["    b = 2", true]] }), "a = 1\n    b = 2\n");
});

test("fixes that were not tried have words and a button where they can be tried, in the reader's language", () => {
  const trial = [["To check:", "检验："], ["Try these fixes", "尝试这些改法"]];
  assert.deepEqual(offered("Show it fixed", trial, "en"), ["Show it fixed", "To check:", "Try these fixes"]);
  assert.deepEqual(offered("", trial, "zh"), ["", "检验：", "尝试这些改法"]);
  assert.deepEqual(offered("", [], "en"), [""]);
});
