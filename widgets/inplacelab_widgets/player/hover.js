// Explains what a reader points at: finds the related marks to highlight, and one line that describes the relation. Pure functions.

import { ALL_SLOTS, elementName, formula, numberAt, positionOf, slotFacts, slotsBetween, slotsOf, spanOf, valueIn, whole, number } from "./linking.js";
import { lineNumber } from "./places.js";
import { fill, speak } from "./steps.js";
/** @import { Layout } from "./linking.js" */
/** @import { Payload, Said } from "./steps.js" */

/** @typedef {{keys: Set<string>, lines: Set<number>, says: Said}} Related  Keys of marks, lines of code (from 1), and the reading line. */

/** Up to this many sharers of a slot are named; more are counted. */
const MOST_NAMED = 5;
/** The most elements of a tensor whose slots, and the lines that wrote them, are highlighted one by one. */
const MOST_ELEMENTS = 256;
const POINTED = /^([stp])(\d+)(?::([\d,:]*))?$/;

/** Returns functions that find what is related to the item a reader points at. @param {Payload} payload */
export function linker(payload) {
  const facts = slotFacts(payload);

  /** @param {string} keys  The keys of a mark; the first is what it represents, the others are highlighted with it. @param {number} step @returns {Related} */
  function related(keys, step) {
    const all = keys.split(" ").filter(Boolean);
    const [, kind, id, place] = POINTED.exec(all[0] ?? "") ?? [];
    if (kind === "s" && place) return onSlot(step, Number(id), Number(place));
    if (kind === "t" && place !== undefined) return onElement(step, `t${id}`, place ? place.split(",").map(Number) : []);
    /** @type {Related} */
    const found = { keys: new Set(all), lines: new Set(), says: "" };
    if (kind === "s") Object.assign(found, { lines: facts.writersOf(step, Number(id)), says: sentence([came(step, Number(id), ALL_SLOTS)]) });
    else if (kind) facts.layoutsOf(all[0], step).forEach((layout) => addSlots(found, layout, step));
    if (kind === "t") found.says = onTensor(all[0], step, found.lines);
    return found;
  }

  /** The whole name and the metadata of a tensor. @param {string} tensor @param {number} step @param {Set<number>} lines @returns {Said} */
  function onTensor(tensor, step, lines) {
    const [layout] = facts.layoutsOf(tensor, step);
    if (!layout) return "";
    const { name, storage, shape, strides, offset } = layout;
    const metadata = { shape: `[${shape.join(", ")}]`, strides: `[${strides.join(", ")}]`, offset };
    return sentence([came(step, storage, ALL_SLOTS), (say) => say("link_tensor", { name, storage: `S${storage}`, ...metadata }), written(lines)]);
  }

  /** @param {Related} found @param {Layout} layout @param {number} step */
  function addSlots(found, layout, step) {
    if (layout.shape.reduce((a, b) => a * b, 1) > MOST_ELEMENTS) return;
    const slots = slotsOf(layout);
    for (const slot of slots) found.keys.add(`s${layout.storage}:${slot}`);
    for (const line of facts.writersOf(step, layout.storage, slots)) found.lines.add(line);
  }

  /** @param {number} step @param {number} storage @param {number} slot @returns {Related} */
  function onSlot(step, storage, slot) {
    const { keys, lines, sharers, keepers } = around(step, storage, [slot, slot + 1]);
    const where = { slot, storage: `S${storage}` };
    const readers = (/** @type {Say} */ say) => say(sharers.length ? "link_slot" : "link_unread", { ...where, elements: named(sharers, say) });
    return { keys, lines, says: sentence([value(step, storage, slot), came(step, storage, slot), readers, kept(keepers), written(lines)]) };
  }

  /** @param {number} step @param {string} tensor @param {number[]} index @returns {Related} */
  function onElement(step, tensor, index) {
    const [layout] = facts.layoutsOf(tensor, step);
    const own = `${tensor}:${index}`;
    if (!layout) return { keys: new Set([own]), lines: new Set(), says: "" };
    const position = positionOf(layout, index);
    const { keys, lines, slots, sharers, keepers } = around(step, layout.storage, spanOf(layout, position));
    const sum = formula(layout, index);
    const place = { element: elementName(layout, index), sum: sum === String(position) ? sum : `${sum} = ${position}` };
    const where = { slot: slots.length > 1 ? `${slots[0]}–${slots[slots.length - 1]}` : slots[0], storage: `S${layout.storage}` };
    const others = sharers.filter((sharer) => sharer.key !== own);
    return {
      keys,
      lines,
      says: sentence([
        value(step, layout.storage, slots.length > 1 ? ALL_SLOTS : slots[0]),
        came(step, layout.storage, slots[0]),
        (say) => say(layout.bytes ? "link_bytes" : "link_element", { ...place, ...where }),
        (say) => others.length > 0 && say("link_shared", { elements: named(others, say) }),
        kept(keepers),
        written(lines),
      ]),
    };
  }

  /** Everything that reads, keeps or wrote the bytes between two positions, counted in slots.
   * @param {number} step @param {number} storage @param {[number, number]} span */
  function around(step, storage, [start, end]) {
    const slots = slotsBetween(start, end);
    const sharers = facts.sharers(step, storage, start, end);
    const keepers = facts.keepers(step, storage, slots);
    const keys = new Set(slots.map((slot) => `s${storage}:${slot}`));
    for (const { key, tensor } of sharers) keys.add(key).add(tensor);
    // A pin's key begins with its node: "p2:1:0" belongs to node 2.
    for (const { key } of keepers) keys.add(key).add(`n${key.slice(1).split(":")[0]}`);
    return { keys, lines: facts.writersOf(step, storage, slots), slots, sharers, keepers };
  }

  /** @param {{element: string}[]} elements @param {Say} say */
  function named(elements, say) {
    const some = elements.slice(0, MOST_NAMED).map(({ element }) => `\`${element}\``);
    const rest = elements.length - some.length;
    return some.join(say("comma")) + (rest > 0 ? say("link_more", { count: rest }) : "");
  }

  /** Where the number in a slot comes from. @param {number} step @param {number} storage @param {number} slot @returns {Part} */
  function came(step, storage, slot) {
    const { numbers } = payload.origins ?? { numbers: [] };
    const number = numbers[numberAt(numbers, storage, slot, step)] ?? numbers[numberAt(numbers, storage, ALL_SLOTS, step)];
    return (_, tongue) => number !== undefined && speak(payload.said[number[3]], tongue);
  }

  /** The number in a slot with all its digits, if the picture rounds it. @param {number} step @param {number} storage @param {number} slot @returns {Part} */
  function value(step, storage, slot) {
    const page = payload.pages.find(({ key }) => key === `s${storage}`);
    const writes = payload.writes.filter(([, , to]) => to === storage);
    const found = page && valueIn(page, writes.map(([at, , , runs]) => [at, runs]), step, slot);
    return (say) => found !== undefined && number(found, page?.exponent) !== whole(found) && say("link_value", { value: whole(found) });
  }

  /** @param {{owner: number}[]} keepers @returns {Part} */
  function kept(keepers) {
    return (say, tongue) => {
      const nodes = [...new Set(keepers.map(({ owner }) => speak(payload.said[owner], tongue)))];
      return nodes.length > 0 && say("link_kept", { nodes: nodes.join(say("comma")) });
    };
  }

  /** @param {Set<number>} lines @returns {Part} */
  function written(lines) {
    const key = payload.sources ? "link_places" : lines.size > 1 ? "link_lines" : "link_line";
    return (say, tongue) => lines.size > 0 && say(key, { lines: [...lines].map((line) => lineNumber(payload, line, tongue)).join(say("comma")) });
  }

  /** @typedef {(key: string, facts?: Object<string, string | number>) => string} Say */
  /** @typedef {(say: Say, tongue: string) => string | false} Part */

  /** Joins the non-empty parts to one line in each language. @param {Part[]} parts @returns {Said} */
  function sentence(parts) {
    const [en, zh] = ["en", "zh"].map((tongue) => {
      /** @type {Say} */
      const say = (key, given = {}) => fill(speak(payload.words[key], tongue), given);
      return parts.map((part) => part(say, tongue)).filter(Boolean).join(say("semicolon"));
    });
    return [en, zh];
  }

  return { related, ...facts };
}
