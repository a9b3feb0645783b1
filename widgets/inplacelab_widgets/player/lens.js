// Lets a reader move the lens of a large storage. Until then it follows the writes, as scene/large_storages.py draws it.

import { svg } from "./dom.js";
import { holds, number, valueIn, whole } from "./linking.js";
import { scrollIntoPane } from "./scrolling.js";
import { paired } from "./steps.js";
/** @import { Stage } from "./stage.js" */

/** The most slots of a storage without a lens. As in scene/storage_row.py, and the next ones as in scene/large_storages.py. */
const WITH_VALUES = 64;
const PER_ROW = 3;
const SIZE = 6;
const UNKNOWN = "·";

/** @import { Page, Writes } from "./linking.js" */

/** The first slot of the window that shows `slot`. @param {number} slot @param {number} slots */
export function windowOf(slot, slots) {
  const last = Math.max(0, Math.ceil(slots / PER_ROW) * PER_ROW - SIZE);
  return Math.max(0, Math.min(Math.floor(slot / PER_ROW) * PER_ROW, last));
}

/** The first slot after a window that the last write changed; after the last one, the first again.
 * @param {Writes} writes @param {number} step @param {number} first */
export function nextChange(writes, step, first) {
  const runs = paired(writes.findLast(([at]) => at <= step)?.[1] ?? []);
  const ahead = runs.find(([, stop]) => stop > first + SIZE);
  return ahead ? Math.max(ahead[0], first + SIZE) : (runs[0]?.[0] ?? first);
}

/** The new start of the window after a key; undefined if the key is not for the lens.
 * @param {string} key @param {number} first @param {Page} page @param {Writes} writes @param {number} step */
export function movedBy(key, first, page, writes, step) {
  /** @type {Object<string, () => number>} */
  const moves = {
    ArrowLeft: () => first - PER_ROW,
    ArrowRight: () => first + PER_ROW,
    ArrowUp: () => first - SIZE,
    ArrowDown: () => first + SIZE,
    Home: () => 0,
    End: () => page.slots - 1,
    n: () => nextChange(writes, step, first),
  };
  return Object.hasOwn(moves, key) ? windowOf(moves[key](), page.slots) : undefined;
}

/** Makes the lenses of a pane movable: with the keys after Enter on their storage, or by a click on its overview.
 * @param {Stage} stage @param {HTMLElement} pane @param {ReturnType<typeof import("./panel.js").drawPanel>} panel */
export function drawLenses(stage, pane, panel) {
  const { pages, writes } = stage.payload;
  const lenses = pages.filter(({ slots }) => slots > WITH_VALUES).map((page) => ({
    page,
    /** @type {Writes} */
    writes: writes.filter(([, , to]) => `s${to}` === page.key).map(([at, , , runs]) => [at, runs]),
    first: -1,
  }));
  /** @typedef {typeof lenses[number]} Lens */
  /** @type {Lens | undefined} */
  let inside;

  /** Draws a moved lens over the one that follows the writes. @param {Lens} lens */
  function draw({ page, writes: wrote, first }) {
    const holder = panel.holderOf(page.key);
    if (!holder) return "";
    holder.querySelector(".ipl-moved")?.remove();
    holder.toggleAttribute("data-moved", first >= 0);
    if (first < 0 || holder.hasAttribute("hidden")) return "";
    const values = Array.from({ length: Math.min(SIZE, page.slots - first) }, (_, k) => valueIn(page, wrote, stage.step, first + k));
    const said = values.map((value) => (value === undefined ? UNKNOWN : whole(value)));
    const now = wrote.find(([at]) => at === stage.step)?.[1] ?? [];
    const last = Math.min(first + SIZE, page.slots) - 1;
    const title = stage.word("lens", { first, last }) + (said.includes(UNKNOWN) ? stage.word("lens_gaps") : "");
    const own = svg("g", { class: "ipl-moved" });
    const copied = (/** @type {string} */ kind) => [...holder.querySelectorAll(`:scope > ${kind}`)].map((part) => own.appendChild(/** @type {Element} */ (part.cloneNode(true))));
    copied("rect.ipl-lens").forEach((cell, k) => {
      cell.setAttribute("data-k", `${page.key}:${first + k}`);
      cell.removeAttribute("data-related");
      if (holds(now, [first + k])) cell.setAttribute("class", "ipl-written");
    });
    copied("text.ipl-lens.ipl-value").forEach((value, k) => {
      const known = values[k];
      value.textContent = known === undefined ? (said[k] ?? "") : number(known, page.exponent);
      value.removeAttribute("data-related");
    });
    copied("text.ipl-lens.ipl-end").slice(0, SIZE / PER_ROW).forEach((label, k) => (label.textContent = String(first + k * PER_ROW)));
    for (const words of copied("text.ipl-lens:not(.ipl-value, .ipl-end, .ipl-middle)")) words.textContent = title + stage.word("lens_moved");
    holder.append(own);
    own.toggleAttribute("data-here", inside?.page === page);
    return `${title}: ${said.join(" ")}`;
  }

  /** @param {Lens} lens @param {number} first */
  function move(lens, first) {
    lens.first = first;
    const said = draw(lens);
    const drawn = panel.holderOf(lens.page.key)?.querySelector(".ipl-moved");
    if (drawn) scrollIntoPane(pane, drawn);
    stage.announce(said);
  }

  /** Goes into the lens of the current storage. */
  function enter() {
    const [key] = (pane.querySelector("[data-here]")?.getAttribute("data-k") ?? "").split(" ");
    const lens = lenses.find(({ page }) => page.key === key);
    const label = panel.holderOf(key)?.querySelector(":scope > .ipl-lens.ipl-end");
    if (!lens || !label) return false;
    for (const element of pane.querySelectorAll("[data-here]")) element.removeAttribute("data-here");
    inside = lens;
    move(lens, lens.first < 0 ? Number(label.textContent) : lens.first);
    return true;
  }

  /** Handles a key; returns whether it was for a lens. @param {string} key */
  function take(key) {
    if (!inside) return key === "Enter" && enter();
    const first = movedBy(key, inside.first, inside.page, inside.writes, stage.step);
    if (first !== undefined) move(inside, first);
    else if (key !== "Escape") return false;
    else {
      const left = inside;
      inside = undefined;
      move(left, -1);
    }
    return true;
  }

  pane.addEventListener("blur", () => {
    const left = inside;
    inside = undefined;
    if (left) draw(left);
  });
  pane.addEventListener("keydown", (event) => {
    if (event.target !== pane || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || !take(event.key)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  });
  pane.addEventListener("click", (event) => {
    const holder = /** @type {Element} */ (event.target).closest("g");
    const lens = lenses.find(({ page }) => panel.holderOf(page.key) === holder);
    const slot = lens && holder ? slotUnder(holder, lens.page, event) : -1;
    if (!lens || slot < 0) return;
    inside = lens;
    move(lens, windowOf(slot, lens.page.slots));
    event.stopPropagation();
  });

  const show = () => lenses.forEach(draw);
  return { show };
}

/** The slot of an overview under the pointer; -1 if there is none. @param {Element} holder @param {Page} page @param {MouseEvent} event */
function slotUnder(holder, { slots }, { clientX, clientY }) {
  const rows = [...holder.querySelectorAll(":scope > rect.ipl-slot:not(.ipl-lens)")].map((row) => row.getBoundingClientRect());
  const cell = rows.reduce((sum, row) => sum + row.width, 0) / slots;
  let before = 0;
  for (const { left, right, top, bottom, width } of rows) {
    if (left <= clientX && clientX <= right && top <= clientY && clientY <= bottom) return Math.min(slots - 1, before + Math.floor((clientX - left) / cell));
    before += Math.round(width / cell);
  }
  return -1;
}
