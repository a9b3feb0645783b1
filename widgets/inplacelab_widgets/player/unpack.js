// Decompresses what page.py has compressed.

/** Returns the original text. @param {string} text @returns {Promise<string>} */
export function unpacked(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let k = 0; k < letters.length; k += 1) bytes[k] = letters.charCodeAt(k);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
}

/** Adds an element's style sheet to its page, or to its shadow root, which the page's styles do not reach. It is added once for all elements
 * there. @param {Element} element @param {string} style @param {string} name */
export function dress(element, style, name) {
  const root = element.getRootNode();
  const home = root instanceof ShadowRoot ? root : document.head;
  if (!home.querySelector(`#${name}`)) home.append(Object.assign(document.createElement("style"), { id: name, textContent: style }));
}

/** Returns a payload. A text is decompressed, unless it is JSON already, and the distances between the steps at which groups are drawn become steps.
 * @param {any} payload  The payload, or a promise of it. @returns {Promise<any>} */
export async function arrived(payload) {
  const given = await payload;
  if (typeof given !== "string") return given;
  const found = JSON.parse(given.startsWith("{") ? given : await unpacked(given));
  for (const { panels = [], joined = [] } of [found, ...(found.sides ?? [])])
    for (const { groups, table = [] } of [...panels, ...joined]) for (const group of [...groups, ...table]) if (group.open) group.open = summed(group.open);
  return found;
}

/** The sums of the first one, two, three ... numbers. @param {number[]} distances */
export function summed(distances) {
  let sum = 0;
  return distances.map((distance) => (sum += distance));
}
