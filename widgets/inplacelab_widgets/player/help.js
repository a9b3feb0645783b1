// The keys, listed over the player while the reader asks for them.

import { html, label, sign } from "./elements.js";
import { speak } from "./words.js";

/** @param {Stage} stage @returns {Part & {button: HTMLElement, close: () => boolean, toggle: () => void}} */
export function drawHelp(stage) {
  const button = html("button", { type: "button", class: "ipl-button", "aria-expanded": "false" }, sign("?"));
  const heading = html("h2", {});
  const list = html("dl", {});
  const close = html("button", { type: "button", class: "ipl-button" });
  const root = html("div", { class: "ipl-help", role: "dialog", tabindex: "-1", hidden: "" }, heading, list, close);
  button.addEventListener("click", toggle);
  close.addEventListener("click", shut);

  function toggle() {
    if (shut()) return;
    root.hidden = false;
    button.setAttribute("aria-expanded", "true");
    root.focus();
  }

  /** Whether there was something to close. */
  function shut() {
    if (root.hidden) return false;
    root.hidden = true;
    button.setAttribute("aria-expanded", "false");
    stage.root.focus();
    return true;
  }

  function translate() {
    label(button, stage.word("help"));
    heading.textContent = stage.word("help_title");
    root.setAttribute("aria-label", stage.word("help_title"));
    close.textContent = stage.word("close");
    const rows = stage.payload.keys.map(([keys, does]) => [html("dt", {}, ...kbd(speak(keys, stage.language))), html("dd", {}, speak(does, stage.language))]);
    list.replaceChildren(...rows.flat());
  }

  return { root, button, translate, close: shut, toggle };
}

/** @param {string} keys */
function kbd(keys) {
  return keys.split(" ").flatMap((key) => [html("kbd", {}, key), " "]);
}
