// Values as Python writes them: `number` of scene/numerals.py. What JavaScript would write otherwise comes as words.

/** @param {number | boolean | string} value */
export function number(value) {
  if (typeof value === "boolean") return value ? "True" : "False";
  return String(value);
}
