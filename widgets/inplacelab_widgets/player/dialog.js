// A dialog with a list over the player. When it is closed, the focus returns to where it was.

import { html } from "./dom.js";
/** @import { Stage } from "./stage.js" */

/** @param {Stage} stage @param {() => void} [changed]  Called when it is opened or closed.
 * @returns {{root: HTMLElement, isOpen: () => boolean, open: () => void, close: () => boolean, translate: (title: string) => void, fill: (...content: HTMLElement[]) => void}} */
export function makeDialog(stage, changed = () => {}) {
  const heading = html("h2", {});
  const body = html("div", {});
  const button = html("button", { type: "button", class: "ipl-button" });
  const root = html("div", { class: "ipl-help", role: "dialog", tabindex: "-1", hidden: "" }, heading, body, button);
  button.addEventListener("click", close);

  function open() {
    root.hidden = false;
    changed();
    root.focus();
  }

  /** Closes it; returns whether it was open. */
  function close() {
    if (root.hidden) return false;
    root.hidden = true;
    changed();
    stage.root.focus();
    return true;
  }

  /** @param {string} title */
  function translate(title) {
    heading.textContent = title;
    root.setAttribute("aria-label", title);
    button.textContent = stage.word("close");
  }

  return { root, isOpen: () => !root.hidden, open, close, translate, fill: (...content) => body.replaceChildren(...content) };
}
