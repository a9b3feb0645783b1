// Where a key takes the pick. Pure functions.

import { WARP, blocksOf, threadsOf } from "./geometry.js";
import { fitted } from "./pick.js";

/** The pick after a key; undefined if the key is none of ours.
 * @param {import("./pick.js").Shown} shown @param {import("./pick.js").Pick} pick @param {string} key */
export function pickAfter(shown, pick, key) {
  const { block, thread, turn } = pick;
  const [threads, blocks] = [threadsOf(shown.launch), blocksOf(shown.launch)];
  const first = thread - (thread % WARP);
  const last = Math.min(first + WARP, threads) - 1;
  const moves = {
    // At the end of a block its neighbour begins.
    ArrowLeft: () => (thread ? { thread: thread - 1 } : block ? { block: block - 1, thread: threads - 1 } : {}),
    ArrowRight: () => (thread + 1 < threads ? { thread: thread + 1 } : block + 1 < blocks ? { block: block + 1, thread: 0 } : {}),
    ArrowUp: () => (thread >= WARP ? { thread: thread - WARP } : {}),
    ArrowDown: () => (thread + WARP < threads ? { thread: thread + WARP } : {}),
    PageUp: () => ({ block: block - 1 }),
    PageDown: () => ({ block: block + 1 }),
    Home: () => ({ thread: thread === first ? 0 : first }),
    End: () => ({ thread: thread === last ? threads - 1 : last }),
    "[": () => ({ turn: turn - 1 }),
    "]": () => ({ turn: turn + 1 }),
  };
  return Object.hasOwn(moves, key) ? fitted(shown, { ...pick, ...moves[key]() }) : undefined;
}
