// A payload as it travels, made what it was: the way back from scene/wire.py.

const MARK = 0xe000;

/** @param {any} wire @returns {Payload} */
export function unpacked(wire) {
  if (!wire.packed) return wire;
  const { packed, ...rest } = wire;
  const said = packed.said.map((each) => spokenOut(each, packed.patterns));
  return { ...rest, steps: stepsOf(packed.steps, said), panels: packed.panels.map((panel) => panelOf(panel, packed)), tables: packed.tables.map(tableOf), looks: rowsOf(packed.looks).map(lookOf), said };
}

/** @param {any} each @param {Said[]} patterns @returns {Said} */
function spokenOut(each, patterns) {
  if (!Array.isArray(each) || typeof each[0] === "string") return each;
  const [position, ...numbers] = each;
  const filled = (/** @type {string} */ pattern) => pattern.replace(/[\ue000-\uf8ff]/g, (mark) => String(numbers[mark.charCodeAt(0) - MARK]));
  const pattern = patterns[position];
  return Array.isArray(pattern) ? [filled(pattern[0]), filled(pattern[1])] : filled(pattern);
}

/** @param {any} columns @param {Said[]} said @returns {Step[]} */
function stepsOf(columns, said) {
  /** @type {any[]} */
  const steps = columns.says.map((/** @type {number} */ says) => ({ says: said[says] }));
  for (const [name, runs] of Object.entries(columns.runs)) {
    for (let k = 0; k < runs.length; k += 2) for (let at = runs[k]; at < (runs[k + 2] ?? columns.count); at += 1) steps[at][name] = runs[k + 1];
  }
  for (const [name, hops] of Object.entries(columns.flags)) {
    for (const step of steps) step[name] = false;
    for (const at of summed(hops)) steps[at][name] = true;
  }
  return steps;
}

/** @param {any} panel @param {any} packed @returns {Panel} */
function panelOf({ opened, ...panel }, packed) {
  const whole = (/** @type {any} */ group) => ({ ...group, marks: group.marks.map((/** @type {number[]} */ mark) => markOf(mark, group.first, packed)) });
  return { ...panel, ...(opened ? { opened: panelOf(opened, packed) } : {}), groups: panel.groups.map(whole), ...(panel.shelf ? { shelf: panel.shelf.map(whole) } : {}) };
}

/** @param {number[]} mark @param {number} first @param {any} packed @returns {Mark} */
function markOf([form, hops, keys, links], first, packed) {
  const [tag, place] = packed.forms[form];
  const at = [first, 0];
  const runs = packed.runs[hops].map((/** @type {number} */ each, /** @type {number} */ k) => (at[k % 2] += each));
  return [tag, place, runs, packed.keyed[keys], packed.keyed[links]];
}

/** Numbers from the hops between them. @param {number[]} hops */
function summed(hops) {
  let sum = 0;
  return hops.map((hop) => (sum += hop));
}

/** Columns of hops as rows. @param {number[][]} columns */
function rowsOf(columns) {
  const numbers = columns.map(summed);
  return (numbers[0] ?? []).map((_, k) => numbers.map((column) => column[k]));
}

/** A look without what it has none of at its end. @param {number[]} look @returns {Look} */
function lookOf(look) {
  while (look.at(-1) === -1) look.pop();
  return look;
}

/** @param {any} table @returns {Table} */
function tableOf({ cells: columns, rows, ...table }) {
  const cells = rowsOf(columns);
  const whole = (/** @type {number[]} */ flat) => Array.from({ length: flat.length / 2 }, (_, k) => [flat[2 * k], cells[flat[2 * k + 1]] ?? null]);
  return { ...table, rows: Object.fromEntries(Object.entries(rows).map(([key, flat]) => [key, whole(flat)])) };
}
