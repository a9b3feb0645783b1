// The player as a notebook widget: what anywidget calls, and the post between the player and its model; and as a page.

import { mount } from "./player.js";
import { arrived } from "./unpack.js";

/** How long to wait before telling the kernel of a step, in ms: a dragged slider sends one message, not a hundred. */
const QUIET = 120;

/** Keeps a model's `step` and a player's in step. Other widgets of the page follow the model at once, the kernel when there is
 * quiet. Until then, a step at which this player has just been is no news: it is the kernel's echo of what it was told before.
 * Any other step is: the reader has gone on in another view, and what waits to be sent is out of date.
 * @param {any} model @param {(step: number) => void} go */
export function courier(model, go) {
  let timer = 0;
  /** @type {number[]} */
  let told = [];
  return {
    /** @param {number} step */
    tell(step) {
      clearTimeout(timer);
      told.push(step);
      timer = setTimeout(() => {
        timer = 0;
        told = [step];
        model.set("step", step);
        model.save_changes();
      }, QUIET);
      model.set("step", step);
    },
    hear() {
      const step = model.get("step");
      if (timer && told.includes(step)) return;
      clearTimeout(timer);
      timer = 0;
      go(step);
    },
    stop: () => clearTimeout(timer),
  };
}

/** What the model calls a trait: on the stage, to follow is what a player does. @param {string} trait */
const modelName = (trait) => (trait === "thread" ? "follow" : trait);

/** The anywidget entry point. @param {{model: any, el: HTMLElement}} view */
async function render({ model, el }) {
  const payload = await arrived(model.get("_payload"));
  const step = courier(model, (to) => player.follow("step", to));
  const given = Object.fromEntries(["step", "language", "mode", "selection", "predict", "answers", "toolbar", "thread"].map((trait) => [trait, model.get(modelName(trait))]));
  const player = mount(el, payload, {
    ...given,
    tell(trait, value) {
      if (trait === "step") return step.tell(value);
      model.set(modelName(trait), value);
      model.save_changes();
    },
  });
  const followers = { step: step.hear };
  for (const trait of ["language", "mode", "selection", "predict", "answers", "thread"]) followers[trait] = () => player.follow(trait, model.get(modelName(trait)));
  for (const trait of Object.keys(followers)) model.on(`change:${modelName(trait)}`, followers[trait]);
  return () => {
    step.stop();
    player.destroy();
    for (const trait of Object.keys(followers)) model.off(`change:${modelName(trait)}`, followers[trait]);
  };
}

/** What an exported page calls. @param {HTMLElement} el @param {any} payload  As it travels. @param {Object} options */
async function play(el, payload, options) {
  mount(el, await arrived(payload), options);
}

export default { render, play };
