// "Share": a dialog that copies a link to the step, saves it as a picture, or copies it as Markdown.

import { cardOf, drawCard } from "./card.js";
import { makeDialog } from "./dialog.js";
import { html, icon, label, write } from "./elements.js";
import { markdownOf } from "./markdown.js";
import { fill, speak } from "./words.js";
/** @import { Part, Stage } from "./stage.js" */

/** @param {Stage} stage @param {((step: number) => string | Promise<string>) | null} linkOf  Returns the link to a step; null where there is none.
 * @param {(stage: Stage) => Element} [card]  Draws the step as a card.
 * @returns {Part & {button: HTMLElement, close: () => boolean}} */
export function drawShare(stage, linkOf, card = cardOf) {
  const button = html("button", { type: "button", class: "ipl-button ipl-sharing", "aria-haspopup": "dialog" }, icon("share"));
  const dialog = makeDialog(stage);
  const outcome = html("p", { class: "ipl-outcome", "aria-live": "polite" });
  /** What the browser did not let us copy, for the reader to copy. */
  const text = /** @type {HTMLTextAreaElement} */ (html("textarea", { class: "ipl-to-copy", readonly: "", hidden: "", rows: 4, spellcheck: "false" }));
  // Of a long recording, only the first picture is there at first, without tables.
  button.toggleAttribute("disabled", stage.payload.only !== undefined);
  button.addEventListener("click", () => {
    renew();
    dialog.open();
  });
  /** The step and the language that are offered. */
  let offered = "";

  /** @param {string} key @param {Object<string, string | number>} [facts] */
  const word = (key, facts = {}) => fill(speak(stage.payload.sharing?.[key], stage.language), facts);

  function clear() {
    write(outcome, "");
    text.hidden = true;
  }

  function renew() {
    offered = `${stage.step} ${stage.language}`;
    clear();
    offer();
  }

  function offer() {
    dialog.translate(word("share_title", { step: stage.step + 1 }));
    text.setAttribute("aria-label", word("to_copy"));
    const link = linkOf ? [choice("copy_link", noteOnLink(), async () => copy(await linkOf(stage.step)))] : [note(word("no_link"))];
    const picture = choice("save_picture", "", savePicture);
    const markdown = choice("copy_markdown", "", () => copy(markdownOf(stage.payload, stage.step, stage.language)));
    dialog.fill(...link, picture, markdown, note(word("no_gif")), outcome, text);
  }

  /** A page that is a file has a link for this computer only. */
  function noteOnLink() {
    return location.protocol === "file:" ? word("link_of_file") : "";
  }

  /** @param {string} name @param {string} more @param {() => void} deed */
  function choice(name, more, deed) {
    const choose = html("button", { type: "button", class: "ipl-button" }, word(name));
    choose.addEventListener("click", () => {
      clear();
      deed();
    });
    return html("div", { class: "ipl-share" }, choose, ...(more ? [note(more)] : []));
  }

  /** @param {string} words */
  const note = (words) => html("p", { class: "ipl-share-note" }, words);

  /** @param {string} content */
  async function copy(content) {
    try {
      await navigator.clipboard.writeText(content);
      write(outcome, stage.word("copied"));
    } catch {
      // A page that is no secure context may not write to the clipboard: the reader can, from the selection.
      text.value = content;
      text.hidden = false;
      text.focus();
      text.select();
      write(outcome, word("copy_refused"));
    }
  }

  async function savePicture() {
    try {
      const address = URL.createObjectURL(await drawCard(card(stage)));
      const name = `${nameOf(stage.payload.title)}-${stage.step + 1}.png`;
      html("a", { href: address, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      write(outcome, word("saved_as", { name }));
    } catch {
      write(outcome, word("picture_refused"));
    }
  }

  function show() {
    if (dialog.isOpen() && offered !== `${stage.step} ${stage.language}`) renew();
  }

  function translate() {
    label(button, stage.word("share"));
    show();
  }

  return { root: dialog.root, button, show, translate, close: dialog.close };
}

/** The address of a step: steps are counted from 1, as the page counts them. @param {string} address @param {number} step */
export function linkTo(address, step) {
  return `${address.replace(/#.*$/s, "")}#step=${step + 1}`;
}

/** A file name made of a title, for every system. @param {string} title */
export function nameOf(title) {
  const plain = title.replace(/\.py$/, "").replace(/[^\p{L}\p{N}_-]+/gu, "-").replace(/^-+|-+$/g, "");
  return plain.slice(0, 60) || "step";
}
