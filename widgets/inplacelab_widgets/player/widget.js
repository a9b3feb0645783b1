// Connects the player with anywidget, its model and the exported page.

import { partOf, stepFor } from "./launch_picker.js";
import { mount } from "./player.js";
import { arrived } from "./unpack.js";
/** @import { Trait } from "./stage.js" */
/** @import { Payload } from "./steps.js" */

/** The delay before a step is sent to the kernel, in ms, so that a dragged slider sends one message, not a hundred. */
const QUIET = 120;

/** Synchronises a model's `step` with the player's. Other widgets of the page follow the model immediately, the kernel after the delay. Until
 * then, a step at which this player has just been is the kernel's echo of an earlier message and is ignored. Any other step means that the
 * reader has stepped in another view, and the waiting message is dropped.
 * @param {any} model @param {(step: number) => void} go */
export function courier(model, go) {
  let timer = 0;
  /** @type {number[]} */
  let sent = [];
  return {
    /** @param {number} step */
    tell(step) {
      clearTimeout(timer);
      sent.push(step);
      timer = setTimeout(() => {
        timer = 0;
        sent = [step];
        model.set("step", step);
        model.save_changes();
      }, QUIET);
      model.set("step", step);
    },
    receive() {
      const step = model.get("step");
      if (timer && sent.includes(step)) return;
      clearTimeout(timer);
      timer = 0;
      go(step);
    },
    stop: () => clearTimeout(timer),
  };
}

/** The model's name of a trait: on the stage, `follow` is a function. @param {string} trait */
const modelName = (trait) => (trait === "thread" ? "follow" : trait);

/** The traits of the model, besides the step, that a player follows. @type {Trait[]} */
const TRAITS = ["language", "mode", "selection", "predict", "answers", "thread"];

const PICKED = ["launch", "block", "turn", "thread"];

/** Wraps a model for the courier, with the played step. Launches are played thread by thread: there the model has the pick, and its `step` is
 * that of the recording. @param {any} model @param {Payload} payload */
export function played(model, payload) {
  if (!payload.launches) return { traits: ["step"], get: () => model.get("step"), set: model.set.bind(model), save_changes: () => model.save_changes() };
  /** @type {number | undefined} */
  let pending;
  return {
    traits: [...PICKED, "step"],
    get: () => pending ?? stepFor(payload, (trait) => model.get(trait)),
    /** @param {string} _ @param {number} step */
    set(_, step) {
      pending = step;
      if (payload.steps[step].at) for (const trait of PICKED) model.set(trait, partOf(payload.steps[step], trait));
      pending = undefined;
    },
    save_changes: () => model.save_changes(),
  };
}

/** The anywidget entry point. If the model gets another payload, it is drawn again. @param {{model: any, el: HTMLElement}} view */
async function render({ model, el }) {
  let shown = draw(model, el);
  const redraw = () => (shown = shown.then((close) => (close(), draw(model, el))));
  model.on("change:_payload", redraw);
  await shown;
  return () => {
    model.off("change:_payload", redraw);
    shown.then((close) => close());
  };
}

/** Whether there is a kernel: a widget of a saved notebook has none. @param {any} model */
const isLive = (model) => model.get("layout")?.comm_live !== false;

/** Draws what the model has. For a long recording that is the first picture, and the kernel is asked for the whole, which takes its place.
 * A widget of a saved notebook has no kernel: it draws nothing then, and the static copy beside it is shown.
 * @param {any} model @param {HTMLElement} el */
async function draw(model, el) {
  const first = await arrived(model.get("_payload"));
  if (first.only === undefined) return drawn(model, el, first).close;
  if (!isLive(model)) return () => {};
  // Of two long programs nothing is there yet.
  let shown = first.later ? { stage: { wanted: undefined }, close() {} } : drawn(model, el, first);
  let isDone = false;
  /** Of a very long recording, the panels of the present step arrive before the whole. @param {any} message */
  async function replace({ whole }) {
    const payload = whole && (await arrived(whole));
    if (!payload || isDone) return;
    isDone = payload.only === undefined;
    if (isDone) model.off("msg:custom", replace);
    const { wanted } = shown.stage;
    shown.close();
    shown = drawn(model, el, payload);
    if (wanted !== undefined) shown.stage.go(wanted);
  }
  model.on("msg:custom", replace);
  model.send({ want: "whole" });
  return () => {
    isDone = true;
    model.off("msg:custom", replace);
    shown.close();
  };
}

/** What plays a payload: of one program, or of two if there are sides; comparison.js adds that. @type {Object<string, (el: HTMLElement, payload: any, options: Object<string, any> & {tell?: (trait: Trait, value: any) => void}) => {follow: any, stage: any, destroy: () => void}>} */
export const PLAYERS = { one: mount };
const mounted = (/** @type {any} */ payload) => PLAYERS[payload.sides ? "two" : "one"];

/** What is said of a trial; without a kernel, of one that has ended. @param {any} model */
function tried(model) {
  const { says, button, ...ended } = model.get("_saving") ?? {};
  return isLive(model) ? { says, button, ...ended } : ended;
}

/** @param {any} model @param {HTMLElement} el @param {Payload} payload */
function drawn(model, el, payload) {
  const hasFocus = el.contains(/** @type {Document} */ (el.getRootNode()).activeElement);
  const steps = played(model, payload);
  const step = courier(steps, (to) => player.follow("step", to));
  const given = Object.fromEntries(["toolbar", ...TRAITS].map((trait) => [trait, model.get(modelName(trait))]));
  const player = mounted(payload)(el, payload, {
    ...given,
    codeAbove: model.get("_code_above") === true,
    tellsAhead: model.get("_tells_ahead") !== false,
    step: steps.get(),
    followed: () => model.get("step"),
    trial: () => (isLive(model) && model.get("_trial")) || [],
    saving: () => tried(model),
    save: () => model.send({ want: "savings" }),
    press: () => model.send({ want: "trial" }),
    tell(trait, value) {
      if (trait === "step") return step.tell(value);
      // The model of launches has no mode, and nothing to select.
      if (payload.launches && trait !== "language") return;
      model.set(modelName(trait), value);
      model.save_changes();
    },
  });
  /** @type {Object<string, () => void>} */
  const followers = Object.fromEntries(steps.traits.map((trait) => [trait, step.receive]));
  for (const trait of TRAITS) followers[modelName(trait)] ??= () => player.follow(trait, model.get(modelName(trait)));
  followers._trial = followers._saving = () => player.stage.show();
  if (hasFocus) player.stage.root.focus({ preventScroll: true });
  for (const [trait, follower] of Object.entries(followers)) model.on(`change:${trait}`, follower);
  function close() {
    step.stop();
    player.destroy();
    for (const [trait, follower] of Object.entries(followers)) model.off(`change:${trait}`, follower);
  }
  return { stage: player.stage, close };
}

/** What the address of a page asks for, as in `#step=7&panel=elements`: the step as the page counts it, by event from 1, and the panel or pane.
 * @param {string} hash @returns {{step?: number, panel?: string}} */
export function asked(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const [step, panel] = [given.get("step") ?? "", given.get("panel")];
  return { ...(/^[1-9]\d*$/.test(step) ? { step: Number(step) - 1 } : {}), ...(panel ? { panel } : {}) };
}

/** When what was drawn has been painted; a page that is not seen paints nothing. */
const painted = () => new Promise((resolve) => (document.hidden ? resolve(null) : requestAnimationFrame(() => setTimeout(resolve))));

/** The entry point of an exported page. @param {HTMLElement} el @param {any} sent  The payload, which may be on its way, or that of the first picture.
 * @param {any} options @param {() => Promise<string>} [whole]  Returns the payload: it is read when the first picture has been painted. */
async function play(el, sent, options, whole) {
  let payload = await arrived(sent);
  // The first picture has no step or panel but those at which the page opens.
  if (whole && payload.only !== undefined && location.hash) payload = await arrived(whole());
  const step = payload.launches ? stepFor(payload, (trait) => options[trait]) : options.step;
  const given = { ...options, step, followed: () => options.step };
  let player = mounted(payload)(el, payload, { ...given, tell: (trait, value) => (given[trait] = value) });
  if (payload.launches) return;
  if (whole && payload.only !== undefined) {
    // Where there is room for all panes, the first picture has not all that is seen.
    const isAll = [...el.querySelectorAll(".ipl-closed")].every((pane) => getComputedStyle(pane).visibility === "hidden");
    if (isAll) await painted();
    else player.stage.root.style.display = "none";
    payload = await arrived(whole());
    const hasFocus = el.contains(document.activeElement);
    const { wanted } = player.stage;
    const pane = el.querySelector(".ipl-tab[aria-pressed=true]")?.getAttribute("data-pane");
    player.destroy();
    player = mounted(payload)(el, payload, given);
    if (hasFocus) player.stage.root.focus({ preventScroll: true });
    if (pane) player.stage.open(pane);
    if (wanted !== undefined) player.stage.go(wanted);
  }
  const goThere = () => {
    const { step, panel } = asked(location.hash);
    if (step !== undefined) player.follow("step", step);
    if (panel) player.stage.open(panel);
  };
  goThere();
  addEventListener("hashchange", goThere);
}

/** Plays a payload that has arrived, on a page that has other things beside it. @param {HTMLElement} el @param {any} payload @param {any} options  As for `mount`. */
export const playIn = (el, payload, options) => mounted(payload)(el, payload, options);

export default { render, play };
