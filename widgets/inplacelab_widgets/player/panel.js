// Draws one panel of the picture at a step: its marks, the arrow of a step, and what a step has no room for. Python has laid it out for all steps.

import { html, put, svg, write } from "./dom.js";
import { ON_AXIS, SHRUNK, arranged, axisIn, endingWithin, isDrawn, stackOf, stretched, zoomFor } from "./layout.js";
import { fill, isRelated, paired, speak, valueAt } from "./steps.js";
/** @import { Stacked } from "./layout.js" */
/** @import { Attributes, Group, Panel, Payload } from "./steps.js" */

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

// Draws the arrow of a step from the slots that it read to those to which it copied them.

/** One end: the key of a group, and in this group the middle and the top of a run of slots. @typedef {[string, number, number]} End */

/** The distance of the line from the slots, in px: between them and the words above. */
const LIFT = 5.5;

/** The line and the tip between two runs of slots, each given by the middle of its top, past the left edge of the storage that is further to the right, as `arrow` of scene/svg.py.
 * @param {number[]} source @param {number[]} target @param {number} left @returns {[string, string]} */
export function arrowOf([x, y], [to, below], left) {
  const beside = y === below ? "" : `H${left - 5}V${below - LIFT}`;
  return [`M${x} ${y - 1}V${y - LIFT}${beside}H${to}V${below - 4}`, `M${to} ${below}l-3.5 -5h7z`];
}

/** Makes the arrow of a panel. Returns a function that shows that of a step between groups at these places.
 * @param {Element} root @param {Panel} panel */
export function drawArrow(root, panel) {
  if (!panel.copies) return () => {};
  const copies = new Map(panel.copies.map(([step, ...ends]) => [step, ends]));
  const [line, head] = ["ipl-copy", "ipl-copy-tip"].map((style) => svg("path", { class: style, hidden: "", "aria-hidden": "true" }));
  // Under the groups, so that words that it crosses stay legible.
  root.prepend(line, head);

  /** @param {number} step @param {(key: string) => number[] | false | undefined} placeOf */
  return function show(step, placeOf) {
    const ends = (copies.get(step) ?? []).map(([key, middle, top]) => {
      const place = placeOf(key);
      return place ? { at: [middle + place[0], top + place[1]], left: place[0] } : null;
    });
    const [source, target] = ends;
    const parts = source && target ? arrowOf(source.at, target.at, Math.max(source.left, target.left)) : null;
    [line, head].forEach((part, k) => {
      part.toggleAttribute("hidden", !parts);
      if (parts) put(part, "d", parts[k]);
    });
  };
}

// Says how many storages a step has no room for, and which of them are stale.

const ALARM = /ipl-alarm\b/;
/** Words that end at their place. */
const ENDING = /ipl-end\b/;
/** The distance between two lines, in px. */
const LINE = 15;

/** Returns a function that shows it. @param {SVGElement} root  The drawing. @param {Panel} panel @param {Payload} payload */
export function drawMore(root, panel, payload) {
  const count = svg("text", { class: "ipl-text ipl-soft", "aria-hidden": "true", hidden: "" });
  const stale = svg("text", { class: "ipl-text ipl-alarm", "aria-hidden": "true", hidden: "" });
  root.append(count, stale);

  /** What is said on the line of a storage in alarm at a step; "" if it isn't. @param {Group} line @param {number} step */
  function alarmOn({ marks }, step) {
    for (const [, , runs = []] of marks) {
      const [style, said = -1] = payload.looks[valueAt(paired(runs), step) ?? -1] ?? [];
      if (style !== undefined && said >= 0 && ALARM.test(payload.styles[style])) return payload.said[said];
    }
    return "";
  }

  /** @param {Stacked | null} stacked  What is drawn. @param {number} step @param {string} language */
  return function show(stacked, step, language) {
    for (const line of [count, stale]) line.toggleAttribute("hidden", !stacked?.more);
    if (!stacked?.more) return;
    const { x, y, form, count: many } = stacked.more;
    for (const [line, top] of /** @type {[SVGElement, number][]} */ ([[count, y], [stale, y + LINE]])) for (const [key, value] of Object.entries({ x: x + 4, y: top + 13 })) put(line, key, value);
    write(count, fill(speak(payload.words[`more_${form}`], language), { count: many }));
    const inFull = new Set([...stacked.places.keys()].map((group) => group.key));
    const unseen = (panel.table ?? []).filter((line) => line.key?.startsWith("s") && isDrawn(line, step, null) && !inFull.has(line.key));
    const alarms = unseen.map((line) => ({ key: line.key ?? "", says: alarmOn(line, step) }));
    stale.replaceChildren(...alarms.filter(({ says }) => says).map(({ key, says }, k) => {
      const span = svg("tspan", { "data-k": key });
      // Of "✗ weight  [4]  float32  v2  16 B  S4", the number and the name.
      const parts = speak(says, language).split(/ +/);
      span.textContent = `${k ? "  " : ""}✗ ${parts.at(-1)} ${parts[1]}`;
      return span;
    }));
  };
}

// Draws one panel of the picture at a step. Python has laid it out for all steps.

const EMPHASIS = /ipl-(acting|refused|written|unchanged|around|inked|failed|raised|checked|unpacking|running|arrived|new|changed|was)\b/;
/** Of these, those of a written storage, and of a value that goes stale. */
const WRITTEN = /ipl-(written|unchanged|around|inked|raised|turned)\b/;
const TURNED = /ipl-turned\b/;
/** Words that pass from an old value to a new one, and the time for it, in ms. */
const VALUE = /ipl-value\b/;
const PASSING = 250;
/** Looks that stay over several steps: those of the value that backward fails on. */
const LASTING = /ipl-(failed|checked)\b/;
/** The height, in px, of a drawing whose height depends on the step; what is below overflows. */
const LEAST = 40;
const RAISED = /ipl-raised\b/;
/** For jumps of at most this many steps, changed marks are looked up step by step; for longer ones, every mark is checked. */
const NEAR = 64;

/** A group: `at` is the step that its marks show, -1 before the first; `starts` has the marks whose look changes at a step. @typedef {{holder: Element, group: Group, marks: DrawnMark[], at: number, starts: Map<number, DrawnMark[]>}} DrawnGroup */
/** How a drawing fits its room: the part of all steps that should be visible as a whole, the least scale, and whether what does not fit is left out
 * instead of scrolled. @typedef {{part: number, shrunk: number, isWhole: boolean}} Fitting */
/** A mark; the first of its `keys` is what it represents. @typedef {{order: number, tag: string, place: Attributes, flat: number[], keys: string, links: string, runs: [number, number][], look: number, element?: Element}} DrawnMark */

let serial = 0;

/** Fades a new value in, if there is time and the reader has not asked for reduced motion. @param {Element} element */
function pass(element) {
  if (element.closest("[data-swift]") || !matchMedia("(prefers-reduced-motion: no-preference)").matches) return;
  element.animate([{ opacity: 0 }, { opacity: 1 }], { duration: PASSING, easing: "ease-in-out" });
}

/** Draws one panel and returns functions to update it. Screen readers get its description in one sentence; its hundreds of marks are
 * hidden from them, since the tables have the same facts.
 * @param {Panel} panel @param {Payload} payload */
export function drawPanel(panel, payload) {
  const descriptions = paired(panel.says);
  const id = `ipl-${(serial += 1)}`;
  const title = svg("title", { id: `${id}-t` });
  const desc = svg("desc", { id: `${id}-d` });
  // With another size all words would be laid out again. If the height depends on the step, the drawing has the least height and
  // overflows, with space reserved below it.
  const least = panel.table ? Math.min(panel.height, LEAST) : panel.height;
  const below = panel.table ? html("div", { class: "ipl-below" }) : null;
  const root = svg("svg", {
    width: panel.width,
    height: least,
    role: "img",
    "aria-labelledby": `${id}-t`,
    "aria-describedby": `${id}-d`,
  });
  root.append(title, desc);
  const inTable = new Set(panel.table);
  /** @type {DrawnGroup[]} */
  const groups = [...panel.groups, ...inTable].map((group) => {
    const holder = svg("g", { transform: `translate(${group.x} ${group.y})`, hidden: "", "aria-hidden": "true", ...(inTable.has(group) ? { "data-table": "" } : {}) });
    root.append(holder);
    const marks = group.marks.map(([tag, place, runs = [], keys = "", links = ""], order) => ({ order, tag, place, flat: runs, runs: [], keys, links, look: -1 }));
    return { holder, group, marks, at: -1, starts: new Map() };
  });
  const showArrow = drawArrow(root, panel);
  /** @type {DrawnMark[]} */
  const marks = groups.flatMap((each) => each.marks);
  /** @type {[Set<string>, string, Set<string>]} */
  let lit = [new Set(), "", new Set()];

  /** Reads the marks of a group when it is first shown: in a long recording most groups never are. @param {DrawnGroup} drawn */
  function read({ marks, starts }) {
    for (const mark of marks) {
      mark.runs = paired(mark.flat);
      for (const [start] of mark.runs) {
        const there = starts.get(start);
        if (there) there.push(mark);
        else starts.set(start, [mark]);
      }
    }
  }

  /** Makes the element of a mark when it is first shown, under those of later marks.
   * @param {DrawnGroup} drawn @param {DrawnMark} mark */
  function make(drawn, mark) {
    const { marks, group, holder } = drawn;
    const element = svg(mark.tag, placed(group, mark));
    mark.element = element;
    if (mark.keys || mark.links) element.setAttribute("data-k", `${mark.keys} ${mark.links}`.trim());
    if (lit[0].size || lit[1] || lit[2].size) light(element, mark.keys);
    let next = mark.order + 1;
    while (next < marks.length && !marks[next].element) next += 1;
    holder.insertBefore(element, marks[next]?.element ?? null);
    return element;
  }

  const isOnAxis = ON_AXIS.has(panel.name);
  let axis = axisIn(panel.width, payload.axis, 0);
  let arrangement = panel.name === "storages" ? arranged(panel, 0) : null;

  /** The fixed attributes of a mark, adapted to the available room. @param {Group} group @param {DrawnMark} mark */
  function placed({ fixed }, { tag, place, flat }) {
    if (!isOnAxis || fixed) return place;
    const found = stretched(place, axis.along);
    const looks = paired(flat).map(([, look]) => payload.looks[look]);
    const endsThere = looks.some((look) => look && ENDING.test(payload.styles[look[0]]));
    if (tag === "text" && Number(place.x) > payload.axis.left && !endsThere) found.x = endingWithin(Number(found.x), looks.map((look) => payload.said[look?.[1] ?? -1] ?? ""), axis.width);
    return found;
  }

  /** Adapts the drawing to the available room, in px. @param {number} room @param {Fitting} fitting @param {number} height  That of the pane. */
  function fit(room, { part, shrunk, isWhole }, height) {
    [high, whole] = [height, isWhole];
    if (arrangement) {
      arrangement = arranged(panel, room, part, shrunk);
      put(root, "width", arrangement.width);
      put(root, "height", panel.table ? least : arrangement.height);
    }
    const before = axis.width;
    if (isOnAxis) axis = axisIn(panel.width, payload.axis, room);
    zoom = arrangement?.zoom ?? zoomFor(isOnAxis ? axis.width : panel.width, room, leastOf(shrunk, isWhole));
    for (const part of [root, below]) part?.style.setProperty("--ipl-fit", String(zoom));
    if (axis.width === before) return;
    put(root, "width", axis.width);
    for (const { group, marks } of groups) {
      for (const mark of marks) {
        if (!mark.element) continue;
        const moves = payload.moves[payload.looks[mark.look]?.[2] ?? -1] ?? {};
        for (const [key, value] of Object.entries({ ...placed(group, mark), ...stretched(moves, axis.along) })) put(mark.element, key, value);
      }
    }
  }

  /** The height of the pane, in px: storages are folded only when it is full. */
  let high = 0;
  let whole = false;
  const showMore = drawMore(root, panel, payload);

  /** How much a step is about the storage of a group, some of whose marks begin to stand out then: 0 not at all, 1 it touches it, 2 it writes it,
   * 3 it makes a value stale on it. @param {number} step */
  const urgency = (step) => (/** @type {Group} */ group) => {
    const styles = group.marks.flatMap(([, , runs = []]) => paired(runs).filter(([start, look]) => start === step && look >= 0).map(([, look]) => payload.styles[payload.looks[look][0]]));
    return [EMPHASIS, WRITTEN, TURNED].filter((pattern) => styles.some((style) => pattern.test(style))).length;
  };

  let zoom = 1;
  let isOpen = false;
  /** The keys of the open rows of the table. @type {Set<string>} */
  const opened = new Set();

  /** Where there is no room even for the shortest axis, all steps are seen, if small; but not on a projector. @param {number} shrunk @param {boolean} isWhole */
  const leastOf = (shrunk, isWhole) => (isOnAxis && !isWhole ? SHRUNK : shrunk);

  /** Shows or hides the folded part of this panel. @param {boolean} open */
  function unfold(open) {
    isOpen = open;
    const height = (open && panel.unfolds?.height) || panel.height;
    put(root, "height", height);
  }

  /** Opens or closes a row of the table; returns whether there is one with this key. @param {string} key */
  function toggle(key) {
    const head = groups.find(({ group }) => group.key === key && inTable.has(group));
    if (!head || !key.startsWith("o")) return false;
    if (!opened.delete(key)) opened.add(key);
    head.holder.toggleAttribute("data-open", opened.has(key));
    return true;
  }

  /** Places groups and cards for a step. @param {number} step @param {string} language @param {Set<string> | null} followed */
  function arrange(step, language, followed) {
    const stacked = arrangement && stackOf(panel, step, followed, arrangement, high / zoom, whole ? (group) => urgency(step)(group) > 0 : null, opened, urgency(step));
    showMore(stacked, step, language);
    /** @type {Map<string, number[]>} */
    const places = new Map();
    for (const { holder, group } of groups) {
      const isThere = isDrawn(group, step, null) && (isOpen || !group.folded);
      const place = stacked ? stacked.places.get(group) : isThere && [group.x, group.y];
      holder.toggleAttribute("hidden", !place);
      if (place && group.key && !inTable.has(group)) places.set(group.key, place);
      if (stacked && place) put(holder, "transform", `translate(${place[0]} ${place[1]})`);
    }
    showArrow(step, (key) => places.get(key));
    if (below) below.style.height = `${Math.max(0, (stacked?.bottom ?? 0) - least)}px`;
  }

  /** Shows a step; returns the elements that a reader should see first. @param {number} step @param {string} language @param {Set<string> | null} followed */
  function show(step, language, followed = null) {
    /** @type {Element[]} */
    const changed = [];
    arrange(step, language, followed);
    for (const drawn of groups) {
      if (drawn.holder.hasAttribute("hidden")) continue;
      if (drawn.at < 0) read(drawn);
      for (const mark of toBring(drawn, step)) bring(drawn, mark, step, language);
      drawn.at = step;
      for (const mark of drawn.starts.get(step) ?? []) if (mark.element && isStyled(mark, EMPHASIS)) changed.push(mark.element);
    }
    if (!changed.length) for (const mark of marks) if (mark.element && isStyled(mark, LASTING)) changed.push(mark.element);
    const words = speak(payload.said[valueAt(descriptions, step) ?? descriptions[0][1]], language);
    write(desc, words);
    return changed;
  }

  /** The marks that may look different at `step`: those with a run that begins on the way there. @param {DrawnGroup} drawn @param {number} step */
  function toBring({ marks, at, starts }, step) {
    const [low, high] = [Math.min(at, step), Math.max(at, step)];
    // From the last to the first, so that the next sibling already has its element.
    if (at < 0 || high - low > NEAR) return [...marks].reverse();
    return new Set(Array.from({ length: high - low }, (_, k) => starts.get(low + 1 + k) ?? []).flat());
  }

  /** Whether a mark is shown and its style matches. @param {DrawnMark} mark @param {RegExp} pattern */
  function isStyled({ look }, pattern) {
    return look >= 0 && pattern.test(payload.styles[payload.looks[look][0]]);
  }

  /** @param {DrawnGroup} drawn @param {DrawnMark} mark @param {number} step @param {string} language */
  function bring(drawn, mark, step, language) {
    const look = valueAt(mark.runs, step) ?? -1;
    if (look === mark.look) return;
    mark.look = look;
    const element = mark.element ?? make(drawn, mark);
    element.toggleAttribute("hidden", look < 0);
    if (look < 0) return;
    const [style, said = -1, move = -1] = payload.looks[look];
    put(element, "class", payload.styles[style]);
    const moves = payload.moves[move] ?? {};
    for (const [key, value] of Object.entries(isOnAxis && !drawn.group.fixed ? stretched(moves, axis.along) : moves)) put(element, key, value);
    if (said < 0) return;
    const words = speak(payload.said[said], language);
    if (drawn.at >= 0 && VALUE.test(payload.styles[style]) && element.textContent && element.textContent !== words) pass(element);
    write(element, words);
  }

  /** @param {string} language @param {string} name */
  function translate(language, name) {
    title.textContent = name;
    for (const mark of marks) {
      const said = payload.said[payload.looks[mark.look]?.[1] ?? -1];
      if (mark.element && Array.isArray(said)) mark.element.textContent = speak(said, language);
    }
  }

  /** @param {Set<string>} wanted @param {string} pinned @param {Set<string>} followed */
  function highlight(wanted, pinned, followed) {
    const isDark = !wanted.size && !pinned && !followed.size;
    const wasDark = !lit[0].size && !lit[1] && !lit[2].size;
    lit = [wanted, pinned, followed];
    // Most steps highlight nothing: then no marks need to be checked.
    if (!(isDark && wasDark)) for (const { element, keys } of marks) if (element) light(element, keys);
  }

  /** @param {Element} element @param {string} keys */
  function light(element, keys) {
    const [wanted, pinned, followed] = lit;
    element.toggleAttribute("data-related", isRelated(keys, wanted));
    element.toggleAttribute("data-pinned", isOf(keys, pinned));
    element.toggleAttribute("data-followed", isRelated(keys, followed));
  }

  /** The marks of an item. @param {string} key */
  const marksOf = (key) => marks.filter((mark) => isOf(mark.keys, key));

  /** The links of an item. @param {string} key */
  const linksOf = (key) => marksOf(key).flatMap((mark) => mark.links.split(" ").filter(Boolean));

  /** The first step at which an item is shown; -1 if it never is. @param {string} key */
  function firstStep(key) {
    const starts = marksOf(key).flatMap((mark) => paired(mark.flat).filter(([, look]) => look >= 0).slice(0, 1).map(([start]) => start));
    return starts.length ? Math.min(...starts) : -1;
  }

  /** The last step, up to `step`, at which a mark of this item shows a raised version; -1 if there is none.
   * @param {string} key @param {number} step */
  function raisedAt(key, step) {
    const isRaised = (/** @type {[number, number]} */ [start, look]) => start <= step && look >= 0 && RAISED.test(payload.styles[payload.looks[look][0]]);
    return Math.max(-1, ...marksOf(key).flatMap((mark) => paired(mark.flat).filter(isRaised).map(([start]) => start)));
  }

  /** The items for the arrow keys: each shown item once, with its largest mark.
   * @returns {{key: string, element: Element}[]} */
  function items() {
    const found = new Map();
    for (const { element, keys, look } of marks) {
      const key = firstOf(keys);
      if (element && look >= 0 && isItem(key) && !found.has(key) && !element.closest("g[hidden]")) found.set(key, element);
    }
    return [...found].map(([key, element]) => ({ key, element }));
  }

  /** The element with the marks of a storage: of its groups, that of this step. @param {string} key */
  function holderOf(key) {
    const own = groups.filter(({ group }) => group.key === key && !inTable.has(group)).map(({ holder }) => holder);
    return own.find((holder) => !holder.hasAttribute("hidden")) ?? own[0];
  }

  /** The same for the group at a place among the groups of the panel. @param {number} at */
  const holderAt = (at) => groups[at].holder;

  const width = () => arrangement?.width ?? panel.width;

  /** Its width and height in some room. @param {number} room @param {Fitting} fitting @param {number} [most]  If given, all storages may be
   * folded but one: the highest of at most this height. */
  function sizeIn(room, { part, shrunk, isWhole }, most) {
    const there = arrangement && arranged(panel, room, part, shrunk);
    if (there) {
      const heights = most && panel.table ? panel.groups.map((group) => there.zoom * (group.height ?? 0)).filter((height) => height <= most) : [there.zoom * there.height];
      return { width: there.zoom * there.width, height: Math.max(0, ...heights) };
    }
    const width = isOnAxis ? axisIn(panel.width, payload.axis, room).width : panel.width;
    const zoom = zoomFor(width, room, leastOf(shrunk, isWhole));
    return { width: zoom * width, height: zoom * Number(root.getAttribute("height")) };
  }

  return { parts: below ? [root, below] : [root], root, fit, width, sizeIn, stretch: () => axis.by, show, toggle, unfold, translate, highlight, holderOf, holderAt, linksOf, firstStep, raisedAt, items };
}

/** Whether a mark shows this item: the first of its keys, or one of the nodes that share a box. @param {string} keys @param {string} key */
function isOf(keys, key) {
  return key !== "" && (firstOf(keys) === key || (key.startsWith("n") && keys.startsWith("n") && keys.split(" ").includes(key)));
}

/** @param {string} keys */
export function firstOf(keys) {
  return keys.split(" ", 1)[0];
}

/** Whether a key is a storage, tensor, pin, node, version, fold of pins or row of a table, and not a slot or element: there are too many of those to walk through.
 * @param {string} key */
export function isItem(key) {
  return /^([stnvko]\d+|p\d+(:\d+)*)$/.test(key);
}
