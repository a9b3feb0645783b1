// The dialogs "Share" and "Embed": a link that carries the program, the step and its picture, and the frame for another page.

import { written } from "./link.js";

/**
 * @typedef {Object} Given
 * @property {(key: string, facts?: Object<string, string | number>) => string} word
 * @property {() => "en" | "zh"} language
 * @property {() => string} code
 * @property {() => number | undefined} step  The step shown; undefined if the picture is not the program's.
 * @property {(step: number) => Promise<string>} picture  The picture of a step as SVG; "" without one.
 */

/** Makes an element. @param {string} tag @param {Object<string, string>} attributes @param {(Node | string)[]} children */
function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A text as the value of an attribute in HTML. @param {string} text */
export function inAttribute(text) {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The HTML of a frame that shows a link. @param {string} address @param {string} title */
export function frameOf(address, title) {
  return `<iframe src="${inAttribute(address)}" title="${inAttribute(title)}" width="100%" height="620" loading="lazy" style="border:1px solid #8a8a8a;border-radius:8px" allow="clipboard-write; fullscreen"></iframe>`;
}

/** @param {HTMLDialogElement} dialog @param {Given} given */
export function makeDialogs(dialog, { word, language, code, step, picture }) {
  const title = /** @type {HTMLElement} */ (dialog.querySelector("h2"));
  const body = /** @type {HTMLElement} */ (dialog.querySelector("#dialog-body"));
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });

  /** The address of this page with a program. @param {{hasPicture: boolean, isFrame: boolean, at: number | undefined}} wanted */
  async function address({ hasPicture, isFrame, at }) {
    const page = new URL(location.href);
    page.search = new URLSearchParams({ ...(isFrame ? { embed: "" } : {}), lang: language() }).toString().replace("embed=", "embed");
    page.hash = "";
    const drawn = hasPicture && at !== undefined ? await picture(at) : "";
    const carried = { code: code(), ...(at === undefined ? {} : { step: at }), ...(drawn ? { picture: drawn } : {}) };
    return page.href.replace(/#$/, "") + (await written(carried));
  }

  /** @param {string} heading @param {string} note @param {boolean} isFrame */
  function open(heading, note, isFrame) {
    title.textContent = word(heading);
    const text = /** @type {HTMLTextAreaElement} */ (element("textarea", { readonly: "", rows: "5", "aria-label": word(heading), spellcheck: "false" }));
    const withPicture = /** @type {HTMLInputElement} */ (element("input", { type: "checkbox" }));
    withPicture.checked = true;
    const copy = /** @type {HTMLButtonElement} */ (element("button", { type: "button", class: "main", disabled: "" }, word("copy")));
    const outcome = element("span", { role: "status", class: "note" });

    async function renew() {
      copy.disabled = true;
      const made = await address({ hasPicture: withPicture.checked, isFrame, at: step() });
      text.value = isFrame ? frameOf(made, word("frame_title")) : made;
      outcome.textContent = word("characters", { count: text.value.length });
      copy.disabled = false;
    }

    withPicture.addEventListener("change", renew);
    copy.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text.value);
        outcome.textContent = word("copied");
      } catch {
        text.select();
        outcome.textContent = word("copy_by_hand");
      }
    });
    const choice = element("label", {}, withPicture, ` ${word("with_picture")}`);
    body.replaceChildren(element("p", {}, word(note)), text, element("div", { class: "row" }, copy, choice, outcome));
    dialog.showModal();
    renew();
  }

  return {
    share: () => open("share_title", "share_note", false),
    embed: () => open("embed_title", "embed_note", true),
    /** A link to a step of the program. @param {number} at */
    linkTo: (at) => address({ hasPicture: true, isFrame: false, at }),
  };
}
