// "Present": the player fills the screen, in type that can be read from the last row.

import { html, icon, label } from "./dom.js";
/** @import { Part, Stage } from "./stage.js" */

/** @param {Stage} stage @returns {Part & {leave: () => boolean, toggle: () => void}} */
export function drawPresent(stage) {
  const { root } = stage;
  const button = html("button", { type: "button", class: "ipl-button", "aria-pressed": "false" }, icon("present"));
  button.addEventListener("click", toggle);
  root.addEventListener("fullscreenchange", () => document.fullscreenElement !== root && leave());

  const isOn = () => root.classList.contains("ipl-present");

  function toggle() {
    if (leave()) return;
    set(true);
    // If the page must not fill the screen, the player fills the page, above everything else.
    if (root.requestFullscreen) root.requestFullscreen().catch(float);
    else float();
    root.focus();
  }

  function float() {
    if (!isOn() || !root.showPopover) return;
    root.setAttribute("popover", "manual");
    root.showPopover();
  }

  /** Ends it; returns whether it was on. */
  function leave() {
    if (!isOn()) return false;
    set(false);
    root.removeAttribute("popover");
    if (document.fullscreenElement === root) document.exitFullscreen();
    return true;
  }

  /** @param {boolean} on */
  function set(on) {
    root.classList.toggle("ipl-present", on);
    button.setAttribute("aria-pressed", String(on));
    // In large type a long sentence must be scrollable, also with the keyboard.
    const sentence = root.querySelector("[role=status]");
    if (on) sentence?.setAttribute("tabindex", "0");
    else sentence?.removeAttribute("tabindex");
    stage.show();
  }

  const translate = () => label(button, stage.word("present"));
  return { root: button, translate, leave, toggle };
}
