// Numbers as Python writes them: `number` of scene/measure.py. Pure functions.

/** A value in at most four significant digits; whole numbers up to six digits are written out. @param {number | boolean | string} value */
export function number(value) {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "inf";
  const [digits, power] = fourDigits(value);
  if (power < -4 || power >= 4) return `${withoutZeros(digits)}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  return withoutZeros((Number(`${digits}e${power}`)).toFixed(3 - power));
}

/** The digits and the power of ten of a number. Python rounds what lies halfway to the even digit, `toExponential` away from zero.
 * @param {number} value @returns {[string, number]} */
function fourDigits(value) {
  const [exact, power] = value.toExponential(60).split("e");
  const halfway = /^-?\d\.\d{2}[02468]50*$/.test(exact);
  const [digits, raised] = halfway ? [exact.replace(/50*$/, ""), power] : value.toExponential(3).split("e");
  return [digits, Number(raised)];
}

/** @param {string} digits */
function withoutZeros(digits) {
  return digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
}
