// The map of a large graph. Run with: node --test tests/js

import assert from "node:assert/strict";
import { test } from "node:test";

import { dotsOf, isOfUse, onMap, scaleOf, scrolledBy, stateOf } from "../../widgets/inplacelab_widgets/player/minimap.js";

const PAYLOAD = {
  styles: ["ipl-node", "ipl-node ipl-waiting", "ipl-node ipl-new ipl-failed", "ipl-text"],
  looks: [[0], [1], [2], [3]],
};
const PANEL = {
  groups: [
    {
      x: 10,
      y: 5,
      marks: [
        ["rect", { x: 1, y: 2, width: 30, height: 20 }, [3, 0, 5, 1, 7, 2, 9, -1]],
        ["rect", { x: 1, y: 2, width: 9, height: 9 }, [0, 3]],
        ["text", { x: 1, y: 2 }, [0, 3]],
      ],
    },
  ],
};

test("every box of the graph is a dot, and nothing else is", () => {
  const dots = dotsOf(PANEL, PAYLOAD);
  assert.equal(dots.length, 1);
  assert.deepEqual([dots[0].x, dots[0].y, dots[0].width, dots[0].height], [11, 7, 30, 20]);
});

test("a dot shows the most urgent state of its box, and is gone with it", () => {
  const [dot] = dotsOf(PANEL, PAYLOAD);
  assert.deepEqual([0, 3, 5, 7, 9].map((step) => stateOf(dot, step, PAYLOAD)), ["", "plain", "waiting", "failed", ""]);
});

test("the map fits its room and never enlarges", () => {
  assert.equal(scaleOf({ width: 8000, height: 80 }, 800), 0.1);
  assert.equal(scaleOf({ width: 400, height: 300 }, 800), 0.1);
  assert.equal(scaleOf({ width: 400, height: 20 }, 800), 1);
  assert.equal(scaleOf({ width: 400, height: 300 }, 800, 2), 0.2, "on a projector it is as large as the graph");
});

test("there is a map where scrolling would be long, and where it is not a scribble", () => {
  const isMapped = (width, height) => isOfUse({ width, height }, 800, 170);
  assert.equal(isMapped(700, 160), false, "all of it is seen");
  assert.equal(isMapped(1000, 160), false, "a little to scroll");
  assert.equal(isMapped(1400, 160), true);
  assert.equal(isMapped(980, 1100), false, "thirty pixels high, it would be as narrow");
  assert.equal(isOfUse({ width: 1400, height: 160 }, 0, 170), false, "the pane is closed");
  assert.equal(isOfUse({ width: 1400, height: 160 }, 800, 110), false, "it would cover the nodes");
  assert.equal(isOfUse({ width: 1400, height: 86 }, 800, 110), true, "it is not scrolled up and down");
});

test("a dot stays large enough to be seen", () => {
  assert.deepEqual(onMap({ x: 1000, y: 100, width: 200, height: 50 }, 0.01), { x: 10, y: 1, width: 3, height: 3 });
});

test("arrow keys scroll by half of what is seen, and stop at the ends", () => {
  const view = { left: 100, top: 0, width: 800, height: 200 };
  const graph = { width: 2000, height: 150 };
  assert.deepEqual(scrolledBy("ArrowRight", view, graph), { left: 500, top: 0 });
  assert.deepEqual(scrolledBy("ArrowLeft", view, graph), { left: 0, top: 0 });
  assert.deepEqual(scrolledBy("End", view, graph), { left: 1200, top: 0 });
  assert.deepEqual(scrolledBy("Home", view, graph), { left: 0, top: 0 });
  assert.deepEqual(scrolledBy("ArrowDown", view, graph), { left: 100, top: 0 });
  assert.equal(scrolledBy("b", view, graph), null);
});
