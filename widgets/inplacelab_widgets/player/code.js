// Shows the program's lines and marks the one that is running; of several texts, that of the present step, or the one that the reader asks for.

import { drawCalls } from "./calls.js";
import { html } from "./dom.js";
import { callsOf, sourceAt, sourcesOf } from "./places.js";
import { arrive, leaveOutRows, scrollIntoPane, scrollPane } from "./scrolling.js";
import { speak, visitOf } from "./steps.js";
/** @import { Part, Stage } from "./stage.js" */
/** @import { Marked, Step } from "./steps.js" */

/** The number of blanks that a line begins with. @param {string} line */
export function indentOf(line) {
  return line.length - line.trimStart().length;
}

/** Splits a line of code where it is best wrapped: after brackets, commas and operators, and before a dot.
 * @param {string} code */
export function wrapParts(code) {
  return code.split(/(?<=[([{,=+*/|&])(?=[^\s=*])|(?<=[\w)\]])(?=\.[A-Za-z_])/);
}

/** Splits a line of code also at both ends of its marked part: [text, whether it is marked, whether the line may be wrapped after it]. @param {string} code @param {number} from @param {number} to @returns {[string, boolean, boolean][]} */
export function cutParts(code, from, to) {
  let at = 0;
  return wrapParts(code).flatMap((part) => {
    const start = at;
    at += part.length;
    const cuts = [start, ...[from, to].filter((cut) => start < cut && cut < at), at];
    return cuts.slice(1).map((end, k) => [code.slice(cuts[k], end), from <= cuts[k] && end <= to, end === at]);
  });
}

/** @param {string} line @param {string} role @param {number} from  The marked part, in columns of the line. @param {number} to */
function written(line, role = "", from = 0, to = 0) {
  const indent = indentOf(line);
  const parts = cutParts(line.trimStart() || " ", from - indent, to - indent);
  const nodes = parts.flatMap(([text, isMeant, wraps]) => [isMeant ? html("u", { class: `ipl-meant-${role}` }, text) : text, ...(wraps ? [html("wbr")] : [])]);
  return nodes.slice(0, -1);
}

/** The next line in a direction that leads to a step; at the end the line itself, if it does. @param {number} line @param {number} by @param {Set<number | null>} leads
 * @param {number} count @param {boolean} isNew  Whether the line itself will do. */
export function lineBeside(line, by, leads, count, isNew) {
  if (isNew && leads.has(line)) return line;
  for (let at = line + by; at >= 1 && at <= count; at += by) if (leads.has(at)) return at;
  return leads.has(line) ? line : 0;
}

/** The number of lines around the present one that are shown where the whole program stands above the player. */
const LINES_AROUND = 5;

/** The lines that are shown then: those around a line, always as many, and those of the trace. @param {number} line @param {number} count @param {Iterable<number>} also
 * @returns {Set<number>} */
export function linesAround(line, count, also) {
  const first = Math.max(1, Math.min(line - (LINES_AROUND - 1) / 2, count - LINES_AROUND + 1));
  return new Set([...Array.from({ length: Math.min(LINES_AROUND, count) }, (_, k) => first + k), ...also]);
}

/** Of each of the texts that are not shown, so many of the longest lines keep the width. */
const LONGEST_LINES = 2;

/** @param {Stage} stage @param {boolean} [isAbove]  Whether the whole program stands above the player.
 * @returns {Part & {lineAt: (line: number) => HTMLElement | undefined}} */
export function drawCode(stage, isAbove = false) {
  const { source, said } = stage.payload;
  const texts = sourcesOf(stage.payload);
  /** The lines of the texts, each made when it is first shown; a line stands at its number, counted through, less one. @type {HTMLElement[]} */
  const lines = [];
  const more = html("button", { class: "ipl-more", "aria-expanded": "false" });
  const isShort = isAbove && texts.length === 1 && source.length > LINES_AROUND + 1;
  // Lines without height, which are as wide as those of any step: the pane has the same width at every step.
  const widest = html("li", { class: "ipl-room", "aria-hidden": "true" });
  const list = html("ol", { class: "ipl-code", tabindex: "0" });
  list.classList.toggle("ipl-short", isShort);
  const panel = html("div", texts.length > 1 ? { class: "ipl-text", role: "tabpanel" } : { class: "ipl-text" }, list);
  const head = stage.payload.places ? drawCalls(stage, panel, look) : null;
  const root = head ? html("div", { class: "ipl-codes" }, head.root, panel) : list;
  const leads = new Set(stage.payload.steps.map((step) => step.line));
  /** The text that is shown; -1: none yet. */
  let shownText = -1;
  /** What the reader looks at, until the next step: a text, and a line that a call stands on. @type {{text: number, line: number | null, step: number} | null} */
  let looked = null;
  /** The height of each text, as far as it was shown. @type {number[]} */
  const heights = [];

  /** @param {number} k */
  function linesOf(k) {
    const { before, count } = texts[k];
    for (let at = before; at < before + count; at += 1) lines[at] ??= drawLine(at, before);
    const all = lines.slice(before, before + count);
    // Of a text that is not known there are the numbers of the lines on which the program was.
    const some = texts[k].isKnown ? all : all.filter((_, at) => leads.has(before + at + 1));
    return some.length ? some : all.slice(-1);
  }

  /** @param {number} at @param {number} before */
  function drawLine(at, before) {
    const code = html("code", {}, ...written(source[at]));
    code.style.paddingLeft = paddingOf(source[at]);
    const line = html("li", {}, html("span", { class: "ipl-number" }, String(at + 1 - before)), code);
    line.classList.toggle("ipl-leads", leads.has(at + 1));
    return line;
  }

  /** Shows a text. @param {number} k */
  function turnTo(k) {
    if (k === shownText) return;
    stand(0);
    shownText = k;
    list.replaceChildren(...linesOf(k), ...(isShort ? [html("li", { class: "ipl-all" }, more)] : []), widest);
    list.scrollTop = 0;
    // The marks of the lines that are new have still to be drawn.
    shown = "none";
  }

  /** The reader looks at a text, at a line if one is given. @param {number} text @param {number | null} line */
  function look(text, line) {
    looked = { text, line, step: stage.step };
    show();
    settle()?.();
  }
  more.addEventListener("click", () => {
    const isWhole = !list.classList.toggle("ipl-short");
    more.setAttribute("aria-expanded", String(isWhole));
    translate();
    settle()?.();
  });
  list.addEventListener("click", visit);
  list.addEventListener("keydown", walk);
  list.addEventListener("blur", () => stand(0));
  /** The line on which the keyboard stands; 0: none. */
  let here = 0;

  /** Up and down go from line to line, as far as they lead to a step, and Enter goes to the step. @param {KeyboardEvent} event */
  function walk(event) {
    if (event.target !== list || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) step(by);
    else if (event.key === "Enter" && here) goToLine(here);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Goes to the next line of the text that leads to a step. @param {number} by */
  function step(by) {
    const { before, count } = texts[shownText];
    const within = new Set([...leads].map((line) => (line === null ? line : line - before)));
    const start = here || startLine();
    const next = lineBeside(start - before, by, within, count, here === 0);
    stand(next ? next + before : 0);
  }

  /** The line from which the keyboard starts: that of the step, of the call, or the first one. */
  function startLine() {
    const { before, count } = texts[shownText];
    const wanted = looked?.line ?? stage.payload.steps[stage.step].line ?? 0;
    return wanted > before && wanted <= before + count ? wanted : before + 1;
  }

  /** @param {number} line */
  function stand(line) {
    lines[here - 1]?.removeAttribute("data-here");
    here = line;
    const there = lines[here - 1];
    if (!there) return;
    there.setAttribute("data-here", "");
    gather();
    scrollIntoPane(list, there);
    stage.announce(`${stage.word("at_line", { line: here - texts[shownText].before })}${stage.word("colon")}${source[here - 1].trim()}`);
  }

  /** A click on a line leads to its step, unless it ends a selection of code. @param {MouseEvent} event */
  function visit(event) {
    const line = lines.findIndex((each) => each?.contains(/** @type {Node} */ (event.target))) + 1;
    if (!line || list.ownerDocument.getSelection()?.type === "Range") return;
    goToLine(line);
  }

  /** @param {number} line */
  function goToLine(line) {
    const step = visitOf(line, stage.step, stage.payload.steps, stage.stops);
    if (step >= 0) stage.go(step);
  }

  /** @type {HTMLElement | undefined} */
  let current;
  /** The lines that are marked now. @type {Set<number>} */
  let marked = new Set();
  let shown = "";

  /** Marks the lines of a stale value's trace, as a report in a terminal would. @param {Marked[]} marks */
  function mark(marks) {
    const key = marks.length ? `${stage.step} ${stage.language}` : "";
    if (key === shown) return;
    shown = key;
    for (const number of marked) {
      const [, code, ...tags] = lines[number - 1].children;
      for (const tag of tags) tag.remove();
      lines[number - 1].classList.remove("ipl-marked");
      code.replaceChildren(...written(source[number - 1]));
    }
    marked = new Set();
    for (const [number, role, brief, says, from, to] of marks) {
      const line = lines[number - 1];
      if (!line) continue;
      // If a line has two marks, the first is underlined.
      if (!marked.has(number)) line.children[1].replaceChildren(...written(source[number - 1], role, from, to));
      line.append(tagged(role, brief, says));
      line.classList.add("ipl-marked");
      marked.add(number);
    }
  }

  /** What is said behind a line. @param {string} role @param {number} brief @param {number} says */
  function tagged(role, brief, says) {
    return html("span", { class: `ipl-traced ipl-traced-${role}`, title: speak(said[says], stage.language) }, speak(said[brief], stage.language));
  }

  /** Fills the lines without height: those that are marked at any step and, where not all lines are shown, every line. */
  function keepWidth() {
    /** @type {Map<string, [number, Marked[]]>} */
    const found = new Map(isShort ? source.map((_, k) => [String(k + 1), [k + 1, []]]) : []);
    for (const line of texts.length > 1 ? texts.flatMap(longestOf) : []) found.set(String(line), [line, []]);
    for (const { marked: marks = [] } of stage.payload.steps) {
      for (const [line] of marks.filter(([number]) => source[number - 1] !== undefined)) {
        const own = marks.filter(([number]) => number === line);
        found.set(own.map(([, role, brief]) => `${line} ${role} ${brief}`).join(), [line, own]);
      }
    }
    widest.replaceChildren(...[...found.values()].map(([line, marks]) => {
      const text = html("span", {}, source[line - 1].trimStart());
      text.style.paddingLeft = paddingOf(source[line - 1]);
      return html("span", { class: "ipl-marked" }, text, ...marks.map(([, role, brief, says]) => tagged(role, brief, says)));
    }));
  }

  /** The longest lines of a text. @param {import("./places.js").Source} text */
  function longestOf({ before, count }) {
    const numbers = Array.from({ length: count }, (_, k) => before + k + 1);
    return numbers.sort((one, other) => source[other - 1].length - source[one - 1].length).slice(0, LONGEST_LINES);
  }

  function show() {
    const now = stage.payload.steps[stage.step];
    if (looked?.step !== stage.step) looked = null;
    turnTo(looked?.text ?? sourceAt(stage.payload, now.line));
    current?.classList.remove("ipl-wrong");
    current?.removeAttribute("aria-current");
    current = now.line === null ? undefined : lines[now.line - 1];
    current?.classList.toggle("ipl-wrong", now.error === true);
    current?.setAttribute("aria-current", "step");
    mark(now.marked ?? []);
    if (head) markCalls(now);
    gather();
  }

  /** The lines that stand on the way to the present one. @type {HTMLElement[]} */
  let calling = [];

  /** Marks the lines of the calls, and the one that the reader has asked for. @param {Step} now */
  function markCalls(now) {
    for (const line of calling) {
      line.classList.remove("ipl-calling");
      line.removeAttribute("data-looked");
    }
    const calls = callsOf(stage.payload, now).slice(0, -1);
    calling = calls.flatMap((call) => lines[call.line - 1] ?? []);
    for (const line of calling) line.classList.add("ipl-calling");
    if (looked?.line) lines[looked.line - 1]?.setAttribute("data-looked", "");
    if (looked?.line && lines[looked.line - 1]) calling.push(lines[looked.line - 1]);
    panel.setAttribute("aria-label", speak(texts[shownText].name, stage.language));
    head?.mark(shownText, looked ? looked.line : null);
    head?.show?.();
    const away = (now.marked ?? []).filter(([line]) => sourceAt(stage.payload, line) !== shownText);
    head?.tell(away.map(([line, role, brief, says]) => ({ line, tag: tagged(role, brief, says) })));
  }

  /** Chooses the lines that are shown while not all are. */
  function gather() {
    if (!isShort) return;
    const around = linesAround(here || (stage.payload.steps[stage.step].line ?? 1), lines.length, marked);
    lines.forEach((line, k) => {
      line.classList.toggle("ipl-far", !around.has(k + 1));
      line.classList.toggle("ipl-gap", around.has(k + 1) && k > 0 && !around.has(k));
    });
  }

  /** Highlights the lines that made or wrote what the reader points at. @param {Set<string>} _ @param {Set<number>} numbers */
  function highlight(_, numbers) {
    lines.forEach((line, k) => line.toggleAttribute("data-related", numbers.has(k + 1)));
  }

  const leaveOut = () => leaveOutRows(list, linesOf(shownText));
  list.addEventListener("scroll", leaveOut);
  new ResizeObserver(() => {
    head?.settle?.();
    leaveOut();
  }).observe(list);

  function settle() {
    head?.settle?.();
    const scroll = bringing();
    return () => {
      scroll?.();
      leaveOut();
    };
  }

  /** Scrolls the running line into view, with the lines of the trace if they fit. */
  function bringing() {
    const main = looked ? lines[(looked.line ?? 0) - 1] : current;
    if (!main || main.parentNode !== list) return undefined;
    arrive(list);
    const room = list.clientHeight;
    const traced = [...marked].map((number) => lines[number - 1]).filter((line) => line.parentNode === list);
    const bottom = Math.max(...[main, ...traced].map((line) => line.offsetTop + line.offsetHeight));
    const highest = Math.min(...[main, ...traced].map((line) => line.offsetTop));
    const [top, height] = bottom - highest <= room ? [highest, bottom - highest] : [main.offsetTop, main.offsetHeight];
    const isInSight = top >= list.scrollTop && top + height <= list.scrollTop + room;
    const wanted = top - Math.max(0, Math.min(room / 3, room - height));
    // No line is cut off at the top.
    const first = linesOf(shownText).find((line) => line.offsetTop >= wanted);
    return isInSight ? undefined : () => scrollPane(list, { top: wanted > 0 && first ? first.offsetTop : 0, left: list.scrollLeft });
  }

  /** The height of all lines, as they are wrapped now; of those around any line, where only these are shown. */
  function need() {
    const shownLines = linesOf(shownText);
    if (list.classList.contains("ipl-short") && getComputedStyle(more).display !== "none") {
      const rows = Math.max(...shownLines.map((line) => line.offsetHeight));
      return rows * (LINES_AROUND + new Set(stage.payload.steps.flatMap((step) => (step.marked ?? []).map(([line]) => line))).size) + more.offsetHeight + 14;
    }
    heights[shownText] = heightOf(shownLines);
    const row = shownLines[0].offsetHeight;
    const highest = Math.max(...texts.map(({ count }, k) => heights[k] ?? count * row + 14));
    return highest + (head ? head.root.offsetHeight : 0);
  }

  /** @param {HTMLElement[]} some  Lines that are shown. */
  function heightOf(some) {
    const last = some[some.length - 1];
    return last.offsetTop + last.offsetHeight + 7;
  }

  function translate() {
    list.setAttribute("aria-label", stage.word("code"));
    head?.translate?.();
    keepWidth();
    more.textContent = stage.word(list.classList.contains("ipl-short") ? "all_lines" : "fewer_lines", { count: source.length });
  }

  /** The element of a line, also of a text that is not shown. @param {number} line */
  function lineAt(line) {
    linesOf(sourceAt(stage.payload, line));
    return lines[line - 1];
  }

  turnTo(sourceAt(stage.payload, stage.payload.steps[stage.step].line));
  return { root, need, show, settle, translate, highlight, lineAt };
}

/** Indentation as padding, so that a wrapped line keeps it. @param {string} line */
function paddingOf(line) {
  return `${Math.min(indentOf(line), 12) + 2}ch`;
}
