import assert from "node:assert/strict";
import { test } from "node:test";

import { makeMotion } from "../../widgets/inplacelab_widgets/player/panel.js";

/** Whether there is motion at each of some steps: [ms, whether it is the next one]. */
function motionsAt(context, steps) {
  let now = 0;
  context.mock.method(performance, "now", () => now);
  const found = [];
  const move = makeMotion({ toggleAttribute: (name, isSwift) => found.push(!isSwift) });
  for (const [at, isNext] of steps) {
    now = at;
    move(isNext);
  }
  return found;
}

test("one slow step after the other has motion", (context) => {
  assert.deepEqual(motionsAt(context, [[0, true], [500, true], [1500, true]]), [true, true, true]);
});

test("steps that come fast have none, and the next slow one has it again", (context) => {
  assert.deepEqual(motionsAt(context, [[0, true], [100, true], [200, true], [900, true]]), [true, false, false, true]);
});

test("a jump has none, however long it was waited for", (context) => {
  assert.deepEqual(motionsAt(context, [[0, false], [5000, false]]), [false, false]);
});
