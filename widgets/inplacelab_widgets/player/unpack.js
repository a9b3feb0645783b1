// What has travelled packed, made what it was: the way back from packing.py.

/** The text that was packed. @param {string} text @returns {Promise<string>} */
export function unpacked(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let k = 0; k < letters.length; k += 1) bytes[k] = letters.charCodeAt(k);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
}

/** Brings the style sheet of an element to what holds that: the page, or a shadow root, which the styles of its page do not reach.
 * Of several elements there, the first brings it. @param {Element} element @param {string} style @param {string} name */
export function dress(element, style, name) {
  const root = element.getRootNode();
  const home = root instanceof ShadowRoot ? root : document.head;
  if (!home.querySelector(`#${name}`)) home.append(Object.assign(document.createElement("style"), { id: name, textContent: style }));
}

/** A payload: of one that is a text, the data that were packed in it. @param {any} payload @returns {Promise<any>} */
export async function arrived(payload) {
  return typeof payload === "string" ? JSON.parse(await unpacked(payload)) : payload;
}
