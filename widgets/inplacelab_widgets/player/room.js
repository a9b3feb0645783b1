// How high the panes are: as what they ever show needs, as far as the page has room for it. At all steps the same.

/** The height that a player may take in a notebook, in px and as a part of the window: on a laptop the cell above it is in sight, too. */
const LAPTOP = 520;
const OF_WINDOW = 0.68;
/** So many px more are rather taken than that something is cut off. */
const LEEWAY = 40;
/** What the panes below get where there is not enough for all. */
const LOWER = 0.46;

/** Shares `room` between the panes above, which need `upper`, and those below, of which one is seen and each has its need. Where there
 * is not enough, those below get at least their part, and a little more if that shows another one of them whole.
 * @param {number} upper @param {number[]} lowers @param {number} room @param {number} leeway @returns {[number, number]} */
export function shared(upper, lowers, room, leeway) {
  const lower = Math.max(0, ...lowers);
  if (upper + lower <= room + leeway) return [upper, lower];
  const part = Math.min(lower, Math.max(LOWER * room, room - upper));
  const whole = lowers.filter((need) => need <= part + leeway);
  return [Math.min(upper, room - part), Math.max(part, ...whole)];
}

/** Keeps the heights of the panes. @param {Stage} stage @param {{above: Part[], below: Part[], others: Part[]}} parts  What stands beside the code, below, and around. */
export function keepRoom({ root }, { above, below, others }) {
  // The elements, of which there may be many, take what the others leave.
  const telling = below.filter((part) => below.length < 2 || !part.root.matches(".ipl-elements"));
  const heightOf = (/** @type {Element} */ element) => element.getBoundingClientRect().height;

  function fit() {
    const isPresent = root.classList.contains("ipl-present");
    const isAlone = root.classList.contains("ipl-standalone");
    const edge = root.offsetHeight - root.clientHeight;
    // A page of its own is the player's, but for its margin.
    const page = isPresent ? innerHeight : innerHeight - 2 * (root.getBoundingClientRect().top + scrollY);
    const most = isPresent ? page : Math.max(LAPTOP, isAlone ? page : OF_WINDOW * innerHeight);
    const [code, storages] = [".ipl-code", ".ipl-storages"].map((name) => root.querySelector(name));
    const needs = above.map((part) => part.need?.() ?? 0);
    // Above the storages, the code keeps what it has.
    const isStacked = code && storages && code.offsetTop < storages.offsetTop;
    const upper = isStacked ? needs.at(-1) : Math.max(0, ...needs);
    const around = others.reduce((sum, part) => sum + heightOf(part.root), edge + 2 + (isStacked && (isPresent || isAlone) ? heightOf(code) : 0));
    const room = Math.max(0, most - around);
    const ownsPage = isPresent || isAlone;
    const [high, low] = shared(upper, telling.map((part) => part.need()), room, ownsPage ? 0 : LEEWAY);
    root.style.setProperty("--ipl-upper", `${Math.floor(high)}px`);
    root.style.setProperty("--ipl-under", `${Math.floor(ownsPage ? room - high : low)}px`);
  }

  new ResizeObserver(fit).observe(root);
  addEventListener("resize", fit);
  return { fit, stop: () => removeEventListener("resize", fit) };
}
