// The controls: step back and forth, play at a pace, the slider, the step mode, the language.

import { html, icon, label, put, sign, speakOther, write } from "./dom.js";
import { changeMode } from "./keyboard.js";
import { numbered, placeOf, speak, stopsOf } from "./steps.js";
/** @import { Part, Stage } from "./stage.js" */
/** @import { Payload, Step } from "./steps.js" */

// Plays the steps at a pace that the reader chooses.

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
    if (isLast() || !stage.reach("into") || isLast()) stop();
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

// The track under the slider: the phases of the program, the turns of its loops, and the steps at which something unusual happened.

/** The least distance between the names of two turns of loops, in px. */
const APART = 6;

/** Where a stop is on the track, as a part of its length. @param {number} place @param {number} count */
export const along = (place, count) => (count < 2 ? 0 : Math.max(0, Math.min(1, place / (count - 1))));

/** The stretches of stops of one phase: [phase, first, last]. @param {Step[]} steps @param {number[]} stops @returns {[string, number, number][]} */
export function phasesOf(steps, stops) {
  /** @type {[string, number, number][]} */
  const found = [];
  for (const [place, stop] of stops.entries()) {
    const last = found[found.length - 1];
    if (last?.[0] === steps[stop].phase) last[2] = place;
    else found.push([steps[stop].phase, place, place]);
  }
  return found;
}

/** The turns of loops around a step, the outermost first. @param {Payload} payload @param {number} step */
export const turnsAt = ({ loops = [] }, step) => loops.filter(([, , , first, last]) => first <= step && step <= last);

/** The turns that are in no other. @param {number[][]} loops  Those of a loop come after the one that they are in. */
export function outermost(loops) {
  let end = -1;
  return loops.filter(([, , , first, last]) => {
    const isOuter = first > end;
    if (isOuter) end = last;
    return isOuter;
  });
}

/** The names that are written, so that each is whole: none meets another, or the end of the track. Those of the lowest rank come first.
 * @template {{left: number, width: number, rank: number}} Name @param {Name[]} names @param {number} room @returns {Set<Name>} */
export function written(names, room) {
  /** @type {Set<Name>} */
  const kept = new Set();
  const areApart = (/** @type {Name} */ one, /** @type {Name} */ other) => one.left + one.width + APART <= other.left;
  for (const name of [...names].sort((one, other) => one.rank - other.rank)) {
    if (name.left + name.width <= room && [...kept].every((other) => areApart(name, other) || areApart(other, name))) kept.add(name);
  }
  return kept;
}

/** "epoch 2 of 5". @param {Stage} stage @param {number[]} turn */
const turnWords = (stage, [says, number, count]) => stage.word(count ? "iteration_of" : "iteration", { name: speak(stage.payload.said[says], stage.language), number, count });

/** @param {Stage} stage @param {HTMLInputElement} slider @param {(step: number) => void} go @returns {{root: HTMLElement, show: () => void, translate: () => void}} */
function drawTrack(stage, slider, go) {
  const { steps, unusual = [] } = stage.payload;
  const loops = outermost(stage.payload.loops ?? []);
  const below = html("div", { class: "ipl-below-slider", "aria-hidden": "true" });
  const root = html("div", { class: "ipl-track" }, slider, below);
  /** @type {number[]} */
  let drawn = [];
  let isLaidOut = false;

  /** @param {string} style @param {number} from @param {number} to @param {string} title @param {string} [words] */
  function stretch(style, from, to, title, words = "") {
    const part = html("span", { class: style, title }, words);
    part.style.left = `${100 * from}%`;
    if (!words) part.style.width = `${100 * Math.max(0, to - from)}%`;
    return part;
  }

  function draw() {
    const { stops } = stage;
    const count = stops.length;
    const edge = (/** @type {number} */ place) => along(place - 0.5, count);
    const phases = phasesOf(steps, stops).map(([phase, first, last]) => stretch(`ipl-phase ipl-phase-${phase}`, edge(first), edge(last + 1), stage.word(phase)));
    const turns = loops.map((turn) => stretch("ipl-turn", edge(placeOf(turn[3], stops)), 0, "", turnWords(stage, turn)));
    const signs = unusual.map(([step, role]) => {
      const place = placeOf(step, stops);
      const sign = stretch(`ipl-sign ipl-sign-${role}`, along(place, count), 0, `${stage.word(`story_${role}`)} · ${stage.lineWords(steps[step].line ?? 0)}`);
      sign.addEventListener("click", () => go(stops[place]));
      return sign;
    });
    below.replaceChildren(...phases, ...turns, ...signs);
    drawn = stops;
    if (isLaidOut) leaveOut(turns);
  }

  /** Leaves out the names that have no room. It measures, for which the browser lays out the page. @param {HTMLElement[]} turns */
  function leaveOut(turns) {
    // The first and the last turn of a loop before those between them, and outer loops before inner ones.
    const names = loops.map(([, number, count, , , depth], k) => ({ turn: turns[k], left: turns[k].offsetLeft, width: turns[k].offsetWidth, rank: 2 * depth + Number(number !== 1 && number !== count) }));
    const kept = written(names, below.clientWidth);
    for (const name of names) if (!kept.has(name)) name.turn.textContent = "";
  }

  new ResizeObserver(() => {
    isLaidOut = true;
    draw();
  }).observe(below);
  return {
    root,
    show() {
      if (drawn !== stage.stops) draw();
    },
    translate: draw,
  };
}

// The controls: step back and forth, play, the slider, the step mode, the language.

/** @param {Stage} stage @returns {Part & {pace: ReturnType<typeof makePace>, add: (...controls: HTMLElement[]) => void}} */
export function drawToolbar(stage) {
  const { steps } = stage.payload;
  const pace = makePace(stage, showPace);
  /** @type {Object<string, HTMLElement>} */
  const buttons = {};
  for (const name of ["first", "previous", "play", "next", "last"]) {
    buttons[name] = html("button", { type: "button", class: "ipl-button" }, icon(name));
    buttons[name].addEventListener("click", () => (name === "play" ? pace.toggle() : act(name)));
  }
  // Steps of three sizes, where the program was inside its functions, or a statement has several events.
  const sizes = stage.payload.joined || stage.payload.places?.some(([, , from]) => (from ?? -1) >= 0) ? ["into", "over", "out"] : [];
  for (const name of sizes) {
    buttons[name] = html("button", { type: "button", class: "ipl-button ipl-size" }, icon(name));
    buttons[name].addEventListener("click", (event) => act(event.shiftKey ? `back${name[0].toUpperCase()}${name.slice(1)}` : name));
  }
  const speed = html("button", { type: "button", class: "ipl-button ipl-speed" });
  speed.addEventListener("click", () => pace.change(pace.isFastest() ? -Infinity : 1));
  const slider = html("input", { type: "range", min: 0, step: 1 });
  slider.addEventListener("input", () => go(stage.stops[Number(slider.value)]));
  const isLong = (stage.payload.loops ?? []).length > 0 || new Set(steps.map(({ phase }) => phase)).size > 1;
  const track = isLong ? drawTrack(stage, slider, go) : null;
  const counter = html("span", { class: "ipl-counter", "aria-hidden": "true" });
  const where = html("span", { class: "ipl-where", "aria-hidden": "true" });
  const mode = html("button", { type: "button", class: "ipl-button ipl-mode" });
  mode.addEventListener("click", () => changeMode(stage));
  const tongue = html("button", { type: "button", class: "ipl-button ipl-tongue" });
  tongue.addEventListener("click", () => stage.choose("language", stage.language === "zh" ? "en" : "zh"));
  const root = html("div", { class: "ipl-toolbar", role: "toolbar" }, ...Object.values(buttons), speed, track?.root ?? slider, counter, where, ...(stage.payload.shortened ? [] : [mode]), tongue);

  /** @param {string} action */
  function act(action) {
    pace.stop();
    stage.reach(action);
  }

  /** @param {number} step */
  function go(step) {
    pace.stop();
    stage.go(step);
  }

  function show() {
    const { step, stops, word } = stage;
    const now = steps[step];
    const place = placeOf(step, stops);
    const number = numbered(step, steps, stops, stage.mode);
    const said = word(stage.mode === "line" ? "position_by_line" : "position", number);
    const at = now.line === null ? "" : `${word("clause")}${stage.lineWords(now.line, true)}`;
    track?.show();
    put(slider, "max", stops.length - 1);
    slider.value = String(place);
    const turns = turnsAt(stage.payload, step).map((turn) => turnWords(stage, turn));
    const phase = [...turns, word(now.phase)].filter(Boolean).join(" · ");
    slider.setAttribute("aria-valuetext", `${said}${at}${phase && `${word("clause")}${phase}`}`);
    write(counter, stage.inside ? insideOf(stage.inside) : `${number.step} / ${number.steps}`);
    write(where, phase);
    for (const name of ["first", "previous"]) buttons[name].toggleAttribute("data-end", place === 0);
    for (const name of ["next", "last"]) buttons[name].toggleAttribute("data-end", place === stops.length - 1);
    for (const name of sizes) buttons[name].toggleAttribute("data-end", stage.leadsTo(name, step) === step);
    write(mode, word(`mode_${stage.mode}`));
    put(mode, "title", word(`mode_${stage.mode}_hint`));
  }

  /** The number of an event of an opened statement. @param {[number, number]} run */
  function insideOf([first, last]) {
    const lines = stopsOf(steps, "line", first);
    return `${placeOf(last, lines) + 1} / ${lines.length} · ${stage.step - first + 1} / ${last - first + 1}`;
  }

  function translate() {
    track?.translate();
    root.setAttribute("aria-label", stage.word("toolbar"));
    slider.setAttribute("aria-label", stage.word("slider"));
    for (const name of Object.keys(buttons)) if (name !== "play") label(buttons[name], stage.word(name));
    showPace();
    speakOther(tongue, stage.word("language"), stage.word("language_hint"), stage.language);
  }

  function showPace() {
    const name = pace.isPlaying() ? "pause" : "play";
    buttons.play.replaceChildren(icon(name));
    const count = pace.perSecond();
    label(buttons.play, stage.word(name));
    speed.replaceChildren(sign(stage.word("speed", { count })));
    label(speed, stage.word("pace", { count }));
  }

  const add = (/** @type {HTMLElement[]} */ ...controls) => tongue.before(...controls);
  return { root, show, translate, pace, add };
}
