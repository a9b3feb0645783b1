// Handles keys while the focus is inside the player, and on a page of its own also while nothing has the focus. All other keys are
// passed on to the page.

import { focusCell } from "./notebook.js";
import { actionOf } from "./steps.js";
/** @import { Stage } from "./stage.js" */

/** @type {Object<string, RegExp>} */
const OWN_KEYS = { BUTTON: /^( |Enter)$/, SUMMARY: /^( |Enter)$/, SELECT: /^(?!Escape)/, TEXTAREA: /^(?!Escape)/ };
/** @type {Object<string, RegExp>} */
const INPUT_KEYS = { range: /^Arrow(Up|Down)$/, checkbox: /^( |Enter)$/ };

/** Whether a key belongs to the control that has the focus: a text field keeps all but Escape.
 * @param {{tagName: string, type?: string}} control @param {string} key */
export function isTaken({ tagName, type = "" }, key) {
  const own = tagName === "INPUT" ? (INPUT_KEYS[type] ?? OWN_KEYS.TEXTAREA) : OWN_KEYS[tagName];
  return own !== undefined && own.test(key);
}

/** @param {Stage} stage @param {{help: {close: () => boolean, toggle: () => void}, keepers: {close: () => boolean}, origins?: {close: () => boolean, toggle: () => void, walk: (forward: boolean) => void}, fixes: {close: () => boolean}, share: {close: () => boolean} | null, present: {leave: () => boolean, toggle: () => void}, pace: {stop: () => void, toggle: () => void, change: (by: number) => void}}} controls */
export function followKeys(stage, { help, keepers, origins, fixes, share, present, pace }) {
  /** @type {Object<string, (at: HTMLElement) => void>} */
  const deeds = {
    play: pace.toggle,
    faster: () => pace.change(1),
    slower: () => pace.change(-1),
    mode: () => changeMode(stage),
    present: present.toggle,
    predict: () => stage.payload.predict && stage.choose("predict", !stage.predict),
    help: help.toggle,
    back: () => origins?.walk(false),
    onward: () => origins?.walk(true),
    origins: () => origins?.toggle(),
    openGraph: () => stage.open("graph"),
    openHistory: () => stage.open("history"),
    openElements: () => stage.open("elements"),
    // Close one layer at a time: the top one first, the player itself last.
    leave(at) {
      if (help.close() || keepers.close() || origins?.close() || fixes.close() || share?.close() || present.leave()) return;
      if (stage.selection) stage.choose("selection", "");
      else if (!focusCell(stage.root)) at.blur();
    },
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const at = /** @type {HTMLInputElement} */ (event.target);
    const action = actionOf(event);
    if (!action || isTaken(at, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (Object.hasOwn(deeds, action)) return deeds[action](at);
    pace.stop();
    stage.reach(action);
  };
  stage.root.addEventListener("keydown", press);
  if (stage.root.matches(".ipl-standalone, .ipl-fills")) {
    const page = stage.root.ownerDocument;
    page.addEventListener("keydown", (event) => {
      if (event.target === page.body) press(event);
    });
  }
}

/** Switches between steps by event and by line. By line, a step is a whole line: from within one, the player goes to its end. A shortened recording has no events. @param {Stage} stage */
export function changeMode(stage) {
  if (stage.payload.shortened) return;
  stage.choose("mode", stage.mode === "line" ? "event" : "line");
  const end = stage.stops.find((stop) => stop >= stage.step);
  if (end !== undefined) stage.go(end);
}
