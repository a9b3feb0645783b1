// Selects words in the reader's language; the payload has all of them. Pure functions.

/** @import { Said } from "./runs.js" */

/** @param {Said | null | undefined} said @param {string} language */
export function speak(said, language) {
  if (said === null || said === undefined) return "";
  return Array.isArray(said) ? said[language === "zh" ? 1 : 0] : said;
}

/** Fills `{placeholders}`. @param {string} pattern @param {Object<string, string | number>} facts */
export function fill(pattern, facts) {
  return pattern.replace(/\{(\w+)\}/g, (whole, key) => (Object.hasOwn(facts, key) ? String(facts[key]) : whole));
}

/** The approximate width of words: a Chinese character counts as two others. @param {string} words */
export function widthOf(words) {
  return words.length + (words.match(/[\u2e80-\uffef]/g)?.length ?? 0);
}

/** Splits a sentence: words between backticks are code. @param {string} sentence @returns {{code: boolean, text: string}[]} */
export function pieces(sentence) {
  const parts = sentence.split("`");
  // An odd number of backticks: the last one is an ordinary character.
  if (parts.length % 2 === 0) {
    const rest = parts.pop();
    parts[parts.length - 1] += `\`${rest}`;
  }
  return parts.map((text, k) => ({ code: k % 2 === 1, text })).filter((piece) => piece.text);
}
