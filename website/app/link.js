// Links that carry a program: #code=…&step=7, with the program compressed. A link may come from anybody, so it is read within bounds.

/** The most characters of a compressed part of a link. */
const MOST_CHARACTERS = 400_000;
/** The most bytes of a program, and of a picture, after decompression. */
export const MOST_CODE = 60_000;
const MOST_PICTURE = 400_000;
/** The most characters of a picture that a new link takes along: chat programs cut longer links. */
export const MOST_CARRIED = 12_000;

/**
 * What a link asks for.
 * @typedef {Object} Asked
 * @property {string} [code]  The program.
 * @property {string} [example]  The name of an example.
 * @property {number} [step]  Counted from 0; the link counts from 1.
 * @property {string} [picture]  The picture of the step, as SVG. It is shown as an image only.
 * @property {string} [refused]  Why the program was not taken over: "long" or "damaged".
 */

/** Compresses a text into letters that need no escape in a link. @param {string} text */
export async function pack(text) {
  const packed = await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer();
  let letters = "";
  for (const byte of new Uint8Array(packed)) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Returns the text that `pack` compressed. Decompression stops at a limit, so that a small link cannot fill the memory.
 * @param {string} packed @param {number} most  The most bytes of the text.
 * @returns {Promise<string>} @throws {RangeError} if it is too long. @throws {TypeError | SyntaxError | Error} if it is damaged. */
export async function unpack(packed, most) {
  if (packed.length > MOST_CHARACTERS) throw new RangeError("too long");
  const letters = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > most) {
      reader.cancel().catch(() => {});
      throw new RangeError("too long");
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Reads the end of a link. @param {string} hash @returns {Promise<Asked>} */
export async function read(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  /** @type {Asked} */
  const asked = {};
  const step = given.get("step") ?? "";
  if (/^[1-9]\d{0,5}$/.test(step)) asked.step = Number(step) - 1;
  const example = given.get("example") ?? "";
  if (/^[\w-]{1,80}$/.test(example)) asked.example = example;
  const code = given.get("code");
  if (code === null) return asked;
  try {
    asked.code = await unpack(code, MOST_CODE);
  } catch (error) {
    asked.refused = error instanceof RangeError ? "long" : "damaged";
    return asked;
  }
  const picture = given.get("picture");
  // A link without its picture is as good: Python draws it.
  if (picture) asked.picture = await unpack(picture, MOST_PICTURE).catch(() => undefined);
  return asked;
}

/** Writes the end of a link. @param {{code: string, step?: number, picture?: string}} carried */
export async function written({ code, step, picture }) {
  const parts = [`code=${await pack(code)}`];
  if (step !== undefined) parts.push(`step=${step + 1}`);
  const packed = picture ? await pack(picture) : "";
  if (packed && packed.length <= MOST_CARRIED) parts.push(`picture=${packed}`);
  return `#${parts.join("&")}`;
}
