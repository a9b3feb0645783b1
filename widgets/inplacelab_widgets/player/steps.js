// Steps and runs: finds the value at a step, and the step that a key leads to. Pure functions.

/** @typedef {string | [string, string]} Said  The same in both languages, or [English, Chinese]. */
/** @typedef {Object<string, string | number>} Attributes */
/** @typedef {[number, number?, number?]} Look  Positions in `styles`, `said`, `moves`; -1 or missing: none. */
/** @typedef {[string, Attributes, number[]?, string?, string?]} Mark  [tag, place, [step, look, step, look, ...], keys, links]; look -1: not there. */
/** @typedef {{x: number, y: number, width: number, first: number, last: number, marks: Mark[], key?: string, height?: number, open?: number[], folded?: boolean, fixed?: boolean, row?: number}} Group  Drawn in the stretches `open`: [first, last, ...]; `row`: the seat that it shares with groups that never live at the same time. */
/** @typedef {{name: string, width: number, height: number, says: number[], unfolds?: {says: Said, height?: number}, narrower?: Panel[], opens?: {says: number, within: number | null, panel: Panel}[], notes?: number[], groups: Group[], table?: Group[], copies?: [number, import("./panel.js").End, import("./panel.js").End][]}} Panel */
/** @typedef {{name: string, storages?: string, keys: string, stops: number[]}} Thread  What is shown of a tensor that a reader follows. A first picture has the names only. */
/** @typedef {{line: number | null, place?: number, turn?: number, phase: string, error?: true, stop?: boolean, ends?: true, idle?: true, says: number, detail?: number, whole?: Told, marked?: Marked[], fixes?: Fix[], at?: number[]}} Step  `line`: counted through all texts; `place`: its position in `places`; `idle`: it changes nothing; `says` is the position of its headline in `said`, `detail` that of the rest, `whole` has both for its whole line; `at` is the thread that it shows, as in picks.js. */
/** @typedef {{says: number, detail?: number}} Told  A headline and the rest, as positions in `said`. */
/** @typedef {{says: number, lines: [string, boolean][]}} Fix  A fixed program: its lines, and which of them are new. */
/** @typedef {[number, "kept" | "written" | "refused", number, number, number?, number?]} Marked  [line, role, brief, says, first column, past the last]; the words are positions in `said`. As `Marked` of recording/trace.py. */
/** @typedef {{title: Said, columns: Said[], rows: Object<string, [number, number[] | null][]>}} Table  Cells are positions in `said`. */
/** @typedef {[storage: number, slot: number, step: number, says: number, from: number[]]} Came  A number that came into a slot; step -1: it was there before; slot -1: all those that came into a large storage. */
/** @typedef {[step: number, says: number, kind: number, value: string]} LifeEvent  Of a slot; the value that came into it, or "". */
/** @typedef {[number: number, name: string, value: string, factor: string, node: number, overwrote: number]} PathHop  An element to which a path led; number and node are -1 if there is none, `overwrote` is a line or 0. */
/** @typedef {{says: number, role: "" | "right" | "used", hops: PathHop[], end: number, lights: string}} Path  Of a gradient; `lights` are keys of nodes and edges. */
/** @typedef {{says: number, start: string, paths: Path[]}} Paths  What a gradient is made of. */
/**
 * @typedef {Object} Payload
 * @property {string} title
 * @property {Said[]} notes  On the whole recording: what it leaves out.
 * @property {string[]} source  The lines of the program; of several texts, one after another.
 * @property {[number, number, number, number?][]} [sources]  Of each text, if there are several: its short name, its name, how many lines are before it, a remark. As in scene/places.py.
 * @property {[number, number, number?, string?, number?, number?][]} [places]  [line, label, the place of its call, function, calls left out, label as the innermost].
 * @property {"graph" | "history"} opens
 * @property {boolean} [shortened]  Whether its steps are statements, and only some events.
 * @property {[Said, Said][]} keys  What each key does.
 * @property {[string, string, Said][]} [marks]  Those of slots: the style, a path in a box of 32 by 20 px, what it means.
 * @property {Step[]} steps
 * @property {number} [only]  The step of a first picture: the others are not there yet. As scene/payload.py makes it.
 * @property {number[][]} [longest]  The longest headlines and details of the others, for which there must be room.
 * @property {import("./key_steps.js").Chapter[]} [story]
 * @property {[number, number, number, number, number, number][]} [loops]  The iterations of loops: the loop's name, which one, of how many (0: not known), the first and the last step, how many loops are around it.
 * @property {[number, string][]} [unusual]  The steps at which something unusual happened, each with a role as a chapter has one.
 * @property {Panel[]} panels
 * @property {Panel[]} [joined]  Those that are drawn of statements, too: what a whole statement did, seen at its last event.
 * @property {Object<string, string>} elsewhere  The links of items in the panels that are not shown.
 * @property {import("./linking.js").Page[]} pages  The values of storages: of large ones, and of those that the picture rounds.
 * @property {Thread[]} threads
 * @property {Table[]} tables
 * @property {{button: number, title: number, how: number, rows: [number, number, number, number][]}} [savings]  Where it may write in place: words, and for each operation
 *   the step of its first run, what it is called, what it saves, and why it may.
 * @property {Object<string, Said>} [sharing]  Words of the dialog that shares a step.
 * @property {[number, number[], number[], number, string, [number, number]?][]} layouts  The fields of a `Layout`. As scene/player_links.py writes them, like the next three.
 * @property {[number, number[]][]} tensors  [tensor, [step, layout, ...]].
 * @property {[string, number, number[]][]} kept  [pin, its node in words, [step, layout, ...]].
 * @property {[number, number | null, number, number[]][]} writes  [step, line, storage, [start, stop, ...]].
 * @property {{numbers: Came[], life: Object<string, LifeEvent[]>, paths: Object<string, Paths>, cut: number[]}} [origins]  As in scene/player_links.py.
 * @property {import("./predict.js").Question[]} [predict]
 * @property {{left: number, right: number, spacing: number}} axis
 * @property {import("./launch_picker.js").Launch[]} [launches]  Of kernels, whose threads the steps show.
 * @property {Object<string, Said>} words
 * @property {Said[]} said
 * @property {string[]} styles
 * @property {Attributes[]} moves
 * @property {Look[]} looks
 */

/** The value at `step` in a list of [first step, value] in order; undefined before the first.
 * @template T @param {[number, T][]} runs @param {number} step @returns {T | undefined} */
export function valueAt(runs, step) {
  return runAt(runs, step)?.[1];
}

/** The run at `step`. @template T @param {[number, T][]} runs @param {number} step @returns {[number, T] | undefined} */
export function runAt(runs, step) {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[middle][0] <= step) low = middle + 1;
    else high = middle;
  }
  return runs[low - 1];
}

/** [step, value, step, value, ...] as a list of pairs. @param {number[]} flat @returns {[number, number][]} */
export function paired(flat) {
  return Array.from({ length: flat.length / 2 }, (_, k) => [flat[2 * k], flat[2 * k + 1]]);
}

/** @param {number} step @param {number} count */
export function clamp(step, count) {
  return Math.max(0, Math.min(count - 1, Math.round(Number(step)) || 0));
}

/** The nearest step for which `wanted` holds, going in `direction` from `step`; the end if there is none.
 * @param {number} count @param {number} step @param {1 | -1} direction @param {(step: number) => boolean} wanted */
export function seek(count, step, direction, wanted) {
  for (let at = step + direction; at >= 0 && at < count; at += direction) if (wanted(at)) return at;
  return direction > 0 ? count - 1 : 0;
}

/** The steps that the arrow keys and the slider stop at: each event, or by line the last event of each statement, unless nothing changes there.
 * If nothing changes anywhere, none is left out. If steps show threads, only those of the launch that a step shows.
 * @param {Step[]} steps @param {string} mode @param {number} [step] @returns {number[]} */
export function stopsOf(steps, mode, step = 0) {
  const launch = steps[step]?.at?.[0];
  const ends = steps.map((_, at) => at).filter((at) => (mode !== "line" || steps[at].ends) && steps[at].at?.[0] === launch);
  const changing = ends.filter((end, k) => steps.slice((ends[k - 1] ?? -1) + 1, end + 1).some((each) => !each.idle));
  return changing.length ? changing : ends;
}

/** The first and the last event of the statement of a step. @param {number} step @param {Step[]} steps @returns {[number, number]} */
export function runOf(step, steps) {
  const end = steps.findIndex((each, at) => at >= step && each.ends);
  return [steps.slice(0, step).findLastIndex((each) => each.ends) + 1, end < 0 ? steps.length - 1 : end];
}

/** The stop at which a step is seen: itself, or if nothing changes there the last one before it, whose picture is the same; before the first stop
 * the first. @param {number} step @param {Step[]} steps */
export function seenAt(step, steps) {
  if (!steps[step].idle) return step;
  const before = steps.slice(0, step).findLastIndex((each) => !each.idle);
  const seen = before < 0 ? steps.findIndex((each) => !each.idle) : before;
  return seen < 0 ? step : seen;
}

/** The number of a step, and of how many. By event each step keeps the number with which it was recorded, as in texts, links and still
 * pictures, also if some are no stops; by line, or by thread, it is the place among the stops. @param {number} step @param {Step[]} steps @param {number[]} stops @param {string} mode */
export function numbered(step, steps, stops, mode) {
  const byPlace = mode === "line" || steps[step].at;
  return byPlace ? { step: placeOf(step, stops) + 1, steps: stops.length } : { step: step + 1, steps: steps.length };
}

/** The stop that a step belongs to: the first that is not before it. @param {number} step @param {number[]} stops */
export function placeOf(step, stops) {
  const place = stops.findIndex((stop) => stop >= step);
  return place < 0 ? stops.length - 1 : place;
}

/** The step that an action leads to; it is always one of the stops. @param {string} action @param {number} step @param {Step[]} steps @param {number[]} stops */
export function target(action, step, steps, stops) {
  const count = stops.length;
  // After the last stop, that one is the previous.
  const here = stops[count - 1] < step ? count : placeOf(step, stops);
  // From within a line, the next stop is the end of that line.
  const passed = stops[here] > step ? here - 1 : here;
  const isStop = (/** @type {number} */ place) => steps.slice((stops[place - 1] ?? -1) + 1, stops[place] + 1).some((each) => each.stop);
  const phaseBegins = (/** @type {number} */ place) => place === 0 || steps[stops[place]].phase !== steps[stops[place - 1]].phase;
  /** @type {Object<string, () => number>} */
  const places = {
    first: () => 0,
    last: () => count - 1,
    previous: () => clamp(here - 1, count),
    next: () => clamp(passed + 1, count),
    previousStop: () => seek(count, here, -1, isStop),
    nextStop: () => seek(count, passed, 1, isStop),
    previousPhase: () => seek(count, here, -1, phaseBegins),
    nextPhase: () => seek(count, passed, 1, phaseBegins),
  };
  return Object.hasOwn(places, action) ? stops[places[action]()] : step;
}

/** The step at which predict mode begins: the first stop, or the step before it if it is asked about.
 * @param {{step: number}[]} questions @param {number[]} stops */
export function beginning(questions, stops) {
  return Math.max(0, Math.min(stops[0], ...questions.map((question) => question.step - 1)));
}

/** The stop that a click on a line leads to: its first visit, or from within one the next, and after the last the first again; -1 if the line did
 * not run. A visit begins where the program comes to the line, or to its statement once more. A visit that changes nothing is seen at the stop before it.
 * @param {number} line @param {number} step @param {Step[]} steps @param {number[]} stops */
export function visitOf(line, step, steps, stops) {
  const begins = (/** @type {number} */ at) => steps[at].line === line && (steps[at - 1]?.line !== line || steps[at - 1].ends);
  const starts = steps.map((_, at) => at).filter(begins);
  const within = (/** @type {number} */ at) => {
    const end = steps.findIndex((each, k) => k >= at && (each.ends || steps[k + 1]?.line !== line));
    return stops.find((stop) => stop >= at && stop <= end) ?? stops.findLast((stop) => stop < at) ?? stops[0];
  };
  const visits = [...new Set(starts.map(within))];
  const next = steps[step].line === line || visits.includes(step) ? visits.find((stop) => stop > step) : undefined;
  return next ?? visits[0] ?? -1;
}

/** @type {Object<string, string>} */
const KEYS = {
  ArrowLeft: "previous",
  ArrowRight: "next",
  Home: "first",
  End: "last",
  PageUp: "previousPhase",
  PageDown: "nextPhase",
  " ": "play",
  "+": "faster",
  "=": "faster",
  "-": "slower",
  e: "mode",
  f: "present",
  p: "predict",
  t: "openElements",
  g: "openGraph",
  l: "openHistory",
  m: "openHistory",
  "[": "back",
  "]": "onward",
  i: "into",
  o: "over",
  u: "out",
  w: "origins",
  "?": "help",
  Escape: "leave",
};
/** @type {Object<string, string>} */
const SHIFTED = { ArrowLeft: "previousStop", ArrowRight: "nextStop", I: "backInto", O: "backOver", U: "backOut", "?": "help", "+": "faster" };

/** The action of a key, or null if the player does not handle it.
 * @param {{key: string, shiftKey?: boolean, ctrlKey?: boolean, altKey?: boolean, metaKey?: boolean}} event */
export function actionOf(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return null;
  const keys = event.shiftKey ? SHIFTED : KEYS;
  return Object.hasOwn(keys, event.key) ? keys[event.key] : null;
}

/** The step under a click at `x` on the axis. @param {number} x @param {{left: number, spacing: number}} axis @param {number} count */
export function stepAt(x, axis, count) {
  return clamp((x - axis.left) / axis.spacing, count);
}

/** Whether a mark with `keys` is related to what is pointed at. @param {string} keys @param {Set<string>} wanted */
export function isRelated(keys, wanted) {
  return keys !== "" && keys.split(" ").some((key) => wanted.has(key));
}

// Selects words in the reader's language; the payload has all of them. Pure functions.

/** @param {Said | null | undefined} said @param {string} language */
export function speak(said, language) {
  if (said === null || said === undefined) return "";
  return Array.isArray(said) ? said[language === "zh" ? 1 : 0] : said;
}

/** Fills `{placeholders}`. @param {string} pattern @param {Object<string, string | number>} facts */
export function fill(pattern, facts) {
  return pattern.replace(/\{(\w+)\}/g, (whole, key) => (Object.hasOwn(facts, key) ? String(facts[key]) : whole));
}

/** The approximate width of words: a Chinese character counts as two others. @param {string} words */
export function widthOf(words) {
  return words.length + (words.match(/[\u2e80-\uffef]/g)?.length ?? 0);
}

/** Splits a sentence: words between backticks are code. @param {string} sentence @returns {{code: boolean, text: string}[]} */
export function pieces(sentence) {
  const parts = sentence.split("`");
  // An odd number of backticks: the last one is an ordinary character.
  if (parts.length % 2 === 0) {
    const rest = parts.pop();
    parts[parts.length - 1] += `\`${rest}`;
  }
  return parts.map((text, k) => ({ code: k % 2 === 1, text })).filter((piece) => piece.text);
}
