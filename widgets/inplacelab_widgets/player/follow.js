// Follows a tensor: its storages are always drawn in full, its nodes and lanes are marked, and only steps that concern it are stops.

import { html } from "./dom.js";
/** @import { Part, Stage } from "./stage.js" */

/** @param {Stage} stage @returns {Part} */
export function drawFollow(stage) {
  const select = html("select", { class: "ipl-button ipl-follow" });
  select.append(html("option", { value: "" }), ...stage.payload.threads.map(({ name }) => html("option", { value: name }, name)));
  select.addEventListener("change", () => stage.choose("thread", select.value));
  const show = () => (select.value = stage.thread);

  function translate() {
    select.options[0].textContent = stage.word("follow_nothing");
    select.setAttribute("aria-label", stage.word("follow"));
    select.title = stage.word("follow_hint");
  }

  return { root: select, show, translate };
}
