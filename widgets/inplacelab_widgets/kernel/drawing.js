// Marks, and the numbers in them, as in drawing.py. Pure functions.

/** One SVG element: tag, styles, place, words. @typedef {[string, string, Object<string, string | number>, string | null]} Drawn */

export const WIDTH = 800;
export const LEFT = 76;
export const LANE = 22;
export const ROOM = 32 * LANE;
export const HEAD = 52;
export const PANELS = 196;
export const PANEL = 168;

/** A number that may be large, as it is read: 8,192. @param {number} value */
export const grouped = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

/** @param {Object<string, number>} facts */
export const groupedAll = (facts) => Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, grouped(value)]));

/** A coordinate with one decimal. @param {number} value */
export const tenth = (value) => Math.floor(value * 10 + 0.5) / 10;

/** @param {number} value */
export const put1 = (value) => String(tenth(value));

/** @param {number} x @param {number} y @param {string} style @param {string} said @returns {Drawn} */
export const textMark = (x, y, style, said) => ["text", `text ${style}`.trim(), { x: tenth(x), y: tenth(y) }, said];

/** @param {string} d @param {string} style @returns {Drawn} */
export const pathMark = (d, style) => ["path", style, { d }, null];

/** A rectangle in path notation. @param {number} x @param {number} y @param {number} width @param {number} height */
export const boxed = (x, y, width, height) => `M${put1(x)} ${put1(y)}h${put1(width)}v${put1(height)}h${put1(-width)}z`;

/** The room that digits and Latin letters need. @param {string} words @param {number} size */
export const em = (words, size) => words.length * size * 0.62;
