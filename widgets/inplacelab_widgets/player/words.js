// Words in the reader's language. All of them come with the payload. Pure functions.

/** @import { Said } from "./runs.js" */

/** @param {Said | null | undefined} said @param {string} language */
export function speak(said, language) {
  if (said === null || said === undefined) return "";
  return Array.isArray(said) ? said[language === "zh" ? 1 : 0] : said;
}

/** Fill `{placeholders}`. @param {string} pattern @param {Object<string, string | number>} facts */
export function fill(pattern, facts) {
  return pattern.replace(/\{(\w+)\}/g, (whole, key) => (Object.hasOwn(facts, key) ? String(facts[key]) : whole));
}

/** About how wide words are: a Chinese character is as wide as two others. @param {string} words */
export function widthOf(words) {
  return words.length + (words.match(/[\u2e80-\uffef]/g)?.length ?? 0);
}

/** A sentence in pieces: words between backticks are code. @param {string} sentence @returns {{code: boolean, text: string}[]} */
export function pieces(sentence) {
  const parts = sentence.split("`");
  // An odd number of backticks: the last one stands for itself.
  if (parts.length % 2 === 0) {
    const rest = parts.pop();
    parts[parts.length - 1] += `\`${rest}`;
  }
  return parts.map((text, k) => ({ code: k % 2 === 1, text })).filter((piece) => piece.text);
}
