// The stage that the parts of a player share: the present state, and the actions of a reader or a model.

import { html } from "./dom.js";
import { visitItem } from "./highlighting.js";
import { linker } from "./hover.js";
import { nearestStep } from "./launch_picker.js";
import { stoppingAt } from "./layout.js";
import { makeMotion } from "./panel.js";
import { framesOf, lineWords, sourceAt, stepTo } from "./places.js";
import { beginning, clamp, fill, placeOf, runOf, speak, stopsOf, target } from "./steps.js";
/** @import { Answer } from "./predict.js" */
/** @import { Payload, Said, Step } from "./steps.js" */

/** @typedef {"step" | "language" | "mode" | "selection" | "predict" | "answers" | "thread"} Trait  What a reader can change and a model can follow. */
/**
 * @typedef {Object} Stage
 * @property {Payload} payload
 * @property {HTMLElement} root
 * @property {Part[]} parts
 * @property {number} step
 * @property {number} opened  The step at which the player opened.
 * @property {number} [wanted]  The step that the reader waits for, while only the first picture is there.
 * @property {"en" | "zh"} language
 * @property {"event" | "line"} mode  What one step is.
 * @property {[number, number] | null} inside  The first and the last event of the statement that the reader has opened into its events.
 * @property {string} selection  The key of what is pinned ("t3", "s1:4", "n2"), or "".
 * @property {boolean} predict  Whether there are questions before steps.
 * @property {(step: number) => boolean} isAhead  Whether nothing may be said of a step yet: where a lesson asks what happens, the reader comes to it first.
 * @property {Answer[]} answers  What was answered or skipped, in that order.
 * @property {Element[]} [outlined]  What differs from another program: it is brought into sight before what changed.
 * @property {string} thread  The name of the tensor that is followed, or "".
 * @property {{storages: Set<string> | null, keys: Set<string>, steps: Step[]}} followed  What depends on it: the storages drawn in full, the marked keys, the steps with their stops.
 * @property {number[]} stops  The steps that the arrow keys and the slider stop at.
 * @property {(key: string, facts?: Object<string, string | number>) => string} word  Returns words in the reader's language.
 * @property {(trait: Trait, value: any) => void} choose  A change by the reader: the player follows and notifies the model.
 * @property {(trait: Trait, value: any) => boolean} follow  A change by the model: the player follows. Returns whether anything changed.
 * @property {(step: number) => void} go  The reader goes to a step.
 * @property {(wanted: import("./launch_picker.js").Wanted) => void} pick  The reader picks another thread.
 * @property {(action: string) => boolean} reach  The reader steps forward or back; returns false if a question stopped the step.
 * @property {(action: string, step: number) => number} leadsTo  The step that an action leads to.
 * @property {(line: number, near?: boolean) => string} lineWords  What a line is called; `near` if the reader sees in which text it is, if that is the text of the step.
 * @property {(by: "pointer" | "keyboard", keys: string) => void} point  Highlights the marks with one of these keys; "": none.
 * @property {(key: string) => void} visit  The reader clicks an item.
 * @property {(pane: string) => void} open  Shows one of the panes that share a place, or opens or closes a row of the table.
 * @property {(fold: string) => void} list  Lists the folded pins.
 * @property {(words: string) => void} announce  Has words read aloud.
 * @property {number[]} origins  The numbers that are lit up as origins.
 * @property {() => [number[], Said]} lit  What is lit up, and the words for it, if they replace the reading line; origins.js sets it.
 * @property {(key: string, step: number) => import("./linking.js").Layout[]} layoutsOf  The layouts of a tensor at a step.
 * @property {() => string} pointedAt  The key of what is pointed at, with the keyboard or the pointer.
 * @property {(storage: number, slot: number) => Set<string>} sharing  The keys of a slot and of the elements that read it; for all slots (-1) those of the tensors on the storage.
 * @property {() => string} reading  The line about what is pointed at or pinned.
 * @property {() => void} begin  Shows everything for the first time.
 * @property {() => void} show  Shows the present step in the present room.
 */

/**
 * A part of a player. `show` follows the step (without measuring anything: that is for `settle`), `translate` the language (`show` comes after it), `highlight` what is pointed at
 * or pinned. The others describe an item in this part of the picture: its links, the first step at which it is shown, the last
 * step that raised its version; -1 if there is none.
 * @typedef {Object} Part
 * @property {HTMLElement} root
 * @property {() => boolean} [isSeen]  Whether it is visible.
 * @property {(size?: number, most?: number) => number} [need]  The height that it needs for all steps, in px, at a scale relative to a notebook,
 *   or if all storages but the highest are folded.
 * @property {(size: number) => boolean} [isCut]  Whether something would be cut off at its side at that scale.
 * @property {() => void} [fit]  Adapts to the present room and scale.
 * @property {() => void} [show]
 * @property {() => (() => void) | undefined} [settle]  Measures what was shown; returns a function that scrolls it into view.
 * @property {() => void} [translate]
 * @property {(wanted: Set<string>, lines: Set<number>, says: Said) => void} [highlight]
 * @property {(pane: string) => void} [open]
 * @property {(fold: string) => void} [list]
 * @property {(group: number) => Element} [holderAt]  The element with the marks of a group of its first panel.
 * @property {(key: string) => string[]} [linksOf]
 * @property {(key: string) => number} [firstStep]
 * @property {(key: string) => number} [raisedAt]
 */

/** @param {Payload} payload @param {string} name */
function followedBy({ threads, steps }, name) {
  const thread = threads.find((each) => each.name === name);
  if (thread?.storages === undefined) return { storages: null, keys: new Set(), steps };
  return { storages: new Set(thread.storages.split(" ")), keys: new Set(thread.keys.split(" ")), steps: stoppingAt(steps, thread.stops) };
}

/** @param {Payload} payload @param {HTMLElement} root @param {{[trait: string]: any, tell?: (trait: Trait, value: any) => void}} options @returns {Stage} */
export function makeStage(payload, root, options) {
  const { steps } = payload;
  const tell = options.tell ?? (() => {});
  const valid = {
    step: (/** @type {any} */ value) => payload.only ?? clamp(value ?? stopsOf(steps, "event")[0], steps.length),
    language: (/** @type {any} */ value) => (value === "zh" ? "zh" : "en"),
    mode: (/** @type {any} */ value) => (value === "line" ? "line" : "event"),
    selection: (/** @type {any} */ value) => String(value ?? ""),
    predict: Boolean,
    answers: (/** @type {any} */ value) => value ?? [],
    thread: (/** @type {any} */ value) => (payload.threads.some((thread) => thread.name === value) ? value : ""),
  };
  const aloud = html("span", { class: "ipl-aloud", "aria-live": "polite" });
  root.append(aloud);
  const pointed = { pointer: "", keyboard: "" };
  const link = linker(payload);
  const move = makeMotion(root);
  const frames = framesOf(payload);
  /** @type {Said} */
  let says = "";

  /** @type {Stage} */
  const stage = {
    payload,
    root,
    parts: [],
    step: valid.step(options.step),
    opened: valid.step(options.step),
    language: valid.language(options.language),
    mode: valid.mode(options.mode),
    inside: null,
    selection: valid.selection(options.selection),
    predict: valid.predict(options.predict),
    isAhead: (step) => options.tellsAhead === false && step > furthest,
    answers: valid.answers(options.answers),
    thread: valid.thread(options.thread),
    followed: followedBy(payload, valid.thread(options.thread)),
    stops: stopsOf(steps, valid.mode(options.mode), valid.step(options.step)),
    word: (key, facts = {}) => fill(speak(payload.words[key], stage.language), facts),
    choose(trait, value) {
      if (stage.follow(trait, value)) tell(trait, stage[trait]);
    },
    follow(trait, value) {
      const next = valid[trait](value);
      const before = stage[trait];
      if (next === before) return false;
      Object.assign(stage, { [trait]: next });
      changed[trait](before);
      return true;
    },
    go(step) {
      // In the first picture of a long recording, a step waits until the whole has arrived.
      if (payload.only === undefined) return stage.choose("step", step);
      stage.wanted = step;
      show();
    },
    pick(wanted) {
      const step = nearestStep(steps, steps[stage.step].at ?? [], wanted);
      if (step >= 0) stage.go(step);
    },
    reach(action) {
      const step = stage.wanted ?? stage.step;
      const to = stage.leadsTo(action, step);
      if (isOpening(action, step)) {
        stage.choose("mode", "event");
        stage.inside = runOf(step, steps);
      } else if (stage.inside && (to < stage.inside[0] || to > stage.inside[1] || /over|out/i.test(action))) {
        stage.choose("mode", "line");
      }
      stage.go(to);
      return true;
    },
    leadsTo(action, step) {
      if (isOpening(action, step)) return firstOf(runOf(step, steps));
      if (!stage.inside) return stepTo(action, step, stage.followed.steps, stage.stops, frames);
      const [first, last] = stage.inside;
      const lines = stopsOf(steps, "line", step);
      if (/out/i.test(action)) return lines[placeOf(last, lines)];
      const to = stepTo(action, step, stage.followed.steps, stage.stops, frames);
      const isWithin = to >= first && to <= last && !/over/i.test(action);
      // From the last event of an opened statement, the next step is the next statement.
      return isWithin ? to : target(to > last || action === "over" ? "next" : "previous", to > last || action === "over" ? last : first, steps, lines);
    },
    lineWords: (line, near = false) => lineWords(payload, line, stage.language, near ? sourceAt(payload, steps[stage.step].line) : undefined),
    point(by, keys) {
      if (pointed[by] === keys) return;
      pointed[by] = keys;
      light();
    },
    visit: (key) => visitItem(stage, key),
    open(pane) {
      for (const part of stage.parts) part.open?.(pane);
    },
    list(fold) {
      for (const part of stage.parts) part.list?.(fold);
    },
    origins: [],
    lit: () => [[], ""],
    layoutsOf: link.layoutsOf,
    pointedAt: () => (pointed.keyboard || pointed.pointer).split(" ")[0],
    sharing: (storage, slot) => new Set(slot < 0 ? link.tensorsOn(stage.step, storage) : [`s${storage}:${slot}`, ...link.sharers(stage.step, storage, slot, slot + 1).map(({ key }) => key)]),
    announce: (words) => (aloud.textContent = words),
    reading: () => speak(says, stage.language).replaceAll("`", ""),
    begin: translate,
    show,
  };

  /** Whether a step into a statement opens it: it has several events, and is shown as a whole. @param {string} action @param {number} step */
  function isOpening(action, step) {
    const [first, last] = runOf(step, steps);
    return action === "into" && stage.mode === "line" && first < last && payload.only === undefined;
  }

  /** The first event that changes anything. @param {[number, number]} run */
  function firstOf([first, last]) {
    const found = steps.findIndex((each, at) => at >= first && !each.idle);
    return found < 0 || found > last ? first : found;
  }

  // Whether the reader or a model has gone to any step, and how far.
  let hasMoved = false;
  let furthest = stage.step;

  /** @type {Record<Trait, (before: any) => void>} */
  const changed = {
    step(before) {
      hasMoved = true;
      furthest = Math.max(furthest, stage.step);
      const [from, to] = [before, stage.step].map((step) => placeOf(step, stage.stops));
      move(Math.abs(to - from) <= 1);
      if (steps[before].at?.[0] !== steps[stage.step].at?.[0]) stage.stops = stopsOf(steps, stage.mode, stage.step);
      show();
    },
    language: translate,
    mode() {
      stage.inside = null;
      stage.stops = stopsOf(steps, stage.mode, stage.step);
      show();
    },
    selection: light,
    predict() {
      // What the player opened at is the end of the story: the questions begin at its beginning.
      if (stage.predict && !hasMoved) stage.go(beginning(payload.predict ?? [], stage.stops));
      show();
    },
    answers: show,
    thread() {
      stage.followed = followedBy(payload, stage.thread);
      show();
    },
  };

  function show() {
    const seen = stage.parts.filter((part) => part.isSeen?.() ?? true);
    for (const part of seen) part.show?.();
    light();
    // Everything is measured before anything is scrolled: measuring after a change lays out the page again.
    const scrolls = seen.map((part) => part.settle?.());
    for (const scroll of scrolls) scroll?.();
  }

  function translate() {
    root.lang = stage.language === "zh" ? "zh-Hans" : "en";
    root.setAttribute("aria-label", stage.word("region", { title: payload.title }));
    for (const part of stage.parts) part.translate?.();
    show();
  }

  /** Highlights what is pinned, and what the pointer or else the keyboard is on. */
  function light() {
    const links = stage.selection ? [...stage.parts.flatMap((part) => part.linksOf?.(stage.selection) ?? []), payload.elsewhere[stage.selection] ?? ""] : [];
    const items = [[stage.selection, ...links].join(" "), pointed.pointer || pointed.keyboard];
    const [pinned, asked] = items.map((keys) => link.related(keys, stage.step));
    const makers = items.map((keys) => lineOf(keys.split(" ")[0])).filter((line) => line > 0);
    const wanted = new Set([...pinned.keys, ...asked.keys]);
    const lines = new Set([...makers, ...pinned.lines, ...asked.lines]);
    const [origins, told] = stage.lit();
    stage.origins = origins;
    says = told || asked.says || pinned.says;
    for (const part of stage.parts) part.highlight?.(wanted, lines, says);
  }

  /** The line that made a node. @param {string | undefined} key */
  function lineOf(key) {
    if (!key?.startsWith("n")) return 0;
    const first = Math.max(-1, ...stage.parts.map((part) => part.firstStep?.(key) ?? -1));
    return first < 0 ? 0 : (steps[first].line ?? 0);
  }

  return stage;
}
