// Makes DOM elements. What a program wrote is always set as text, never as markup.

import { pieces } from "./steps.js";

const SVG = "http://www.w3.org/2000/svg";

/** @template {keyof HTMLElementTagNameMap} Tag @param {Tag} tag @param {Object<string, any>} [attributes] @param {(Node | string)[]} children */
export function html(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** @param {string} tag @param {Object<string, any>} [attributes] */
export function svg(tag, attributes = {}) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** Sets an attribute if it changes: a drawing is laid out again whenever one of its attributes is set.
 * @param {Element} element @param {string} key @param {string | number} value */
export function put(element, key, value) {
  if (element.getAttribute(key) !== String(value)) element.setAttribute(key, String(value));
}

/** Sets the text of an element if it changes. @param {Element} element @param {string} words */
export function write(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

/** @type {Object<string, string>} */
const ICONS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  previous: "M11.5 3v10L4.5 8z",
  next: "M4.5 3v10l7-5z",
  into: "M7 1h2v6h3l-4 4.5L4 7h3zM8 12a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6z",
  over: "M1.5 9.5a6.3 6.3 0 0 1 11-3.9L14.5 4v5.5H9l2-1.8a4.2 4.2 0 0 0-7.4 1.8zM8 11.5a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6z",
  out: "M8 .5L12 5H9v6H7V5H4zM8 12a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
  play: "M4 2.5v11l9-5.5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  share: "M8 1l4 4-1.4 1.4L9 4.8V10H7V4.8L5.4 6.4 4 5zM2 8h2v5h8V8h2v7H2z",
  present: "M2 2h5v2H4v3H2zM9 2h5v5h-2V4H9zM2 9h2v3h3v2H2zM12 9h2v5H9v-2h3z",
};

/** @param {string} name */
export function icon(name) {
  const drawing = svg("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" });
  drawing.append(svg("path", { d: ICONS[name] }));
  return drawing;
}

/** Words hidden from screen readers: a control that contains them is named by its title. @param {string} words */
export function sign(words) {
  return html("span", { "aria-hidden": "true" }, words);
}

/** Names a control with an icon, for screen readers and as a tooltip. With an additional label a screen reader would read the words
 * twice, as the name and as the description.
 * @param {HTMLElement} control @param {string} words */
export function label(control, words) {
  put(control, "title", words);
}

/** Labels the button for the other language: its word is in that language, its hint in the present one. @param {HTMLElement} button @param {string} word @param {string} hint @param {string} language */
export function speakOther(button, word, hint, language) {
  button.replaceChildren(html("span", { lang: language === "zh" ? "en" : "zh-Hans" }, word));
  button.title = hint;
}

/** Appends words to an element; those between backticks are code. @param {HTMLElement} holder @param {string} words @param {(Node | string)[]} more  Nodes after the words. */
export function say(holder, words, ...more) {
  holder.replaceChildren(...pieces(words).flatMap((piece) => (piece.code ? [html("code", {}, piece.text)] : unbroken(piece.text))), ...more);
}

/** Words in which a line does not end beside an arrow: "0 → 1". @param {string} words @returns {(Node | string)[]} */
function unbroken(words) {
  return words.split(/([\w\].-]+ → [\w[.-]+)/).map((part, k) => (k % 2 ? html("span", { class: "ipl-unbroken" }, part) : part));
}
