// Shows above the code which texts the program has, as tabs, and the calls that led to the present step, each a way to its text and line.

import { html, label, write } from "./dom.js";
import { callsOf, folded, sourceAt, sourcesOf } from "./places.js";
import { speak } from "./steps.js";
/** @import { Part, Stage } from "./stage.js" */
/** @import { Call } from "./places.js" */

/** The tab that a key leads to; -1 if the key is not for the tabs. @param {string} key @param {number} here @param {number} count */
export function tabAt(key, here, count) {
  /** @type {Object<string, number>} */
  const places = { ArrowLeft: Math.max(0, here - 1), ArrowRight: Math.min(count - 1, here + 1), Home: 0, End: count - 1 };
  return Object.hasOwn(places, key) ? places[key] : -1;
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
  const hasTabs = sources.length > 1;
  const hasCalls = (payload.places ?? []).some(([, , from]) => (from ?? -1) >= 0) || hasTabs;
  const root = html("div", { class: "ipl-above" }, ...(hasTabs ? [row] : []), ...(hasCalls ? [chain] : []), remark, others);
  if (hasTabs) text.id ||= `ipl-text-${(textsMade += 1)}`;
  let isWhole = false;
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

  function show() {
    const now = `${payload.steps[stage.step].place} ${stage.language} ${isWhole}`;
    if (!hasCalls || now === drawn) return;
    drawn = now;
    const calls = callsOf(payload, payload.steps[stage.step]);
    const had = chain.contains(/** @type {Document} */ (chain.getRootNode()).activeElement);
    const parts = folded(calls, isWhole).map((each) => ("left" in each ? drawLeft(each) : drawCall(each, each === calls[calls.length - 1])));
    chain.replaceChildren(...parts.flatMap((part, k) => (k ? [html("span", { class: "ipl-calls-arrow", "aria-hidden": "true" }, "›"), part] : [part])));
    chain.toggleAttribute("data-whole", isWhole);
    // Who stands in the chain stays in it: at the present call.
    if (had) /** @type {HTMLElement} */ (chain.querySelector("button:last-of-type") ?? text).focus({ preventScroll: true });
    chain.scrollLeft = chain.scrollWidth;
    markCall();
  }

  /** @param {Call} call @param {boolean} isLast */
  function drawCall(call, isLast) {
    const source = sourceAt(payload, call.line);
    const { name, before } = sources[source];
    const button = html("button", { type: "button", class: "ipl-call", "data-line": call.line }, speak(payload.said[isLast ? call.innermost : call.label], stage.language));
    const at = [call.name, `${speak(name, stage.language)}${hasTabs ? ":" : ""}${hasTabs ? call.line - before : stage.word("at_line", { line: call.line })}`].filter(Boolean).join(" · ");
    const code = payload.source[call.line - 1]?.trim();
    button.title = code ? `${at}\n${code}` : at;
    button.addEventListener("click", () => look(source, call.line));
    return button;
  }

  /** @param {{left: number, isFolded: boolean}} part */
  function drawLeft({ left, isFolded }) {
    const words = stage.word(isFolded ? "calls_between" : "calls_left_out", { count: left });
    if (!isFolded) return html("span", { class: "ipl-calls-left", title: stage.word("calls_left_out_why") }, words);
    const button = html("button", { type: "button", class: "ipl-call", title: stage.word("calls_unfold") }, words);
    button.addEventListener("click", () => {
      isWhole = true;
      show();
    });
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

  function translate() {
    row.setAttribute("aria-label", stage.word("sources"));
    chain.setAttribute("aria-label", stage.word("calls"));
    tabs.forEach((tab, k) => {
      write(tab, speak(sources[k].short, stage.language));
      const remarked = speak(sources[k].remark, stage.language);
      label(tab, `${speak(sources[k].name, stage.language)}${remarked ? `\n${remarked}` : ""}`);
      tab.toggleAttribute("data-remarked", remarked !== "");
      if (text.id) tab.setAttribute("aria-controls", text.id);
    });
  }

  return { root, show, translate, mark, tell, settle: () => void bringTab() };
}

/** How many texts have got an id. */
let textsMade = 0;
