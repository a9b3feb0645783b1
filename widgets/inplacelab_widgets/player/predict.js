// Predict mode: before a step is shown, the reader predicts its effect. The payload has the questions and the right answers.

import { html, say } from "./dom.js";
import { seenAt, speak } from "./steps.js";
/** @import { Part, Stage } from "./stage.js" */
/** @import { Said } from "./steps.js" */

/**
 * @typedef {Object} Question
 * @property {number} step  The step that it is about.
 * @property {string} kind  No step has two questions of one kind.
 * @property {string | null} op  The operation, where the line has several.
 * @property {Said} ask
 * @property {Said[]} options
 * @property {boolean} several  Whether any number of options may be right; otherwise one is.
 * @property {number[]} right
 * @property {Said} why
 * @property {string} about  The keys of the marks that it concerns.
 */
/** @typedef {{step: number, kind: string, chosen: number[] | null, right: boolean | null}} Answer  null: skipped. */

// --- pure functions ---------------------------------------------------------------------------------------------------

/** The questions about a step that were neither answered nor skipped.
 * @param {Question[]} questions @param {Answer[]} answers @param {number} step */
export function openQuestions(questions, answers, step) {
  const done = new Set(answers.filter((answer) => answer.step === step).map((answer) => answer.kind));
  return questions.filter((question) => question.step === step && !done.has(question.kind));
}

/** The first step after `from`, up to `to`, that still has a question; -1 if there is none.
 * @param {Question[]} questions @param {Answer[]} answers @param {number} from @param {number} to */
export function nextAsked(questions, answers, from, to) {
  const ahead = questions.map((question) => question.step).filter((step) => step > from && step <= to);
  const asking = ahead.filter((step) => openQuestions(questions, answers, step).length);
  return asking.length ? Math.min(...asking) : -1;
}

/** @param {Question} question @param {number[] | null} chosen  null: skipped. @returns {Answer} */
export function graded({ step, kind, right }, chosen) {
  if (chosen === null) return { step, kind, chosen, right: null };
  const sorted = [...chosen].sort((a, b) => a - b);
  return { step, kind, chosen: sorted, right: sorted.join() === right.join() };
}

/** The verdict on each option: rightly chosen ("hit"), wrongly chosen ("wrong"), right but not chosen ("missed"), or "".
 * @param {Question} question @param {number[]} chosen */
export function verdicts({ options, right }, chosen) {
  return options.map((_, k) => (right.includes(k) ? (chosen.includes(k) ? "hit" : "missed") : chosen.includes(k) ? "wrong" : ""));
}

/** The number of answered questions, and of right answers. @param {Answer[]} answers */
export function score(answers) {
  const given = answers.filter((answer) => answer.chosen !== null);
  return { right: given.filter((answer) => answer.right).length, given: given.length };
}

// --- the panel ----------------------------------------------------------------------------------------------------------

/**
 * The content of the panel: the questions about a step, and the answers once they are given.
 * @typedef {{step: number, questions: Question[], given: Answer[]}} Page
 */

/**
 * The panel covers the space below the pictures, so that nothing moves when it opens. It is open while there are questions about a step,
 * and then at that step, until the reader continues.
 * @param {Stage} stage @returns {Part & {switcher: HTMLElement}}
 */
export function drawPredict(stage) {
  const questions = stage.payload.predict ?? [];
  /** @type {Page | null} */
  let page = null;

  const switcher = html("button", { type: "button", class: "ipl-button ipl-predicting" });
  switcher.addEventListener("click", () => stage.choose("predict", !stage.predict));
  // A page has all of its questions from the beginning. In a notebook they arrive after the first picture.
  switcher.hidden = questions.length === 0 && (stage.payload.only === undefined || stage.root.classList.contains("ipl-standalone"));
  const root = html("form", { class: "ipl-predict" });
  root.addEventListener("submit", (event) => {
    event.preventDefault();
    if (isAsking()) check();
    else goOn();
  });
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    else if (!walkBoxes(event)) return;
    event.preventDefault();
    event.stopPropagation();
  });

  const isAsking = () => page !== null && page.given.length === 0;

  const readOn = stage.reach;
  // A reader who steps forward stops before the first step with a question; a jump to the end goes to the end.
  stage.reach = (action) => {
    const to = stage.leadsTo(action, stage.step);
    const asked = stage.predict && action !== "last" ? nextAsked(questions, stage.answers, stage.step, to) : -1;
    if (asked < 0) return readOn(action);
    stage.go(beforeAsked(asked));
    if (page?.step !== asked) draw({ step: asked, questions: openQuestions(questions, stage.answers, asked), given: [] });
    if (!root.contains(document.activeElement)) root.querySelector("input")?.focus();
    return false;
  };

  /** The step that is shown while a question is asked: the one before, as far as anything is seen there. @param {number} asked */
  function beforeAsked(asked) {
    return Math.min(seenAt(asked - 1, stage.payload.steps), asked - 1);
  }

  function check() {
    if (!page) return;
    const { step, questions: asked } = page;
    const fields = [...root.querySelectorAll("fieldset")].map((field) => [...field.querySelectorAll("input")]);
    const chosen = fields.map((inputs) => inputs.flatMap((input, k) => (input.checked ? [k] : [])));
    const blank = chosen.findIndex((each) => each.length === 0);
    if (blank >= 0) {
      root.querySelector(".ipl-remark")?.replaceChildren(stage.word("predict_choose"));
      stage.announce(stage.word("predict_choose"));
      return fields[blank][0].focus();
    }
    const given = asked.map((question, k) => graded(question, chosen[k]));
    stage.choose("answers", [...stage.answers, ...given]);
    page = { step, questions: asked, given };
    stage.go(step);
    draw(page);
    stage.point("keyboard", asked.map((question) => question.about).join(" ").trim());
    stage.announce([...root.querySelectorAll(".ipl-why strong, .ipl-remark")].map((each) => each.textContent).join(" "));
    root.querySelector("button")?.focus();
  }

  function skip() {
    if (!page) return;
    const { step, questions: asked } = page;
    stage.choose("answers", [...stage.answers, ...asked.map((question) => graded(question, null))]);
    close();
    stage.go(step);
  }

  function goOn() {
    close();
    stage.reach("next");
  }

  function close() {
    if (!page) return;
    const held = root.contains(document.activeElement);
    draw(null);
    stage.point("keyboard", "");
    if (held) stage.root.focus();
  }

  function show() {
    switcher.setAttribute("aria-pressed", String(stage.predict));
    stage.root.toggleAttribute("data-predict", stage.predict && questions.length > 0);
    const at = page && (isAsking() ? beforeAsked(page.step) : page.step);
    if (page && (!stage.predict || at !== stage.step)) close();
  }

  function translate() {
    switcher.textContent = stage.word("predict");
    switcher.title = stage.word("predict_hint");
    if (page) draw(page);
  }

  /** @param {Page | null} next */
  function draw(next) {
    // In another language the page and the chosen options stay the same.
    const ticked = next === page ? [...root.querySelectorAll("input")].map((input) => input.checked) : [];
    page = next;
    root.hidden = !page;
    root.replaceChildren(...(page ? drawPage(stage, page, { skip, close }) : []));
    root.setAttribute("aria-label", root.querySelector(".ipl-upcoming")?.textContent ?? "");
    [...root.querySelectorAll("input")].forEach((input, k) => (input.checked ||= ticked[k] ?? false));
  }

  draw(null);
  return { root, switcher, show, translate };
}

/** Up and down among check boxes, as among radio buttons. @param {KeyboardEvent} event */
function walkBoxes({ key, target: at }) {
  const turn = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (!turn || !(at instanceof HTMLInputElement) || at.type !== "checkbox") return false;
  const boxes = [...(at.closest("fieldset")?.querySelectorAll("input") ?? [])];
  boxes[(boxes.indexOf(at) + turn + boxes.length) % boxes.length].focus();
  return true;
}

// --- the content of a page-------------------------------------------------------------------------------------------

/** @param {Stage} stage @param {Page} page @param {{skip: () => void, close: () => void}} ways @returns {HTMLElement[]} */
function drawPage(stage, page, { skip, close }) {
  const checked = page.given.length > 0;
  const remark = html("span", { class: "ipl-remark" }, checked ? stage.word("predict_score", score(stage.answers)) : "");
  const first = html("button", { type: "submit", class: "ipl-button" }, stage.word(checked ? "predict_on" : "predict_check"));
  const second = html("button", { type: "button", class: "ipl-button" }, stage.word(checked ? "predict_look" : "predict_skip"));
  second.addEventListener("click", checked ? close : skip);
  const fields = page.questions.map((question, k) => drawQuestion(stage, question, page.given[k]));
  return [drawAhead(stage, page.questions[0], checked), ...fields, html("div", { class: "ipl-decide" }, first, second, remark)];
}

/** Which line comes next. @param {Stage} stage @param {Question} question @param {boolean} checked */
function drawAhead({ payload, word, lineWords }, { step, op }, checked) {
  const { line } = payload.steps[step];
  const words = (/** @type {number} */ at) => {
    if (!payload.sources) return word(checked ? "predict_line" : "predict_next", { line: at });
    return checked ? lineWords(at) : word("predict_next_place", { place: lineWords(at) });
  };
  const title = html("p", { class: "ipl-upcoming" }, line === null ? word("predict_step") : words(line));
  const code = line === null ? "" : payload.source[line - 1]?.trim();
  if (code) title.append(" ", html("code", {}, code));
  if (op) title.append(" · ", html("code", {}, op));
  return title;
}

/** @param {Stage} stage @param {Question} question @param {Answer | undefined} answer */
function drawQuestion(stage, question, answer) {
  const turnedOut = answer ? verdicts(question, answer.chosen ?? []) : [];
  const type = question.several ? "checkbox" : "radio";
  const choices = question.options.map((option, k) => {
    const input = html("input", { type, name: question.kind, value: k });
    input.checked = answer?.chosen?.includes(k) ?? false;
    input.disabled = Boolean(answer);
    const choice = html("label", { class: `ipl-choice ipl-turned-${turnedOut[k] || "out"}` }, input, spoken(stage, "span", option));
    if (turnedOut[k]) choice.append(html("strong", {}, stage.word(`predict_${turnedOut[k]}`)));
    return choice;
  });
  const root = html("div", { class: "ipl-question" }, html("fieldset", {}, spoken(stage, "legend", question.ask), ...choices));
  if (answer) {
    const why = spoken(stage, "p", question.why);
    why.className = "ipl-why";
    why.prepend(html("strong", {}, stage.word(answer.right ? "predict_right" : "predict_not_right")), " ");
    root.append(why);
  }
  return root;
}

/** @param {Stage} stage @param {"span" | "legend" | "p"} tag @param {Said} said */
function spoken({ language }, tag, said) {
  const element = html(tag);
  say(element, speak(said, language));
  return element;
}
