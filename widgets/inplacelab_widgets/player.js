// Plays a recording that Python has drawn: it toggles classes, attributes and text, and moves nothing.
//
// Plain ES module, no imports. All words come with the payload; user text is only ever set as text, never as markup.

/** @typedef {string | [string, string]} Said  The same in both languages, or [English, Chinese]. */
/** @typedef {Object<string, string | number>} Attributes */
/** @typedef {[number, number?, number?]} Look  Positions in `styles`, `said`, `moves`; -1 or missing: none. */
/** @typedef {[string, Attributes, number[]?, string?, string?]} Mark  [tag, place, [step, look, step, look, ...], keys, links]; look -1: not there. */
/** @typedef {{x: number, y: number, first: number, last: number, marks: Mark[]}} Group */
/** @typedef {{name: string, width: number, height: number, says: number[], groups: Group[]}} Panel */
/** @typedef {{line: number | null, phase: string, error: boolean, stop: boolean, says: Said}} Step */
/** @typedef {{title: Said, columns: Said[], rows: Object<string, [number, number[] | null][]>}} Table  Cells are positions in `said`. */
/**
 * @typedef {Object} Payload
 * @property {string} title
 * @property {boolean} simulated
 * @property {number} truncated
 * @property {string[]} source
 * @property {"graph" | "history"} opens
 * @property {Step[]} steps
 * @property {Panel[]} panels
 * @property {Table[]} tables
 * @property {{left: number, spacing: number}} axis
 * @property {Object<string, Said>} words
 * @property {Said[]} said
 * @property {string[]} styles
 * @property {Attributes[]} moves
 * @property {Look[]} looks
 */

// --- pure functions ---------------------------------------------------------------------------------------------------

/** What holds at `step` in a list of [first step, value] in order; undefined before the first.
 * @template T @param {[number, T][]} runs @param {number} step @returns {T | undefined} */
export function valueAt(runs, step) {
  return runAt(runs, step)?.[1];
}

/** The run that holds at `step`. @template T @param {[number, T][]} runs @param {number} step @returns {[number, T] | undefined} */
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

/** @param {Said | null | undefined} said @param {string} language */
export function speak(said, language) {
  if (said === null || said === undefined) return "";
  return Array.isArray(said) ? said[language === "zh" ? 1 : 0] : said;
}

/** Fill `{placeholders}`. @param {string} pattern @param {Object<string, string | number>} facts */
export function fill(pattern, facts) {
  return pattern.replace(/\{(\w+)\}/g, (whole, key) => (Object.hasOwn(facts, key) ? String(facts[key]) : whole));
}

/** A sentence in pieces: words between backticks are code. @param {string} sentence @returns {{code: boolean, text: string}[]} */
export function pieces(sentence) {
  const parts = sentence.split("`");
  // An odd number of backticks: the last one stands for itself.
  if (parts.length % 2 === 0) {
    const rest = parts.pop();
    parts[parts.length - 1] += `\`${rest}`;
  }
  return parts.map((text, k) => ({ code: k % 2 === 1, text })).filter((piece) => piece.text);
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

/** What a key asks for, or null if it is none of ours.
 * @param {{key: string, shiftKey?: boolean, ctrlKey?: boolean, altKey?: boolean, metaKey?: boolean}} event */
export function actionOf(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return null;
  const shifted = { ArrowLeft: "previousStop", ArrowRight: "nextStop" };
  const plain = {
    ArrowLeft: "previous",
    ArrowRight: "next",
    Home: "first",
    End: "last",
    PageUp: "previousPhase",
    PageDown: "nextPhase",
    " ": "play",
    Escape: "leave",
  };
  const keys = event.shiftKey ? shifted : plain;
  return Object.hasOwn(keys, event.key) ? keys[event.key] : null;
}

/** The step that an action leads to. @param {string} action @param {number} step @param {Step[]} steps */
export function target(action, step, steps) {
  const count = steps.length;
  const phaseBegins = (/** @type {number} */ at) => at === 0 || steps[at].phase !== steps[at - 1].phase;
  switch (action) {
    case "first":
      return 0;
    case "last":
      return count - 1;
    case "previous":
      return clamp(step - 1, count);
    case "next":
      return clamp(step + 1, count);
    case "previousStop":
      return seek(count, step, -1, (at) => steps[at].stop);
    case "nextStop":
      return seek(count, step, 1, (at) => steps[at].stop);
    case "previousPhase":
      return seek(count, step, -1, phaseBegins);
    case "nextPhase":
      return seek(count, step, 1, phaseBegins);
    default:
      return step;
  }
}

/** Whether a mark with `keys` belongs to what is pointed at. @param {string} keys @param {Set<string>} wanted */
export function isRelated(keys, wanted) {
  return keys !== "" && keys.split(" ").some((key) => wanted.has(key));
}

/** How many blanks a line begins with. @param {string} line */
export function indentOf(line) {
  return line.length - line.trimStart().length;
}

/** The step under a click at `x` on the axis. @param {number} x @param {{left: number, spacing: number}} axis @param {number} count */
export function stepAt(x, axis, count) {
  return clamp((x - axis.left) / axis.spacing, count);
}

// --- making elements --------------------------------------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} tag @param {Object<string, any>} [attributes] @param {(Node | string)[]} children */
function html(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** @param {string} tag @param {Object<string, any>} [attributes] */
function svg(tag, attributes = {}) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

const ICONS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  previous: "M11.5 3v10L4.5 8z",
  next: "M4.5 3v10l7-5z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
  play: "M4 2.5v11l9-5.5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
};

/** @param {string} name */
function icon(name) {
  const drawing = svg("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" });
  drawing.append(svg("path", { d: ICONS[name] }));
  return drawing;
}

// --- panels -------------------------------------------------------------------------------------------------------------

let serial = 0;

/** Draws one panel and returns how to bring it to a step. @param {Panel} panel @param {Payload} payload */
function drawPanel(panel, payload) {
  const descriptions = paired(panel.says);
  const id = `ipl-${(serial += 1)}`;
  const title = svg("title", { id: `${id}-t` });
  const desc = svg("desc", { id: `${id}-d` });
  const root = svg("svg", {
    viewBox: `0 0 ${panel.width} ${panel.height}`,
    width: panel.width,
    height: panel.height,
    role: "img",
    "aria-labelledby": `${id}-t`,
    "aria-describedby": `${id}-d`,
  });
  root.append(title, desc);
  /** @type {{element: Element, runs: [number, number][], keys: string, look: number}[]} */
  const marks = [];
  const groups = panel.groups.map((group) => {
    const holder = svg("g", { transform: `translate(${group.x} ${group.y})` });
    for (const [tag, place, runs = [], keys = "", links = ""] of group.marks) {
      const element = svg(tag, place);
      if (keys || links) element.setAttribute("data-k", `${keys} ${links}`.trim());
      holder.append(element);
      element.toggleAttribute("hidden", true);
      marks.push({ element, runs: paired(runs), keys, look: -1 });
    }
    root.append(holder);
    return { holder, group };
  });

  /** Returns what a reader should look at first in this step. @param {number} step @param {string} language */
  function show(step, language) {
    /** @type {Element[]} */
    const changed = [];
    for (const { holder, group } of groups) holder.toggleAttribute("hidden", step < group.first || step > group.last);
    for (const mark of marks) {
      const [since, look] = runAt(mark.runs, step) ?? [-1, -1];
      const [style, said = -1, move = -1] = look < 0 ? [-1] : payload.looks[look];
      if (since === step && style >= 0 && EMPHASIS.test(payload.styles[style])) changed.push(mark.element);
      if (look === mark.look) continue;
      mark.look = look;
      mark.element.toggleAttribute("hidden", look < 0);
      if (look < 0) continue;
      mark.element.setAttribute("class", payload.styles[style]);
      for (const [key, value] of Object.entries(payload.moves[move] ?? {})) mark.element.setAttribute(key, String(value));
      if (said >= 0) mark.element.textContent = speak(payload.said[said], language);
    }
    desc.textContent = speak(payload.said[valueAt(descriptions, step) ?? descriptions[0][1]], language);
    return changed;
  }

  /** @param {string} language @param {string} name */
  function translate(language, name) {
    title.textContent = name;
    for (const mark of marks) {
      const said = payload.said[payload.looks[mark.look]?.[1] ?? -1];
      if (Array.isArray(said)) mark.element.textContent = speak(said, language);
    }
  }

  /** @param {Set<string>} wanted */
  function highlight(wanted) {
    for (const mark of marks) mark.element.toggleAttribute("data-related", isRelated(mark.keys, wanted));
  }

  return { root, show, translate, highlight };
}

const EMPHASIS = /ipl-(written|inked|failed|raised|checked|unpacking|arrived|new|changed)\b/;
const STRONGEST = ".ipl-written,.ipl-inked,.ipl-failed,.ipl-checked";

/** How far to scroll so that the span from `low` to `high` lies within `start` to `end`, with some air around it.
 * @param {number} low @param {number} high @param {number} start @param {number} end */
export function scrollNeeded(low, high, start, end) {
  const air = Math.max(0, Math.min(26, (end - start - (high - low)) / 2));
  if (low < start + 1) return low - start - air;
  if (high > end - 1) return Math.min(high - end + air, low - start - air);
  return 0;
}

/** Scrolls a pane, and only that pane, so that what this step changed is in sight: all of it, or if that does not fit,
 * what was drawn last. @param {HTMLElement} pane @param {Element[]} changed */
function bringIntoSight(pane, changed) {
  const room = pane.getBoundingClientRect();
  const strongest = changed.filter((element) => element.matches(STRONGEST));
  const boxes = (strongest.length ? strongest : changed).map((element) => element.getBoundingClientRect()).filter((box) => box.width);
  if (!room.height || !boxes.length) return;
  const span = (/** @type {DOMRect[]} */ some) => ({
    top: Math.min(...some.map((box) => box.top)),
    bottom: Math.max(...some.map((box) => box.bottom)),
    left: Math.min(...some.map((box) => box.left)),
    right: Math.max(...some.map((box) => box.right)),
  });
  const all = span(boxes);
  const fits = all.bottom - all.top <= room.height && all.right - all.left <= room.width;
  const { top, bottom, left, right } = fits ? all : span(boxes.slice(-1));
  pane.scrollBy({ top: scrollNeeded(top, bottom, room.top, room.bottom), left: scrollNeeded(left, right, room.left, room.right) });
}

// --- tables -------------------------------------------------------------------------------------------------------------

/** @param {Payload} payload @param {(by: "pointer" | "keyboard", keys: string) => void} highlight */
function drawTables({ tables, said }, highlight) {
  const holder = html("div", { class: "ipl-tables" });

  /** @param {number} step @param {string} language */
  function show(step, language) {
    const filled = tables.filter((table) => Object.values(table.rows).some((runs) => valueAt(runs, step)));
    holder.replaceChildren(...filled.map((table) => one(table, step, language)));
  }

  /** @param {Table} table @param {number} step @param {string} language */
  function one(table, step, language) {
    const head = html("tr", {}, ...table.columns.map((column) => html("th", { scope: "col" }, speak(column, language))));
    const rows = Object.entries(table.rows)
      .map(([key, runs]) => ({ key, cells: valueAt(runs, step) }))
      .filter((row) => row.cells)
      .map((row) => line(row.key, (row.cells ?? []).map((cell) => said[cell]), language));
    const caption = html("caption", {}, speak(table.title, language));
    return html("table", {}, caption, html("thead", {}, head), html("tbody", {}, ...rows));
  }

  /** @param {string} key @param {Said[]} cells @param {string} language */
  function line(key, cells, language) {
    const [name, ...rest] = cells.map((cell) => speak(cell, language));
    // A button, so that the keyboard can ask "which part of the picture is this?".
    const pointer = html("button", { type: "button", class: "ipl-pointer", "data-k": key }, name);
    pointer.addEventListener("focus", () => highlight("keyboard", key));
    pointer.addEventListener("blur", () => highlight("keyboard", ""));
    return html("tr", {}, html("th", { scope: "row" }, pointer), ...rest.map((cell) => html("td", {}, cell)));
  }

  return { holder, show };
}

// --- the player -----------------------------------------------------------------------------------------------------------

/**
 * Builds the player in `el`.
 * @param {HTMLElement} el
 * @param {Payload} payload
 * @param {{step?: number, language?: string, standalone?: boolean, onStep?: (step: number) => void, onLanguage?: (language: string) => void}} [options]
 */
export function mount(el, payload, options = {}) {
  const { steps } = payload;
  let step = clamp(options.step ?? 0, steps.length);
  let language = options.language === "zh" ? "zh" : "en";
  let timer = 0;
  const word = (/** @type {string} */ key, facts = {}) => fill(speak(payload.words[key], language), facts);

  const root = html("div", { class: "ipl", role: "region", tabindex: "0", "data-lm-suppress-shortcuts": "true" });
  if (options.standalone) root.classList.add("ipl-standalone");

  // Toolbar.
  /** @type {Object<string, HTMLElement>} */
  const buttons = {};
  for (const name of ["first", "previous", "play", "next", "last"]) {
    buttons[name] = html("button", { type: "button", class: "ipl-button" }, icon(name));
    buttons[name].addEventListener("click", () => (name === "play" ? togglePlay() : go(target(name, step, steps))));
  }
  const slider = /** @type {HTMLInputElement} */ (html("input", { type: "range", min: 0, max: Math.max(steps.length - 1, 0), step: 1 }));
  slider.addEventListener("input", () => go(Number(slider.value)));
  const counter = html("span", { class: "ipl-counter", "aria-hidden": "true" });
  const where = html("span", { class: "ipl-where", "aria-hidden": "true" });
  const tongue = html("button", { type: "button", class: "ipl-button ipl-tongue" });
  tongue.addEventListener("click", () => {
    setLanguage(language === "zh" ? "en" : "zh");
    options.onLanguage?.(language);
  });
  const toolbar = html("div", { class: "ipl-toolbar", role: "toolbar" }, ...Object.values(buttons), slider, counter, where, tongue);

  // Code.
  const lines = payload.source.map((line, k) => {
    const code = html("code", {}, line.trimStart() || " ");
    // Indentation as padding, so that a wrapped line keeps it.
    code.style.paddingLeft = `${Math.min(indentOf(line), 12) + 2}ch`;
    return html("li", {}, html("span", { class: "ipl-number", "aria-hidden": "true" }, String(k + 1)), code);
  });
  const code = html("ol", { class: "ipl-code", tabindex: "0" }, ...lines);

  // Panels.
  const panels = Object.fromEntries(payload.panels.map((panel) => [panel.name, drawPanel(panel, payload)]));
  const storages = html("div", { class: "ipl-pane ipl-storages", tabindex: "0", role: "group" }, panels.storages.root);
  const graph = html("div", { class: "ipl-pane ipl-graph", tabindex: "0", role: "group" }, panels.graph.root);
  const history = html("div", { class: "ipl-pane ipl-history", tabindex: "0", role: "group" }, panels.lanes.root, panels.memory.root);
  for (const name of ["lanes", "memory"]) panels[name].root.addEventListener("click", (event) => go(clickedStep(panels[name].root, event)));
  const panes = { graph, history };
  /** @type {Object<string, HTMLElement>} */
  const tabs = {};
  for (const name of ["graph", "history"]) {
    tabs[name] = html("button", { type: "button", class: "ipl-tab" });
    tabs[name].addEventListener("click", () => open(name));
  }
  const chooser = html("div", { class: "ipl-chooser", role: "group" }, ...Object.values(tabs));

  // Sentence: an invisible copy of the longest one keeps the room, so that nothing below moves.
  const sentence = html("p", { class: "ipl-sentence", role: "status", "aria-live": "polite" });
  const room = html("p", { class: "ipl-sentence ipl-room", "aria-hidden": "true" });
  const saying = html("div", { class: "ipl-saying" }, room, sentence);

  // Tables and notices.
  const tables = drawTables(payload, highlight);
  const summary = html("summary", {});
  const details = /** @type {HTMLDetailsElement} */ (html("details", { class: "ipl-details" }, summary, tables.holder));
  details.addEventListener("toggle", () => details.open && tables.show(step, language));
  const notice = html("span", { class: "ipl-notice" });
  const keys = html("span", { class: "ipl-keys" });
  const foot = html("div", { class: "ipl-foot" }, details, notice, keys);

  const views = html("div", { class: "ipl-views" }, graph, history);
  root.append(toolbar, html("div", { class: "ipl-main" }, code, storages), saying, chooser, views, foot);
  el.replaceChildren(root);

  /** @param {Element} drawing @param {MouseEvent} event */
  function clickedStep(drawing, event) {
    const box = drawing.getBoundingClientRect();
    const width = Number(drawing.getAttribute("width"));
    const x = ((event.clientX - box.left) / box.width) * width;
    return x < payload.axis.left - payload.axis.spacing ? step : stepAt(x, payload.axis, steps.length);
  }

  /** @param {string} name */
  function open(name) {
    for (const key of Object.keys(panes)) {
      panes[key].classList.toggle("ipl-closed", key !== name);
      tabs[key].setAttribute("aria-pressed", String(key === name));
    }
  }

  // What the pointer is on counts before what the keyboard is on.
  const wanted = { pointer: new Set(), keyboard: new Set() };

  /** @param {"pointer" | "keyboard"} by @param {string} keys */
  function highlight(by, keys) {
    const asked = new Set(keys ? keys.split(" ") : []);
    if (String([...asked]) === String([...wanted[by]])) return;
    wanted[by] = asked;
    const chosen = wanted.pointer.size ? wanted.pointer : wanted.keyboard;
    for (const panel of Object.values(panels)) panel.highlight(chosen);
  }

  /** @param {number} to */
  function go(to) {
    const next = clamp(to, steps.length);
    if (next === step) return;
    step = next;
    show();
    options.onStep?.(step);
  }

  function show() {
    const now = steps[step];
    /** @type {Object<string, Element[]>} */
    const changed = {};
    for (const [name, panel] of Object.entries(panels)) changed[name] = panel.show(step, language);
    slider.value = String(step);
    const at = now.line === null ? "" : `, ${word("at_line", { line: now.line })}`;
    slider.setAttribute("aria-valuetext", `${word("position", { step: step + 1, steps: steps.length })}${at}, ${word(now.phase)}`);
    counter.textContent = `${step + 1} / ${steps.length}`;
    where.textContent = word(now.phase);
    say(sentence, speak(now.says, language));
    saying.classList.toggle("ipl-wrong", now.error);
    lines.forEach((line, k) => {
      const current = now.line === k + 1;
      line.classList.toggle("ipl-wrong", current && now.error);
      if (current) line.setAttribute("aria-current", "step");
      else line.removeAttribute("aria-current");
    });
    for (const name of ["first", "previous"]) buttons[name].toggleAttribute("data-end", step === 0);
    for (const name of ["next", "last"]) buttons[name].toggleAttribute("data-end", step === steps.length - 1);
    if (details.open) tables.show(step, language);
    keepLineInSight();
    bringIntoSight(storages, changed.storages);
    bringIntoSight(graph, changed.graph);
  }

  function keepLineInSight() {
    const line = lines.find((each) => each.hasAttribute("aria-current"));
    if (!line) return;
    const top = line.offsetTop - code.offsetTop;
    if (top < code.scrollTop || top + line.offsetHeight > code.scrollTop + code.clientHeight) {
      code.scrollTop = Math.max(0, top - code.clientHeight / 3);
    }
  }

  /** @param {HTMLElement} holder @param {string} words */
  function say(holder, words) {
    holder.replaceChildren(...pieces(words).map((piece) => (piece.code ? html("code", {}, piece.text) : piece.text)));
  }

  /** @param {string} chosen */
  function setLanguage(chosen) {
    language = chosen === "zh" ? "zh" : "en";
    root.lang = language === "zh" ? "zh-Hans" : "en";
    root.setAttribute("aria-label", word("region", { title: payload.title }));
    toolbar.setAttribute("aria-label", word("toolbar"));
    chooser.setAttribute("aria-label", word("views"));
    slider.setAttribute("aria-label", word("slider"));
    code.setAttribute("aria-label", word("code"));
    storages.setAttribute("aria-label", word("storages"));
    graph.setAttribute("aria-label", word("graph"));
    history.setAttribute("aria-label", word("history"));
    for (const name of Object.keys(buttons)) label(buttons[name], word(name === "play" && timer ? "pause" : name));
    for (const name of Object.keys(tabs)) tabs[name].textContent = word(name);
    for (const name of Object.keys(panels)) panels[name].translate(language, word(name));
    tongue.textContent = word("language");
    tongue.title = word("language_hint");
    tongue.lang = language === "zh" ? "en" : "zh-Hans";
    summary.textContent = word("tables");
    keys.textContent = word("keys");
    const notes = [payload.simulated ? word("simulated") : "", payload.truncated ? word("truncated", { count: payload.truncated }) : ""];
    notice.textContent = notes.filter(Boolean).join(" · ");
    const said = steps.map((each) => speak(each.says, language));
    say(room, said.reduce((longest, each) => (each.length > longest.length ? each : longest), ""));
    show();
  }

  /** @param {HTMLElement} button @param {string} words */
  function label(button, words) {
    button.setAttribute("aria-label", words);
    button.title = words;
  }

  function togglePlay() {
    if (timer) return stop();
    if (step === steps.length - 1) go(0);
    timer = window.setInterval(() => (step < steps.length - 1 ? go(step + 1) : stop()), 1000);
    buttons.play.replaceChildren(icon("pause"));
    label(buttons.play, word("pause"));
  }

  function stop() {
    window.clearInterval(timer);
    timer = 0;
    buttons.play.replaceChildren(icon("play"));
    label(buttons.play, word("play"));
  }

  root.addEventListener("keydown", (event) => {
    const action = actionOf(event);
    const at = /** @type {HTMLElement} */ (event.target);
    // The space bar belongs to a focused button.
    if (!action || (action === "play" && (at.tagName === "BUTTON" || at.tagName === "SUMMARY"))) return;
    event.preventDefault();
    event.stopPropagation();
    if (action === "leave") at.blur();
    else if (action === "play") togglePlay();
    else {
      if (timer) stop();
      go(target(action, step, steps));
    }
  });
  let rest = "";
  root.addEventListener("pointermove", (event) => {
    // When the page scrolls under a pointer at rest, the browser reports a move to the same place: nobody pointed.
    const place = `${event.clientX} ${event.clientY}`;
    if (place === rest) return;
    rest = place;
    const mark = /** @type {Element} */ (event.target).closest("[data-k]");
    highlight("pointer", mark?.getAttribute("data-k") ?? "");
  });
  root.addEventListener("pointerleave", () => highlight("pointer", ""));

  open(payload.opens);
  setLanguage(language);

  return { go, setLanguage, step: () => step, destroy: () => window.clearInterval(timer), root };
}

/** How long to wait before telling the kernel of a step, in ms: a dragged slider sends one message, not a hundred. */
const QUIET = 120;

/** Keeps a model's `step` and a player's in step. What the reader does counts first: while a step waits to be sent, the
 * model's news (the kernel's echo of an earlier step) are old and are not followed.
 * @param {any} model @param {(step: number) => void} go */
export function courier(model, go) {
  let timer = 0;
  let mine = 0;
  return {
    /** @param {number} step */
    tell(step) {
      mine = step;
      clearTimeout(timer);
      timer = setTimeout(() => {
        timer = 0;
        model.set("step", mine);
        model.save_changes();
      }, QUIET);
    },
    hear: () => timer || go(model.get("step")),
    stop: () => clearTimeout(timer),
  };
}

/** The anywidget entry point. @param {{model: any, el: HTMLElement}} view */
function render({ model, el }) {
  const step = courier(model, (to) => player.go(to));
  const player = mount(el, model.get("_payload"), {
    step: model.get("step"),
    language: model.get("language"),
    onStep: step.tell,
    onLanguage(language) {
      model.set("language", language);
      model.save_changes();
    },
  });
  const followLanguage = () => player.setLanguage(model.get("language"));
  model.on("change:step", step.hear);
  model.on("change:language", followLanguage);
  return () => {
    step.stop();
    player.destroy();
    model.off("change:step", step.hear);
    model.off("change:language", followLanguage);
  };
}

export default { render };
