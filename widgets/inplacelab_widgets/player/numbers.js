// Formats values as Python does: `number` of scene/text_layout.py. Values that JavaScript would print differently are sent as words.

/** @param {number | boolean | string} value */
export function number(value) {
  if (typeof value === "boolean") return value ? "True" : "False";
  return String(value);
}
