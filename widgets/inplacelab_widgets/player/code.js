// The program's lines, with the one that is running.

import { html } from "./elements.js";

/** How many blanks a line begins with. @param {string} line */
export function indentOf(line) {
  return line.length - line.trimStart().length;
}

/** A line of code in the parts between which it is best wrapped: after brackets, commas and operators, and before a dot.
 * @param {string} code */
export function wrapParts(code) {
  return code.split(/(?<=[([{,=+*/|&])(?=[^\s=*])|(?<=[\w)\]])(?=\.[A-Za-z_])/);
}

/** @param {Stage} stage @returns {Part} */
export function drawCode(stage) {
  const lines = stage.payload.source.map((line, k) => {
    const parts = wrapParts(line.trimStart() || " ").flatMap((part) => [part, html("wbr")]);
    const code = html("code", {}, ...parts.slice(0, -1));
    // Indentation as padding, so that a wrapped line keeps it.
    code.style.paddingLeft = `${Math.min(indentOf(line), 12) + 2}ch`;
    return html("li", {}, html("span", { class: "ipl-number" }, String(k + 1)), code);
  });
  const root = html("ol", { class: "ipl-code", tabindex: "0" }, ...lines);

  /** @type {HTMLElement | undefined} */
  let current;

  function show() {
    const now = stage.payload.steps[stage.step];
    current?.classList.remove("ipl-wrong");
    current?.removeAttribute("aria-current");
    current = now.line === null ? undefined : lines[now.line - 1];
    current?.classList.toggle("ipl-wrong", now.error);
    current?.setAttribute("aria-current", "step");
  }

  /** Lines that made or wrote what is pointed at. @param {Set<string>} _ @param {Set<number>} numbers */
  function highlight(_, numbers) {
    lines.forEach((line, k) => line.toggleAttribute("data-related", numbers.has(k + 1)));
  }

  /** Keeps the line that runs in sight. */
  function settle() {
    if (!current) return undefined;
    const { offsetTop: top, offsetHeight: height } = current;
    const room = root.clientHeight;
    const isInSight = top >= root.scrollTop && top + height <= root.scrollTop + room;
    return isInSight ? undefined : () => (root.scrollTop = Math.max(0, top - room / 3));
  }

  /** Of all its lines, as they are broken now. */
  function need() {
    const last = lines.at(-1);
    return last.offsetTop + last.offsetHeight + 7;
  }

  const translate = () => root.setAttribute("aria-label", stage.word("code"));
  return { root, need, show, settle, translate, highlight };
}
