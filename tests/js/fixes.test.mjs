// The fixed program. Run with: node --test tests/js

import assert from "node:assert/strict";
import { test } from "node:test";

import { programOf } from "../../widgets/inplacelab_widgets/player/fixes.js";

test("a fixed program is copied as text", () => {
  assert.equal(programOf({ says: 0, lines: [["a = 1", false], ["    b = 2", true]] }), "a = 1\n    b = 2\n");
});
