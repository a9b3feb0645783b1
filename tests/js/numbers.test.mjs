// Numbers in the lens look as Python writes them: tests/widgets/test_lens_values.py reads the same cases.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { number } from "../../widgets/inplacelab_widgets/player/linking.js";

const cases = JSON.parse(readFileSync(new URL("./number_cases.json", import.meta.url), "utf8"));

for (const [value, said, sent] of cases) test(`${value} is written ${said}`, () => assert.equal(number(sent), said));

test("what JSON cannot carry comes as words", () => {
  assert.deepEqual(["nan", "-inf", "1+2j"].map(number), ["nan", "-inf", "1+2j"]);
});
