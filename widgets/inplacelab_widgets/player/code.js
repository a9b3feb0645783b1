// Shows the program's lines and marks the one that is running.

import { html } from "./dom.js";
import { arrive, scrollIntoPane, scrollPane } from "./scrolling.js";
import { speak, visitOf } from "./steps.js";
/** @import { Part, Stage } from "./stage.js" */
/** @import { Marked } from "./steps.js" */

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

/** @param {Stage} stage @param {boolean} [isAbove]  Whether the whole program stands above the player. @returns {Part} */
export function drawCode(stage, isAbove = false) {
  const { source, said } = stage.payload;
  const lines = source.map((line, k) => {
    const code = html("code", {}, ...written(line));
    // Indentation as padding, so that a wrapped line keeps it.
    code.style.paddingLeft = `${Math.min(indentOf(line), 12) + 2}ch`;
    return html("li", {}, html("span", { class: "ipl-number" }, String(k + 1)), code);
  });
  const more = html("button", { class: "ipl-more", "aria-expanded": "false" });
  const isShort = isAbove && source.length > LINES_AROUND + 1;
  // Lines without height, which are as wide as those of any step: the pane has the same width at every step.
  const widest = html("li", { class: "ipl-room", "aria-hidden": "true" });
  const root = html("ol", { class: "ipl-code", tabindex: "0" }, ...lines, ...(isShort ? [html("li", { class: "ipl-all" }, more)] : []), widest);
  root.classList.toggle("ipl-short", isShort);
  more.addEventListener("click", () => {
    const isWhole = !root.classList.toggle("ipl-short");
    more.setAttribute("aria-expanded", String(isWhole));
    translate();
    settle()?.();
  });
  const leads = new Set(stage.payload.steps.map((step) => step.line));
  lines.forEach((line, k) => line.classList.toggle("ipl-leads", leads.has(k + 1)));
  root.addEventListener("click", visit);
  root.addEventListener("keydown", walk);
  root.addEventListener("blur", () => stand(0));
  /** The line on which the keyboard stands; 0: none. */
  let here = 0;

  /** Up and down go from line to line, as far as they lead to a step, and Enter goes to the step. @param {KeyboardEvent} event */
  function walk(event) {
    if (event.target !== root || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) stand(lineBeside(here || (stage.payload.steps[stage.step].line ?? 0), by, leads, lines.length, here === 0));
    else if (event.key === "Enter" && here) goToLine(here);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} line */
  function stand(line) {
    lines[here - 1]?.removeAttribute("data-here");
    here = line;
    const there = lines[here - 1];
    if (!there) return;
    there.setAttribute("data-here", "");
    gather();
    scrollIntoPane(root, there);
    stage.announce(`${stage.word("at_line", { line: here })}${stage.word("colon")}${source[here - 1].trim()}`);
  }

  /** A click on a line leads to its step, unless it ends a selection of code. @param {MouseEvent} event */
  function visit(event) {
    const line = lines.findIndex((each) => each.contains(/** @type {Node} */ (event.target))) + 1;
    if (!line || root.ownerDocument.getSelection()?.type === "Range") return;
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
    for (const { marked: marks = [] } of stage.payload.steps) {
      for (const [line] of marks.filter(([number]) => lines[number - 1])) {
        const own = marks.filter(([number]) => number === line);
        found.set(own.map(([, role, brief]) => `${line} ${role} ${brief}`).join(), [line, own]);
      }
    }
    widest.replaceChildren(...[...found.values()].map(([line, marks]) => {
      const text = html("span", {}, source[line - 1].trimStart());
      text.style.paddingLeft = /** @type {HTMLElement} */ (lines[line - 1].children[1]).style.paddingLeft;
      return html("span", { class: "ipl-marked" }, text, ...marks.map(([, role, brief, says]) => tagged(role, brief, says)));
    }));
  }

  function show() {
    const now = stage.payload.steps[stage.step];
    current?.classList.remove("ipl-wrong");
    current?.removeAttribute("aria-current");
    current = now.line === null ? undefined : lines[now.line - 1];
    current?.classList.toggle("ipl-wrong", now.error === true);
    current?.setAttribute("aria-current", "step");
    mark(now.marked ?? []);
    gather();
  }

  /** Chooses the lines that are shown while not all are. */
  function gather() {
    if (!isShort) return;
    const shown = linesAround(here || (stage.payload.steps[stage.step].line ?? 1), lines.length, marked);
    lines.forEach((line, k) => {
      line.classList.toggle("ipl-far", !shown.has(k + 1));
      line.classList.toggle("ipl-gap", shown.has(k + 1) && k > 0 && !shown.has(k));
    });
  }

  /** Highlights the lines that made or wrote what the reader points at. @param {Set<string>} _ @param {Set<number>} numbers */
  function highlight(_, numbers) {
    lines.forEach((line, k) => line.toggleAttribute("data-related", numbers.has(k + 1)));
  }

  /** Scrolls the running line into view, with the lines of the trace if they fit. */
  function settle() {
    if (!current) return undefined;
    arrive(root);
    const room = root.clientHeight;
    const traced = [...marked].map((number) => lines[number - 1]);
    const bottom = Math.max(...[current, ...traced].map((line) => line.offsetTop + line.offsetHeight));
    const highest = Math.min(...[current, ...traced].map((line) => line.offsetTop));
    const [top, height] = bottom - highest <= room ? [highest, bottom - highest] : [current.offsetTop, current.offsetHeight];
    const isInSight = top >= root.scrollTop && top + height <= root.scrollTop + room;
    return isInSight ? undefined : () => scrollPane(root, { top: Math.max(0, top - Math.max(0, Math.min(room / 3, room - height))), left: root.scrollLeft });
  }

  /** The height of all lines, as they are wrapped now; of those around any line, where only these are shown. */
  function need() {
    if (root.classList.contains("ipl-short") && getComputedStyle(more).display !== "none") {
      const rows = Math.max(...lines.map((line) => line.offsetHeight));
      return rows * (LINES_AROUND + new Set(stage.payload.steps.flatMap((step) => (step.marked ?? []).map(([line]) => line))).size) + more.offsetHeight + 14;
    }
    const last = lines[lines.length - 1];
    return last.offsetTop + last.offsetHeight + 7;
  }

  function translate() {
    root.setAttribute("aria-label", stage.word("code"));
    keepWidth();
    more.textContent = stage.word(root.classList.contains("ipl-short") ? "all_lines" : "fewer_lines", { count: source.length });
  }
  return { root, need, show, settle, translate, highlight };
}
