// Shows above the code which texts the program has, as tabs, and the calls that led to the present step, each a way to its text and line.

import { html, label, sign, write } from "./dom.js";
import { callsOf, folded, sourceAt, sourcesOf } from "./places.js";
import { leaveOutTabs } from "./scrolling.js";
import { speak } from "./steps.js";
/** @import { Part, Stage } from "./stage.js" */
/** @import { Call } from "./places.js" */

/** The tab that a key leads to; -1 if the key is not for the tabs. @param {string} key @param {number} here @param {number} count */
export function tabAt(key, here, count) {
  /** @type {Object<string, number>} */
  const places = { ArrowLeft: Math.max(0, here - 1), ArrowRight: Math.min(count - 1, here + 1), Home: 0, End: count - 1 };
  return Object.hasOwn(places, key) ? places[key] : -1;
}

/** How many calls are left out at the beginning of a chain, so that the others fit: never the last one.
 * @param {number[]} needs  The width of the chain from each call on. @param {number} room @param {number} rest  That of the words in place of those left out. */
export function leftOut(needs, room, rest) {
  if (needs[0] <= room) return 0;
  const first = needs.findIndex((need, k) => k > 0 && rest + need <= room);
  return first < 0 ? needs.length - 1 : first;
}

/** A marked line of a text that is not shown, with what is said of it. @typedef {{line: number, tag: HTMLElement}} Away */

/** The head of the code. `look` shows a text, at one of its lines if one is given. @param {Stage} stage @param {HTMLElement} text  The code. @param {(source: number, line: number | null) => void} look
 * @returns {Part & {mark: (source: number, line: number | null) => void, tell: (away: Away[]) => void}} */
export function drawCalls(stage, text, look) {
  const { payload } = stage;
  const sources = sourcesOf(payload);
  const tabs = sources.map((_, k) => {
    const tab = html("button", { type: "button", role: "tab", class: "ipl-tab" });
    tab.addEventListener("click", () => look(k, null));
    return tab;
  });
  const row = html("div", { class: "ipl-sources", role: "tablist" }, ...tabs);
  row.addEventListener("keydown", walk);
  // A wheel turns up and down, and the row has no other direction to go.
  row.addEventListener("wheel", (event) => {
    if (!event.deltaY || row.scrollWidth <= row.clientWidth) return;
    row.scrollLeft += event.deltaY;
    event.preventDefault();
  });
  const remark = html("p", { class: "ipl-remark" });
  const others = html("ul", { class: "ipl-away" });
  const chain = html("nav", { class: "ipl-calls" });
  // In place of the calls for which there is no room.
  const rest = html("button", { type: "button", class: "ipl-call" }, sign("…"));
  rest.addEventListener("click", unfold);
  const hasTabs = sources.length > 1;
  const hasCalls = (payload.places ?? []).some(([, , from]) => (from ?? -1) >= 0) || hasTabs;
  // An invisible copy of the longest chain reserves its width, as far as that is not much.
  const reserved = html("span", { class: "ipl-calls-room", "aria-hidden": "true" });
  const root = html("div", { class: "ipl-above" }, ...(hasTabs ? [row] : []), ...(hasCalls ? [reserved, chain] : []), remark, others);
  if (hasTabs) text.id ||= `ipl-text-${(textsMade += 1)}`;
  /** The place whose chain the reader has unfolded, until the next step. @type {number | undefined} */
  let unfolded = -1;
  let shown = { source: 0, line: /** @type {number | null} */ (null) };

  /** @param {KeyboardEvent} event */
  function walk(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const here = tabs.findIndex((tab) => tab === event.target);
    const next = here < 0 ? -1 : tabAt(event.key, here, tabs.length);
    if (next < 0) return;
    event.preventDefault();
    event.stopPropagation();
    tabs[next].focus();
    look(next, null);
  }

  /** Says which text is shown, and which call. @param {number} source @param {number | null} line */
  function mark(source, line) {
    const isNew = source !== shown.source;
    shown = { source, line };
    tabs.forEach((tab, k) => {
      tab.setAttribute("aria-selected", String(k === source));
      tab.tabIndex = k === source ? 0 : -1;
    });
    write(remark, speak(sources[source].remark, stage.language));
    remark.hidden = !remark.textContent;
    if (isNew) bringTab();
    markCall();
  }

  /** Scrolls the row of tabs, and nothing else, until the tab of the shown text is seen. */
  function bringTab() {
    const tab = tabs[shown.source];
    const [first, last] = [tab.offsetLeft, tab.offsetLeft + tab.offsetWidth];
    if (first < row.scrollLeft || last > row.scrollLeft + row.clientWidth) row.scrollLeft = first - (row.clientWidth - tab.offsetWidth) / 2;
  }

  function markCall() {
    const buttons = [...chain.querySelectorAll("button")].filter((each) => each.dataset.line);
    const lit = buttons.findLastIndex((each) => (shown.line === null ? each === buttons[buttons.length - 1] && isOwn() : Number(each.dataset.line) === shown.line));
    buttons.forEach((each, k) => (k === lit ? each.setAttribute("aria-current", "location") : each.removeAttribute("aria-current")));
  }

  /** Whether the text of the step is shown. */
  const isOwn = () => sourceAt(payload, payload.steps[stage.step].line) === shown.source;

  let drawn = "";
  /** The chain, and the room, for which calls were left out. */
  let fitted = "";
  /** @type {HTMLElement[]} */
  let parts = [];

  function show() {
    const { place } = payload.steps[stage.step];
    const isWhole = place === unfolded;
    if (!isWhole) unfolded = -1;
    const now = `${place} ${stage.language} ${isWhole}`;
    if (!hasCalls || now === drawn) return;
    drawn = now;
    const calls = callsOf(payload, payload.steps[stage.step]);
    const last = calls[calls.length - 1];
    const had = chain.contains(/** @type {Document} */ (chain.getRootNode()).activeElement);
    parts = folded(calls, isWhole).map((each) => ("left" in each ? drawLeft(each) : drawCall(each, each === last)));
    label(rest, `${stage.word("calls_unfold")}${stage.word("colon")}${folded(calls, true).map((each) => wordsOf(each, each === last)).join(" › ")}`);
    rest.hidden = true;
    chain.replaceChildren(rest, ...parts.flatMap((part, k) => (k ? [html("span", { class: "ipl-calls-arrow", "aria-hidden": "true" }, "›"), part] : [part])));
    chain.toggleAttribute("data-whole", isWhole);
    // Who stands in the chain stays in it: at the present call.
    if (had) /** @type {HTMLElement} */ (chain.querySelector("button:last-of-type") ?? text).focus({ preventScroll: true });
    markCall();
  }

  /** Leaves out calls at the beginning, as many as there is no room for. */
  function fitChain() {
    const room = chain.getBoundingClientRect();
    const now = `${drawn} ${room.width}`;
    if (!parts.length || !room.width || now === fitted) return;
    fitted = now;
    const isWhole = chain.hasAttribute("data-whole");
    for (const each of chain.children) each.toggleAttribute("hidden", each === rest && isWhole);
    chain.removeAttribute("data-long");
    if (isWhole) return;
    const begin = rest.getBoundingClientRect();
    const end = parts[parts.length - 1].getBoundingClientRect().right;
    const within = room.width - 2 * (begin.left - room.left);
    // An arrow goes before each call but the first.
    const needs = parts.map((part, k) => end - (k ? part.previousElementSibling ?? part : part).getBoundingClientRect().left);
    const count = leftOut(needs, within, begin.width + 1);
    // "…" also stands for calls that are folded next to it.
    const first = count && count < parts.length - 1 && parts[count].hasAttribute("data-folded") ? count + 1 : count;
    rest.hidden = !first;
    parts.slice(0, first).forEach((part, k) => {
      part.hidden = true;
      if (k) part.previousElementSibling?.toggleAttribute("hidden", true);
    });
    chain.toggleAttribute("data-long", needs[first] + (first ? begin.width + 1 : 0) > within);
  }

  /** Shows all calls of the present place. */
  function unfold() {
    unfolded = payload.steps[stage.step].place;
    show();
    fitChain();
  }

  /** @param {Call | {left: number, isFolded: boolean}} part @param {boolean} isLast */
  function wordsOf(part, isLast = false) {
    if ("left" in part) return stage.word(part.isFolded ? "calls_between" : "calls_left_out", { count: part.left });
    return speak(payload.said[isLast ? part.innermost : part.label], stage.language);
  }

  /** @param {Call} call @param {boolean} isLast */
  function drawCall(call, isLast) {
    const source = sourceAt(payload, call.line);
    const { name, before } = sources[source];
    const button = html("button", { type: "button", class: "ipl-call", "data-line": call.line }, wordsOf(call, isLast));
    const at = [call.name, `${speak(name, stage.language)}${hasTabs ? ":" : ""}${hasTabs ? call.line - before : stage.word("at_line", { line: call.line })}`].filter(Boolean).join(" · ");
    const code = payload.source[call.line - 1]?.trim();
    button.title = code ? `${at}\n${code}` : at;
    button.addEventListener("click", () => look(source, call.line));
    return button;
  }

  /** @param {{left: number, isFolded: boolean}} part */
  function drawLeft(part) {
    const words = wordsOf(part);
    if (!part.isFolded) return html("span", { class: "ipl-calls-left", title: stage.word("calls_left_out_why") }, words);
    const button = html("button", { type: "button", class: "ipl-call", title: stage.word("calls_unfold"), "data-folded": "" }, words);
    button.addEventListener("click", unfold);
    return button;
  }

  /** Lists the marked lines of other texts. @param {Away[]} away */
  function tell(away) {
    others.hidden = !away.length;
    others.replaceChildren(
      ...away.map(({ line, tag }) => {
        const button = html("button", { type: "button", class: "ipl-call" }, stage.lineWords(line));
        button.addEventListener("click", () => look(sourceAt(payload, line), line));
        return html("li", {}, button, html("code", {}, payload.source[line - 1].trim()), tag);
      }),
    );
  }

  function settle() {
    bringTab();
    fitChain();
    leaveOutTabs(row, tabs);
    return undefined;
  }
  row.addEventListener("scroll", () => leaveOutTabs(row, tabs));

  function translate() {
    row.setAttribute("aria-label", stage.word("sources"));
    chain.setAttribute("aria-label", stage.word("calls"));
    const places = new Map(hasCalls ? payload.steps.map((step) => [step.place, step]) : []);
    const chains = [...places.values()].map((step) => folded(callsOf(payload, step)).map((each, k, all) => wordsOf(each, k === all.length - 1)).join(" ›  "));
    write(reserved, chains.reduce((longest, each) => (each.length > longest.length ? each : longest), ""));
    tabs.forEach((tab, k) => {
      write(tab, speak(sources[k].short, stage.language));
      const remarked = speak(sources[k].remark, stage.language);
      label(tab, `${speak(sources[k].name, stage.language)}${remarked ? `\n${remarked}` : ""}`);
      tab.toggleAttribute("data-remarked", remarked !== "");
      if (text.id) tab.setAttribute("aria-controls", text.id);
    });
  }

  return { root, show, translate, mark, tell, settle };
}

/** How many texts have got an id. */
let textsMade = 0;
