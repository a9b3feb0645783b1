// The words of the page in the reader's language, and what the page keeps of the reader's choices.

import { fill } from "../../widgets/inplacelab_widgets/player/steps.js";

/** The choices are kept in this browser. Where that is not allowed, as in a frame of another site, they last as long as the page.
 * @param {string} name @returns {string | null} */
function kept(name) {
  try {
    return localStorage.getItem(`inplacelab-${name}`);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} value */
function keep(name, value) {
  try {
    localStorage.setItem(`inplacelab-${name}`, value);
  } catch {
    // see above
  }
}

/** @param {Object<string, {en: string, zh: string}>} words */
export function makeWords(words) {
  const given = new URLSearchParams(location.search).get("lang") ?? kept("language") ?? navigator.language;
  /** @type {"en" | "zh"} */
  let language = given.startsWith("zh") ? "zh" : "en";
  return {
    language: () => language,
    /** @param {"en" | "zh"} chosen */
    choose(chosen) {
      language = chosen;
      keep("language", chosen);
    },
    /** @param {string} key @param {Object<string, string | number>} [facts] */
    word(key, facts = {}) {
      const found = words[key];
      if (!found) throw new Error(`no words for ${key}`);
      return fill(found[language], facts);
    },
    kept,
    keep,
  };
}
