// Draws a step as a card of 1200 by 675 px from the picture that is shown, as sharing.py does: always light.

import { svg } from "./elements.js";
import { placeWords } from "./markdown.js";
import { speak } from "./words.js";
/** @import { Stage } from "./stage.js" */

export const CARD = { width: 1200, height: 675, pad: 40, gap: 28, foot: 56 };
/** The sizes of the sentence that are tried, and the most lines that it has. */
const SENTENCE = { sizes: [30, 25, 21, 18], lines: 3 };
export const CODE = { width: 400, size: 18, line: 27 };
/** The largest scale of the picture. */
const LARGEST = 2.2;
/** How much larger the picture must be below the code than beside it. */
const MUCH = 1.15;
/** The space around the marks of a picture, for the width of their lines. */
const AIR = 4;

/** @typedef {{element: Element, x: number, y: number, width: number, height: number}} Picture  A drawing, and the part of it that has marks. */
/** @typedef {(words: string, size: number) => number} Measure */

/** Draws a card as a PNG. @param {Element} card @returns {Promise<Blob>} */
export async function drawCard(card) {
  const text = new XMLSerializer().serializeToString(card);
  const image = new Image(CARD.width, CARD.height);
  // Not an address of a blob: Safari keeps what is drawn from one to itself.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: CARD.width, height: CARD.height });
  canvas.getContext("2d")?.drawImage(image, 0, 0, CARD.width, CARD.height);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("the browser made no PNG"))), "image/png"));
}

/** A card without anything on it. It is a document of its own, which a dark page does not reach. @param {HTMLElement} root  The player. */
export function emptyCard(root) {
  const card = svg("svg", { xmlns: "http://www.w3.org/2000/svg", width: CARD.width, height: CARD.height, viewBox: `0 0 ${CARD.width} ${CARD.height}` });
  const style = svg("style");
  style.textContent = styleOf(root);
  const body = svg("g", { class: "ipl" });
  if (root.hasAttribute("data-predict")) body.setAttribute("data-predict", "");
  card.append(style, svg("rect", { width: CARD.width, height: CARD.height, fill: "#fff" }), body);
  return { card, body };
}

/** The card of a step as a drawing. @param {Stage} stage */
export function cardOf(stage) {
  const { payload, step, language, root } = stage;
  const measure = measuring(root);
  const { card, body } = emptyCard(root);

  const said = speak(payload.said[payload.steps[step].says], language).replaceAll("`", "");
  const { size, lines } = fitted(said, CARD.width - 2 * CARD.pad - 24, measure);
  const high = lines.length * size * 1.33;
  body.append(svg("rect", { x: CARD.pad, y: CARD.pad - 4, width: 8, height: high + 4, class: payload.steps[step].error ? "ipl-flag-stale" : "ipl-mark-now" }));
  lines.forEach((line, k) => body.append(wordsAt(CARD.pad + 24, CARD.pad - 4 + size * (1 + 1.33 * k), size, line, "ipl-bold")));

  const top = CARD.pad + high + CARD.gap;
  const room = CARD.height - CARD.foot - top;
  const picture = pictureIn(root);
  const wide = CARD.width - 2 * CARD.pad;
  const plan = planned(piecesIn(payload.source, CODE.width, measure).length, piecesIn(payload.source, wide, measure).length, picture, room);
  drawLines(body, stage, { left: CARD.pad, top, width: plan.isBelow ? wide : CODE.width, rows: plan.rows }, measure);
  if (picture) {
    const [x, y] = plan.isBelow ? [CARD.pad, top + plan.rows * CODE.line + (plan.rows ? CARD.gap : 0)] : [CARD.pad + CODE.width + CARD.gap, top];
    body.append(pictureAt(picture, x, y, plan.scale));
  }
  drawCardFoot(body, stage, measure);
  return card;
}

/** Where the step is, and who drew it. @param {Element} body @param {Stage} stage @param {Measure} measure */
export function drawCardFoot(body, { payload, step, language }, measure) {
  const place = [placeWords(payload, step, language), ...payload.notes.map((note) => speak(note, language))].join(" · ");
  body.append(wordsAt(CARD.pad, CARD.height - 24, 17.6, cut(place, CARD.width - 2 * CARD.pad - 160, 17.6, measure), "ipl-soft"));
  body.append(wordsAt(CARD.width - CARD.pad, CARD.height - 24, 17.6, "inplacelab", "ipl-bold ipl-end"));
}

/** A copy of a picture at a place of the card. @param {Picture} picture @param {number} x @param {number} y @param {number} scale */
export function pictureAt(picture, x, y, scale) {
  const part = svg("svg", { x, y, width: picture.width * scale, height: picture.height * scale, viewBox: `${picture.x} ${picture.y} ${picture.width} ${picture.height}` });
  // Some looks depend on the drawing as a whole.
  for (const { name, value } of picture.element.attributes) if (/^(class$|data-)/.test(name)) part.setAttribute(name, value);
  part.append(...copied(picture.element));
  return part;
}

/** The style sheets of the player: in the page, or in the shadow root that it is in. @param {HTMLElement} root */
function styleOf(root) {
  const home = /** @type {Document | ShadowRoot} */ (root.getRootNode());
  return [...home.querySelectorAll("style[id^=ipl-]")].map((sheet) => sheet.textContent).join("\n");
}

/** The picture to show: the storages, or else the first one that is visible. @param {HTMLElement} root @returns {Picture | null} */
export function pictureIn(root) {
  const drawings = [".ipl-storages svg", ".ipl-pane svg"].flatMap((where) => [...root.querySelectorAll(where)]);
  for (const element of /** @type {SVGSVGElement[]} */ (drawings)) {
    if (!element.querySelector("title") || getComputedStyle(element).visibility === "hidden") continue;
    const { x, y, width, height } = element.getBBox();
    if (width && height) return { element, x: x - AIR, y: y - AIR, width: width + 2 * AIR, height: height + 2 * AIR };
  }
  return null;
}

/** What a drawing contains, without what is hidden. @param {Element} drawing */
function copied(drawing) {
  const copy = /** @type {Element} */ (drawing.cloneNode(true));
  for (const hidden of copy.querySelectorAll("[hidden], title, desc")) hidden.remove();
  return [...copy.childNodes];
}

/** Where the picture is, how many rows of code there are, and the scale of the picture. @param {number} narrow  The rows that the code needs beside it. @param {number} broad  Those above it.
 * @param {{width: number, height: number} | null} picture @param {number} room  In px. */
export function planned(narrow, broad, picture, room) {
  const beside = { isBelow: false, rows: Math.min(narrow, Math.floor(room / CODE.line)), scale: 1 };
  if (!picture) return beside;
  const rows = Math.min(broad, Math.floor(room / 3 / CODE.line));
  const below = { isBelow: true, rows, scale: 1 };
  beside.scale = Math.min(LARGEST, (CARD.width - 2 * CARD.pad - CODE.width - CARD.gap) / picture.width, room / picture.height);
  below.scale = Math.min(LARGEST, (CARD.width - 2 * CARD.pad) / picture.width, (room - rows * CODE.line - (rows ? CARD.gap : 0)) / picture.height);
  return !narrow || below.scale > MUCH * beside.scale ? below : beside;
}

/** A program in rows that fit: the number of the line, "" where a line goes on, and the text. @typedef {{line: number, number: string, text: string}} Row */
/** @param {string[]} source @param {number} width @param {Measure} measure @returns {Row[]} */
export function piecesIn(source, width, measure) {
  const room = width - 58;
  return source.flatMap((text, k) => {
    const indent = `${/^ */.exec(text)?.[0].slice(0, 12)}  `;
    /** @type {Row[]} */
    const rows = [];
    for (let rest = text; rest || !rows.length; ) {
      const start = rows.length ? indent : "";
      let kept = rest.length;
      while (kept > 1 && measure(start + rest.slice(0, kept), CODE.size) > room) kept -= 1;
      rows.push({ line: k + 1, number: rows.length ? "" : String(k + 1), text: start + rest.slice(0, kept) });
      rest = rest.slice(kept);
    }
    return rows;
  });
}

/** The rows around the line of the step. @param {Element} body @param {Stage} stage @param {{left: number, top: number, width: number, rows: number}} place @param {Measure} measure */
export function drawLines(body, { payload, step }, { left, top, width, rows }, measure) {
  const { line, error } = payload.steps[step];
  const pieces = piecesIn(payload.source, width, measure);
  const first = firstRow(pieces, line, rows);
  pieces.slice(first, first + rows).forEach(({ line: at, number, text }, k) => {
    const y = top + k * CODE.line;
    if (at === line) {
      body.append(svg("rect", { x: left, y, width, height: CODE.line, class: "ipl-tint" }));
      body.append(svg("rect", { x: left, y, width: 6, height: CODE.line, class: error ? "ipl-flag-stale" : "ipl-mark-now" }));
    }
    body.append(wordsAt(left + 39, y + 19, CODE.size, number, "ipl-soft ipl-end"));
    body.append(wordsAt(left + 54, y + 19, CODE.size, text, ""));
  });
}

/** The first row that is shown, if `count` are: the line of the step is in their middle where possible. @param {{line: number}[]} rows @param {number | null} line @param {number} count */
export function firstRow(rows, line, count) {
  const at = Math.max(0, rows.findIndex((row) => row.line === line));
  return Math.max(0, Math.min(rows.length - count, at - Math.floor(count / 2)));
}

/** @param {number} x @param {number} y @param {number} size @param {string} text @param {string} style */
export function wordsAt(x, y, size, text, style) {
  const element = svg("text", { x, y, class: `ipl-text ${style}`, style: `font-size:${size}px` });
  element.setAttributeNS("http://www.w3.org/XML/1998/namespace", "xml:space", "preserve");
  element.textContent = text;
  return element;
}

/** @param {HTMLElement} root @returns {Measure} */
export function measuring(root) {
  const context = document.createElement("canvas").getContext("2d");
  const sample = root.querySelector("svg .ipl-text");
  const family = sample ? getComputedStyle(sample).fontFamily : "monospace";
  return (text, size) => {
    if (!context) return text.length * size;
    context.font = `700 ${size}px ${family}`;
    return context.measureText(text).width;
  };
}

/** The largest size at which a sentence has few lines; the end of a very long one is cut. @param {string} said @param {number} room @param {Measure} measure */
export function fitted(said, room, measure) {
  for (const size of SENTENCE.sizes) {
    const lines = wrapped(said, (text) => measure(text, size) <= room);
    if (lines.length <= SENTENCE.lines) return { size, lines };
  }
  const size = SENTENCE.sizes[SENTENCE.sizes.length - 1];
  const lines = wrapped(said, (text) => measure(text, size) <= room);
  return { size, lines: [...lines.slice(0, SENTENCE.lines - 1), cut(lines.slice(SENTENCE.lines - 1).join(" "), room, size, measure)] };
}

/** Breaks a sentence at blanks and between Chinese characters, but not before a comma. @param {string} said @param {(text: string) => boolean} fits */
export function wrapped(said, fits) {
  const units = said.match(/[\u2e80-\uffef][，。；：、！？）》”」]*|[^\s\u2e80-\uffef]+[，。；：、！？）》”」]*\s*|\s+/gu) ?? [];
  /** @type {string[]} */
  const lines = [];
  let line = "";
  for (const unit of units) {
    if (line && !fits((line + unit).trimEnd())) {
      lines.push(line.trimEnd());
      line = "";
    }
    line += unit;
  }
  return [...lines, line.trimEnd()];
}

/** Cuts what is too wide. @param {string} text @param {number} room @param {number} size @param {Measure} measure */
export function cut(text, room, size, measure) {
  if (measure(text, size) <= room) return text;
  let kept = text.length;
  while (kept > 0 && measure(`${text.slice(0, kept)}…`, size) > room) kept -= 1;
  return `${text.slice(0, kept)}…`;
}
