// A step as Markdown, as `to_markdown` of exports.py makes it. Pure functions.

import { valueAt } from "./runs.js";
import { fill, speak } from "./words.js";
/** @import { Payload, Said, Table } from "./runs.js" */

/** Characters that have a meaning in Markdown (\\x60 is a backtick): an underscore between letters has none, a bracket only in a link, a sign such as # only at the beginning. */
const MEANS_SOMETHING = /[\\*\x60|~]|(?<![\p{L}\p{N}_])_|_(?![\p{L}\p{N}_])|(?<=\])[([:]|(?<=!)\[|\[(?=\^)|^(?:[#>+=-]|\p{Nd}+(?=[.)]))/gu;
/** What makes a link of a plain address. */
const ADDRESS = /:(?=\/\/)|(?<=www)\.|@/gi;

/** Text that a program may have written, escaped so that Markdown shows it unchanged, on one line. @param {string} content */
export function safe(content) {
  const line = content.replaceAll("\n", " ").replaceAll("&", "&amp;");
  const escaped = line.replace(MEANS_SOMETHING, (sign) => (/^\p{Nd}/u.test(sign) ? entity(sign[0]) + sign.slice(1) : `\\${sign}`));
  return escaped.replaceAll("<", "&lt;").replace(ADDRESS, entity);
}

/** @param {string} sign */
function entity(sign) {
  return `&#${sign.codePointAt(0)};`;
}

/** A sentence whose code is already in backticks. Other backticks become entities, since an escaped one may end code before it. @param {string} content */
export function inMarkdown(content) {
  const parts = content.replaceAll("\n", " ").split(/(\x60[^\x60]+\x60)/);
  return parts.map((part, k) => (k % 2 ? part : safe(part).replaceAll("\\\x60", "&#96;"))).join("");
}

/** A step: its place, the program with a note at the line, what it did, the tables. @param {Payload} payload @param {number} step @param {string} language */
export function markdownOf(payload, step, language) {
  const { steps, said, source, notes, tables } = payload;
  const speaks = (/** @type {Said} */ words) => speak(words, language);
  const { says, detail } = steps[step];
  const told = [said[says], ...(detail === undefined ? [] : [said[detail]])];
  const program = marked(source, steps[step].line, speak(payload.sharing?.this_step, language));
  const parts = [
    `**${safe(placeWords(payload, step, language))}**`,
    ...(source.length ? [program.map((line) => `    ${line}`).join("\n")] : []),
    ...[...told, ...notes].map((words) => inMarkdown(speaks(words))),
    ...tables.map((table) => tableOf(table, said, step, speaks)).filter(Boolean),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Where a step is, in words: the title, the number, the line, the phase. @param {Payload} payload @param {number} step @param {string} language */
export function placeWords(payload, step, language) {
  const word = (/** @type {string} */ key, /** @type {Object<string, string | number>} */ facts = {}) => fill(speak(payload.words[key], language), facts);
  const { line, phase } = payload.steps[step];
  const at = line === null ? [] : [word("at_line", { line })];
  const place = [word("position", { step: step + 1, steps: payload.steps.length }), ...at, phase ? word(phase) : ""].filter(Boolean).join(word("clause"));
  return payload.title ? `${payload.title}${speak(payload.sharing?.colon, language)}${place}` : place;
}

/** The lines of a program, with a comment behind one of them. Behind a backslash there is no room for one. @param {string[]} source @param {number | null} line @param {string} note */
export function marked(source, line, note) {
  return source.map((text, k) => (k + 1 === line && !text.endsWith("\\") ? `${text}  # ← ${note}` : text));
}

/** @param {Table} table @param {Said[]} said @param {number} step @param {(words: Said) => string} speaks */
function tableOf({ title, columns, rows }, said, step, speaks) {
  const filled = Object.values(rows).flatMap((runs) => {
    const cells = valueAt(runs, step);
    return cells ? [cells.map((cell) => safe(speaks(said[cell])))] : [];
  });
  if (!filled.length) return "";
  const head = columns.map((column) => safe(speaks(column)));
  const lines = [head, head.map(() => "---"), ...filled].map((cells) => `| ${cells.join(" | ")} |`);
  return [`**${speaks(title)}**`, "", ...lines].join("\n");
}
