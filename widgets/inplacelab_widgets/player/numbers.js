// Formats values as Python does: `number` of scene/numerals.py. Values that JavaScript would print differently are sent as words.

/** @param {number | boolean | string} value */
export function number(value) {
  if (typeof value === "boolean") return value ? "True" : "False";
  return String(value);
}
