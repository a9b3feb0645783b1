// Says in which text of the program a line is, and which step is next in the same function, in those that it calls, or in its callers. Pure functions.
//
// The lines of all texts are counted through: a line of the payload stands for a text and a line of it.

import { fill, speak, target } from "./steps.js";
/** @import { Payload, Said, Step } from "./steps.js" */

/** A text of the program: `before` lines of other texts are counted before its own. @typedef {{short: Said, name: Said, before: number, count: number, remark: Said, isKnown: boolean}} Source */
/** A place of the chain of calls. @typedef {{line: number, label: number, from: number, name: string, skipped: number, innermost: number}} Call */

/** @param {Payload} payload @returns {Source[]} */
export function sourcesOf({ sources = [], source, said }) {
  if (!sources.length) return [{ short: "", name: "", before: 0, count: source.length, remark: "", isKnown: true }];
  return sources.map(([short, name, before, remark], k) => {
    const end = sources[k + 1]?.[2] ?? source.length;
    const isKnown = source.slice(before, end).some((line) => line !== "");
    return { short: said[short], name: said[name], before, count: end - before, remark: remark === undefined ? "" : said[remark], isKnown };
  });
}

/** The position of the text in which a line is. @param {Payload} payload @param {number | null} line */
export function sourceAt({ sources = [] }, line) {
  return Math.max(0, sources.findLastIndex(([, , before]) => line !== null && before < line));
}

/** What a line is called: "line 12"; "model.py:12" in another text than the one that is shown, if one is. @param {Payload} payload @param {number} line @param {string} language
 * @param {number} [shown] */
export function lineWords(payload, line, language, shown) {
  const { sources = [], said, words } = payload;
  const at = sourceAt(payload, line);
  if (sources.length < 2) return fill(speak(words.at_line, language), { line });
  const [short, , before] = sources[at];
  if (at === shown) return fill(speak(words.at_line, language), { line: line - before });
  return `${speak(said[short], language)}:${line - before}`;
}

/** The numbers of several lines, as in "3, 5"; of a program of several texts with their names. @param {Payload} payload @param {number} line @param {string} language */
export function lineNumber(payload, line, language) {
  return (payload.sources ?? []).length < 2 ? String(line) : lineWords(payload, line, language);
}

/** The calls that led to a step, outermost first; none if its place is not known. @param {Payload} payload @param {Step} step @returns {Call[]} */
export function callsOf({ places = [] }, { place }) {
  /** @type {Call[]} */
  const calls = [];
  for (let at = place ?? -1; at >= 0; at = calls[0].from) {
    const [line, label, from = -1, name = "", skipped = 0, innermost = label] = places[at];
    calls.unshift({ line, label, from, name, skipped, innermost });
  }
  return calls;
}

/** The chain with its middle folded: calls, and how many are left out between them; a number also where the recording has left calls out.
 * @param {Call[]} calls @param {boolean} [isWhole] @returns {(Call | {left: number, isFolded: boolean})[]} */
export function folded(calls, isWhole = false) {
  const last = calls.length - LAST_CALLS;
  return calls.flatMap((call, k) => {
    const skipped = call.skipped ? [{ left: call.skipped, isFolded: false }] : [];
    if (isWhole || calls.length <= MOST_CALLS) return [...skipped, call];
    if (k === 0) return [call];
    if (k < last) return [];
    if (k > last) return [...skipped, call];
    const left = last - 1 + calls.slice(1, last + 1).reduce((sum, each) => sum + each.skipped, 0);
    return [{ left, isFolded: true }, call];
  });
}

/** So many calls of a chain are shown, and so many of the innermost if not all are. As in scene/places.py. */
const MOST_CALLS = 5;
const LAST_CALLS = 3;

/** The chain in one line. @param {Payload} payload @param {number} step @param {string} language */
export function chainWords(payload, step, language) {
  const calls = callsOf(payload, payload.steps[step]);
  const last = calls[calls.length - 1];
  if (calls.length < 2) return lineWords(payload, last.line, language);
  const words = folded(calls).map((each) => {
    if ("left" in each) return fill(speak(payload.words.calls_between, language), { count: each.left });
    return speak(payload.said[each === last ? each.innermost : each.label], language);
  });
  return words.join(" › ");
}

/** A row of an excerpt: a line, or the name of a text, or dots for lines that are left out; `line` is 0 for what is no line.
 * @typedef {{line: number, number: string, text: string, isName?: boolean, isHere?: boolean}} Row */

/** So many lines before and after that of the step are in an excerpt. As `NEIGHBORS` of scene/still_pictures.py. */
const NEIGHBORS = 2;

/** The lines that matter at a step, below the names of their texts, as `excerpt` of scene/still_pictures.py has them. @param {Payload} payload @param {number} step @param {string} language @returns {Row[]} */
export function excerptOf(payload, step, language) {
  const { line, marked = [] } = payload.steps[step];
  const texts = sourcesOf(payload);
  const own = sourceAt(payload, line);
  const others = marked.map(([at]) => sourceAt(payload, at)).filter((text) => text !== own);
  return [own, ...new Set(others)].flatMap((text) => {
    const { before, count, short, isKnown } = texts[text];
    const wanted = new Set(marked.map(([at]) => at).filter((at) => at > before && at <= before + count));
    const middle = line ?? before + 1;
    const around = isKnown ? NEIGHBORS : 0;
    if (text === own) for (let at = Math.max(middle - around, before + 1); at <= Math.min(middle + around, before + count); at += 1) wanted.add(at);
    const lines = [...wanted].sort((one, other) => one - other);
    const rows = lines.flatMap((at, k) => [
      ...(k && at > lines[k - 1] + 1 ? [{ line: 0, number: "", text: "⋮" }] : []),
      { line: at, number: String(at - before), text: payload.source[at - 1], isHere: at === line },
    ]);
    return [{ line: 0, number: "", text: speak(short, language), isName: true }, ...rows];
  });
}

/** What is known of the steps' places: the text (-1 if it is not known), how many functions run, and which run of a statement it is.
 * @typedef {{source: number, depth: number, statement: number}[]} Frames */

/** Null if the recording has lines only. @param {Payload} payload @returns {Frames | null} */
export function framesOf(payload) {
  const { places, steps } = payload;
  if (!places) return null;
  /** @type {number[]} */
  const depths = [];
  // A place comes after that of its call.
  for (const [, , from = -1, , skipped = 0] of places) depths.push(1 + skipped + (depths[from] ?? 0));
  /** The statement that runs in each of the functions, from the outermost. @type {{line: number | null, statement: number}[]} */
  let running = [];
  let count = 0;
  /** @type {Frames} */
  const frames = [];
  for (const [k, { place, line, turn = 0 }] of steps.entries()) {
    const depth = depths[place ?? -1] ?? 0;
    const there = running[depth];
    // A function has returned to the statement that called it, or the statement goes on.
    const isBack = k > 0 && frames[k - 1].depth > depth;
    const sameTurn = k > 0 && (steps[k - 1].turn ?? 0) === turn;
    const goesOn = there && (isBack ? there.line === line : sameTurn && (there.line === line || (turn > 0 && frames[k - 1].depth === depth)));
    running = running.slice(0, depth);
    running[depth] = goesOn ? there : { line, statement: (count += 1) };
    frames.push({ source: place === undefined ? -1 : sourceAt(payload, line), depth, statement: running[depth].statement });
  }
  return frames;
}

/** @type {Object<string, "next" | "previous">} */
const DIRECTIONS = { next: "next", into: "next", over: "next", out: "next", previous: "previous", backInto: "previous", backOver: "previous", backOut: "previous" };

/** The step that an action leads to, where steps have sizes: `next` is the next thing that happened where the reader is reading (in the same text, or
 * in a caller), `into` the next one wherever it is, `over` the next one of another statement of the same function or of a caller, `out` the next one of a caller;
 * and the same backwards. What went wrong is never passed over. @param {string} action @param {number} step @param {Step[]} steps @param {number[]} stops
 * @param {Frames | null} frames */
export function stepTo(action, step, steps, stops, frames) {
  const way = Object.hasOwn(DIRECTIONS, action) ? DIRECTIONS[action] : null;
  if (!way) return target(action, step, steps, stops);
  const beside = (/** @type {number} */ at) => target(way, at, steps, stops);
  const isOut = action === "out" || action === "backOut";
  // From outside all functions there is nothing further out.
  if (isOut && (frames?.[step].depth ?? 1) <= 1) return step;
  if (!frames || action === "into" || action === "backInto") return beside(step);
  const { source, depth, statement } = frames[step];
  const isMeant = (/** @type {number} */ at) => {
    const there = frames[at];
    if (steps[at].error === true || there.source < 0) return true;
    if (isOut) return there.depth < depth;
    if (action === way) return source < 0 || there.source === source || there.depth < depth;
    return there.depth <= depth && there.statement !== statement;
  };
  let at = beside(step);
  for (let next = beside(at); !isMeant(at) && next !== at; next = beside(at)) at = next;
  return action === "backOver" ? beginningOf(at, frames, beside) : at;
}

/** The first stop of the statement of a step. @param {number} step @param {Frames} frames @param {(step: number) => number} before */
function beginningOf(step, frames, before) {
  const { depth, statement } = frames[step];
  let first = step;
  for (let at = before(step), last = step; at !== last; last = at, at = before(at)) {
    if (frames[at].statement === statement) first = at;
    else if (frames[at].depth <= depth) break;
  }
  return first;
}
