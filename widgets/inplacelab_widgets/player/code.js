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
    return html("li", {}, html("span", { class: "ipl-number", "aria-hidden": "true" }, String(k + 1)), code);
  });
  const root = html("ol", { class: "ipl-code", tabindex: "0" }, ...lines);

  function show() {
    const now = stage.payload.steps[stage.step];
    lines.forEach((line, k) => {
      const current = now.line === k + 1;
      line.classList.toggle("ipl-wrong", current && now.error);
      if (current) line.setAttribute("aria-current", "step");
      else line.removeAttribute("aria-current");
    });
    keepInSight(now.line === null ? undefined : lines[now.line - 1]);
  }

  /** Lines that made or wrote what is pointed at. @param {Set<string>} _ @param {Set<number>} numbers */
  function highlight(_, numbers) {
    lines.forEach((line, k) => line.toggleAttribute("data-related", numbers.has(k + 1)));
  }

  /** @param {HTMLElement | undefined} line */
  function keepInSight(line) {
    if (!line) return;
    const top = line.offsetTop - root.offsetTop;
    if (top < root.scrollTop || top + line.offsetHeight > root.scrollTop + root.clientHeight) {
      root.scrollTop = Math.max(0, top - root.clientHeight / 3);
    }
  }

  const translate = () => root.setAttribute("aria-label", stage.word("code"));
  return { root, show, translate, highlight };
}
