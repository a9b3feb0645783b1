// The right side of the page: the player, a still picture that a link brought along, or a hint.

import { arrived } from "../../widgets/inplacelab_widgets/player/unpack.js";
import { playIn } from "../../widgets/inplacelab_widgets/player/widget.js";

/**
 * @typedef {Object} Given
 * @property {(key: string) => string} word
 * @property {() => "en" | "zh"} language
 * @property {() => boolean} showsCode  Whether the player shows the program too.
 * @property {() => void} stepped
 * @property {(program: string) => void} adopt
 * @property {(step: number) => Promise<string>} linkOf
 */

/** @param {HTMLElement} root @param {Given} given */
export function makePicture(root, { word, language, showsCode, stepped, adopt, linkOf }) {
  /** @type {any} */
  let shown;
  /** Counts what is shown, so that a picture that arrives late does not replace a newer one. */
  let turn = 0;
  let hint = "";

  function close() {
    turn += 1;
    shown?.destroy();
    shown = undefined;
    hint = "";
    root.replaceChildren();
    return turn;
  }

  /** @param {string} key @param {string} tag */
  function says(key, tag) {
    const words = document.createElement(tag);
    words.textContent = word(key);
    hint = key;
    return words;
  }

  return {
    /** Plays a compressed payload. @param {string} payload @param {number} step */
    async play(payload, step) {
      const mine = close();
      const whole = await arrived(payload);
      if (mine !== turn) return;
      const holder = document.createElement("div");
      root.replaceChildren(holder);
      shown = playIn(holder, whole, {
        step,
        language: language(),
        code: showsCode(),
        fills: true,
        adopt,
        linkOf,
        tell(/** @type {string} */ trait) {
          if (trait === "step") stepped();
        },
      });
    },
    /** Shows an SVG as an image: so nothing in it runs or loads, and a link may bring any. @param {string} svg */
    still(svg) {
      close();
      const figure = document.createElement("figure");
      const image = document.createElement("img");
      image.alt = word("still_alt");
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
      const caption = says("still", "figcaption");
      image.addEventListener("error", () => image.remove());
      figure.append(caption, image);
      root.append(figure);
    },
    empty() {
      close();
      const empty = says("empty", "p");
      empty.className = "empty";
      root.append(empty);
    },
    translate() {
      shown?.follow("language", language());
      const words = root.querySelector(".empty, figcaption");
      if (words && hint) words.textContent = word(hint);
    },
    /** Gives the arrow keys to the player. */
    focus: () => shown?.stage.root.focus({ preventScroll: true }),
    step: () => shown?.stage.step ?? 0,
    payload: () => shown?.stage.payload,
  };
}
