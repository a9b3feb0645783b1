// Plays the steps at a pace that the reader chooses.

/** @import { Stage } from "./stage.js" */

/** Steps per second. */
export const PACES = [0.5, 1, 2, 4, 8];

/** @param {Stage} stage @param {() => void} changed  Called when it starts, stops or changes pace. */
export function makePace(stage, changed) {
  let timer = 0;
  let chosen = 1;
  const isLast = () => stage.step >= stage.stops[stage.stops.length - 1];

  function start() {
    timer = window.setInterval(advance, 1000 / PACES[chosen]);
    stage.root.toggleAttribute("data-hurried", PACES[chosen] > 1);
    changed();
  }

  function advance() {
    if (isLast() || !stage.reach("next") || isLast()) stop();
  }

  function stop() {
    if (!timer) return;
    window.clearInterval(timer);
    timer = 0;
    stage.root.removeAttribute("data-hurried");
    changed();
  }

  function toggle() {
    if (timer) return stop();
    if (isLast()) stage.reach("first");
    start();
  }

  /** Changes the pace by so many places in `PACES`. @param {number} by */
  function change(by) {
    chosen = Math.max(0, Math.min(PACES.length - 1, chosen + by));
    if (timer) {
      window.clearInterval(timer);
      start();
    } else changed();
  }

  return { toggle, stop, change, isPlaying: () => timer > 0, perSecond: () => PACES[chosen], isFastest: () => chosen === PACES.length - 1 };
}
