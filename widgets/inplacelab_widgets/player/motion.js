// Decides when changes are animated. Animation shows what a single step changes; during fast steps or jumps it would delay the next step.

/** Steps closer together than this are not animated, in ms. */
const HURRY = 333;

/** Returns a function to call at each step: it sets "data-swift" on the root, for the style sheet, if there is no time for motion.
 * @param {Element} root @returns {(isNext: boolean) => void} */
export function makeMotion(root) {
  let last = -Infinity;
  return (isNext) => {
    const now = performance.now();
    root.toggleAttribute("data-swift", !isNext || now - last < HURRY);
    last = now;
  };
}
