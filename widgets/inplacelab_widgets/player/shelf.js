// Which groups of a panel a step draws, and where: as `stack_at` does it in Python for still pictures.

/** Between groups that stand one below the other; as in scene/marks.py. */
export const GAP = 14;

/** Whether a step lies in one of the stretches [first, last, first, last, ...]; in none at all means: always.
 * @param {number[] | undefined} spans @param {number} step */
export function isWithin(spans, step) {
  if (!spans) return true;
  for (let k = 0; k < spans.length; k += 2) if (spans[k] <= step && step <= spans[k + 1]) return true;
  return false;
}

/** Whether a group is drawn at a step. Who follows a tensor sees its storages all the time, and the others as chips.
 * @param {Group} group @param {number} step @param {boolean} isChip @param {Set<string> | null} followed  Keys of storages. */
export function isDrawn(group, step, isChip, followed) {
  if (step < group.first || step > group.last) return false;
  if (followed && group.key) return followed.has(group.key) !== isChip;
  return isWithin(group.open, step);
}

/** Where groups and chips stand at a step: those drawn, closed up, and the chips below them; and where they end.
 * @param {Panel} panel @param {number} step @param {Set<string> | null} followed */
export function stackOf(panel, step, followed) {
  const places = new Map();
  let below = 0;
  for (const group of panel.groups) {
    if (!isDrawn(group, step, false, followed)) continue;
    places.set(group, [group.x, below]);
    below += (group.height ?? 0) + GAP;
  }
  let bottom = below - GAP;
  for (const chip of panel.shelf ?? []) {
    if (!isDrawn(chip, step, true, followed)) continue;
    places.set(chip, [chip.x, below + chip.y]);
    bottom = Math.max(bottom, below + chip.y + (chip.height ?? 0));
  }
  return { places, bottom };
}

/** The steps, with a stop wherever something happens to what is followed. @param {Step[]} steps @param {number[]} stops @returns {Step[]} */
export function stoppingAt(steps, stops) {
  const wanted = new Set(stops);
  return steps.map((step, at) => ({ ...step, stop: wanted.has(at) }));
}
