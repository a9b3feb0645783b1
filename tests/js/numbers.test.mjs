// Numbers in the lens look as Python writes them: tests/widgets/test_lens_values.py reads the same cases.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { number } from "../../widgets/inplacelab_widgets/player/linking.js";

const cases = JSON.parse(readFileSync(new URL("./number_cases.json", import.meta.url), "utf8"));

for (const [value, said, withExponent, sent] of cases) {
  test(`${value} is written ${said}`, () => assert.deepEqual([number(sent), number(sent, true)], [said, withExponent]));
}

test("what JSON cannot carry comes as words", () => {
  assert.deepEqual(["nan", "-inf", "1+2j", "0.123456-1e9j"].map((words) => number(words)), ["nan", "-inf", "1+2j", "0.123-1e9j"]);
});
