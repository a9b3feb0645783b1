// Where the program may write in place, and what that saves: a list below the tables, and where a kernel can do that, a button that has it tried.

import { html, say, write } from "./dom.js";
import { speak } from "./steps.js";
import { drawFold } from "./texts.js";
/** @import { Part, Stage } from "./stage.js" */
/** @import { Said } from "./steps.js" */

/** @typedef {{says?: Said, button?: Said, report?: Said[], diff?: string}} Trial  What is said of a trial, and on its button; and the report of one that has ended. */

/** @param {Stage} stage @param {NonNullable<import("./steps.js").Payload["savings"]>} savings @param {{saving?: () => Trial, save?: any}} options  `save` is called when the button is pressed.
 * @returns {Part & {holder: HTMLElement}} */
export function drawSavings(stage, savings, { saving = () => ({}), save }) {
  const { said } = stage.payload;
  const { root, holder } = drawFold("ipl-saves", show);
  holder.classList.add("ipl-savings");
  const list = html("div");
  const told = html("span", { "aria-live": "polite" });
  const button = html("button", { type: "button", class: "ipl-button" });
  button.addEventListener("click", save);
  holder.append(list, html("p", {}, told, " ", button));

  /** @param {HTMLElement} holder @param {Said} words */
  const words = (holder, words) => (say(holder, speak(words, stage.language)), holder);

  /** A line of the list goes to the first run of its operation. @param {[number, number, number, number]} row */
  function line([step, operation, ...cells]) {
    const pointer = words(html("button", { type: "button", class: "ipl-pointer" }), said[operation]);
    pointer.addEventListener("click", () => stage.go(step));
    return html("tr", {}, html("th", { scope: "row" }, pointer), ...cells.map((cell) => words(html("td"), said[cell])));
  }

  let last = "";

  function show() {
    if (holder.hidden) return;
    const { says, button: offer, report, diff } = saving();
    const now = `${stage.language} ${report}`;
    if (now !== last) {
      last = now;
      const table = () => html("table", {}, words(html("caption"), said[savings.title]), html("tbody", {}, ...savings.rows.map(line)));
      list.replaceChildren(...(report ? [...report.map((each) => words(html("div", { class: "ipl-report" }), each)), ...(diff ? [html("pre", { class: "ipl-fixed", tabindex: "0" }, diff)] : [])] : [table()]));
    }
    words(told, says ?? (report ? "" : said[savings.how]));
    write(button, speak(offer ?? "", stage.language));
    button.hidden = !offer;
  }

  function translate() {
    words(root, said[savings.button]);
    show();
  }

  return { root, holder, show, translate };
}
