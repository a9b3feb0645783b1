// Motion helps to see what one slow step changes. In a hurry, or over a jump, it would come late and delay the next step.

/** Steps that come sooner than this after each other are a hurry, in ms. */
const HURRY = 333;

/** Tells the style sheet at each step whether there is time for motion: "data-swift" on the root says there is none.
 * @param {Element} root @returns {(isNext: boolean) => void} */
export function makeMotion(root) {
  let last = -Infinity;
  return (isNext) => {
    const now = performance.now();
    root.toggleAttribute("data-swift", !isNext || now - last < HURRY);
    last = now;
  };
}
