// "Share": a dialog that copies a link to the step, saves it as a picture, or copies it as Markdown; and how both are made.

import { makeDialog } from "./dialog.js";
import { html, icon, label, svg, write } from "./dom.js";
import { chainWords, excerptOf } from "./places.js";
import { fill, speak, valueAt } from "./steps.js";
/** @import { Row } from "./places.js" */
/** @import { Part, Stage } from "./stage.js" */
/** @import { Payload, Said, Table } from "./steps.js" */

// A step as Markdown, as `to_markdown` of exports.py makes it. Pure functions.

/** Characters that have a meaning in Markdown (\\x60 is a backtick): an underscore between letters has none, a bracket only in a link, a sign such as # only at the beginning. */
const MEANS_SOMETHING = /[\\*\x60|~]|(?<![\p{L}\p{N}_])_|_(?![\p{L}\p{N}_])|(?<=\])[([:]|(?<=!)\[|\[(?=\^)|^(?:[#>+=-]|\p{Nd}+(?=[.)]))/gu;
/** What makes a link of a plain address. */
const ADDRESS = /:(?=\/\/)|(?<=www)\.|@/gi;

/** Text that a program may have written, escaped so that Markdown shows it unchanged, on one line. @param {string} content */
export function safe(content) {
  const line = content.replaceAll("\n", " ").replaceAll("&", "&amp;");
  const escaped = line.replace(MEANS_SOMETHING, (sign) => (/^\p{Nd}/u.test(sign) ? entity(sign[0]) + sign.slice(1) : `\\${sign}`));
  return escaped.replaceAll("<", "&lt;").replace(ADDRESS, entity);
}

/** @param {string} sign */
function entity(sign) {
  return `&#${sign.codePointAt(0)};`;
}

/** A sentence whose code is already in backticks. Other backticks become entities, since an escaped one may end code before it. @param {string} content */
export function inMarkdown(content) {
  const parts = content.replaceAll("\n", " ").split(/(\x60[^\x60]+\x60)/);
  return parts.map((part, k) => (k % 2 ? part : safe(part).replaceAll("\\\x60", "&#96;"))).join("");
}

/** A step: its place, the program with a note at the line, what it did, the tables. @param {Payload} payload @param {number} step @param {string} language */
export function markdownOf(payload, step, language) {
  const { steps, said, source, notes, tables } = payload;
  const speaks = (/** @type {Said} */ words) => speak(words, language);
  const { says, detail } = steps[step];
  const told = [said[says], ...(detail === undefined ? [] : [said[detail]])];
  const note = speak(payload.sharing?.this_step, language);
  const program = payload.sources ? excerptOf(payload, step, language).map((row) => writtenRow(row, note)) : marked(source, steps[step].line, note);
  const parts = [
    `**${safe(placeWords(payload, step, language))}**`,
    ...(source.length ? [program.map((line) => `    ${line}`).join("\n")] : []),
    ...[...told, ...notes].map((words) => inMarkdown(speaks(words))),
    ...tables.map((table) => tableOf(table, said, step, speaks)).filter(Boolean),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Where a step is, in words: the title, the number, the line, the phase. @param {Payload} payload @param {number} step @param {string} language */
function placeWords(payload, step, language) {
  const word = (/** @type {string} */ key, /** @type {Object<string, string | number>} */ facts = {}) => fill(speak(payload.words[key], language), facts);
  const { line, phase } = payload.steps[step];
  const at = line === null ? [] : [payload.sources ? chainWords(payload, step, language) : word("at_line", { line })];
  const place = [word("position", { step: step + 1, steps: payload.steps.length }), ...at, phase ? word(phase) : ""].filter(Boolean).join(word("clause"));
  return payload.title ? `${payload.title}${speak(payload.sharing?.colon, language)}${place}` : place;
}

/** A row of an excerpt as text. @param {Row} row @param {string} note  For the line of the step. */
const writtenRow = ({ number, text, isName, isHere }, note) => (isName ? text : `${number.padStart(5)}  ${text}${isHere ? `  # ← ${note}` : ""}`);

/** The lines of a program, with a comment behind one of them. Behind a backslash there is no room for one. @param {string[]} source @param {number | null} line @param {string} note */
export function marked(source, line, note) {
  return source.map((text, k) => (k + 1 === line && !text.endsWith("\\") ? `${text}  # ← ${note}` : text));
}

/** @param {Table} table @param {Said[]} said @param {number} step @param {(words: Said) => string} speaks */
function tableOf({ title, columns, rows }, said, step, speaks) {
  const filled = Object.values(rows).flatMap((runs) => {
    const cells = valueAt(runs, step);
    return cells ? [cells.map((cell) => safe(speaks(said[cell])))] : [];
  });
  if (!filled.length) return "";
  const head = columns.map((column) => safe(speaks(column)));
  const lines = [head, head.map(() => "---"), ...filled].map((cells) => `| ${cells.join(" | ")} |`);
  return [`**${speaks(title)}**`, "", ...lines].join("\n");
}

// Draws a step as a card of 1200 by 675 px from the picture that is shown, as sharing.py does: always light.

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
async function drawCard(card) {
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
function cardOf(stage) {
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
  const plan = planned(rowsOf(payload, step, language, CODE.width, measure).length, rowsOf(payload, step, language, wide, measure).length, picture, room);
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

/** The program in rows that fit; of one of several texts what matters at a step. @param {Payload} payload @param {number} step @param {string} language @param {number} width @param {Measure} measure @returns {Row[]} */
export function rowsOf(payload, step, language, width, measure) {
  if (!payload.sources) return piecesIn(payload.source, width, measure);
  return excerptOf(payload, step, language).flatMap((row) => (row.isName ? [row] : piecesIn([row.text], width, measure).map((piece) => ({ ...piece, line: row.line, number: piece.number && row.number }))));
}

/** A program in rows that fit: the number of the line, "" where a line goes on, and the text. */
/** @param {string[]} source @param {number} width @param {Measure} measure @returns {Row[]} */
function piecesIn(source, width, measure) {
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
export function drawLines(body, { payload, step, language }, { left, top, width, rows }, measure) {
  const { line, error } = payload.steps[step];
  const pieces = rowsOf(payload, step, language, width, measure);
  const first = firstRow(pieces, line, rows);
  pieces.slice(first, first + rows).forEach(({ line: at, number, text, isName }, k) => {
    const y = top + k * CODE.line;
    if (at === line) {
      body.append(svg("rect", { x: left, y, width, height: CODE.line, class: "ipl-tint" }));
      body.append(svg("rect", { x: left, y, width: 6, height: CODE.line, class: error ? "ipl-flag-stale" : "ipl-mark-now" }));
    }
    body.append(wordsAt(left + 39, y + 19, CODE.size, number, "ipl-soft ipl-end"));
    body.append(wordsAt(isName ? left : left + 54, y + 19, CODE.size, text, isName ? "ipl-bold" : ""));
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

// "Share": a dialog that copies a link to the step, saves it as a picture, or copies it as Markdown.

/** @param {Stage} stage @param {((step: number) => string | Promise<string>) | null} linkOf  Returns the link to a step; null where there is none.
 * @param {(stage: Stage) => Element} [card]  Draws the step as a card.
 * @returns {Part & {button: HTMLElement, close: () => boolean}} */
export function drawShare(stage, linkOf, card = cardOf) {
  const button = html("button", { type: "button", class: "ipl-button ipl-sharing", "aria-haspopup": "dialog" }, icon("share"));
  const dialog = makeDialog(stage);
  const outcome = html("p", { class: "ipl-outcome", "aria-live": "polite" });
  /** What the browser did not let us copy, for the reader to copy. */
  const text = /** @type {HTMLTextAreaElement} */ (html("textarea", { class: "ipl-to-copy", readonly: "", hidden: "", rows: 4, spellcheck: "false" }));
  // Of a long recording, only the first picture is there at first, without tables.
  button.toggleAttribute("disabled", stage.payload.only !== undefined);
  button.addEventListener("click", () => {
    renew();
    dialog.open();
  });
  /** The step and the language that are offered. */
  let offered = "";

  /** @param {string} key @param {Object<string, string | number>} [facts] */
  const word = (key, facts = {}) => fill(speak(stage.payload.sharing?.[key], stage.language), facts);

  function clear() {
    write(outcome, "");
    text.hidden = true;
  }

  function renew() {
    offered = `${stage.step} ${stage.language}`;
    clear();
    offer();
  }

  function offer() {
    dialog.translate(word("share_title", { step: stage.step + 1 }));
    text.setAttribute("aria-label", word("to_copy"));
    const link = linkOf ? [choice("copy_link", noteOnLink(), async () => copy(await linkOf(stage.step)))] : [note(word("no_link"))];
    const picture = choice("save_picture", "", savePicture);
    const markdown = choice("copy_markdown", "", () => copy(markdownOf(stage.payload, stage.step, stage.language)));
    dialog.fill(...link, picture, markdown, note(word("no_gif")), outcome, text);
  }

  /** A page that is a file has a link for this computer only. */
  function noteOnLink() {
    return location.protocol === "file:" ? word("link_of_file") : "";
  }

  /** @param {string} name @param {string} more @param {() => void} deed */
  function choice(name, more, deed) {
    const choose = html("button", { type: "button", class: "ipl-button" }, word(name));
    choose.addEventListener("click", () => {
      clear();
      deed();
    });
    return html("div", { class: "ipl-share" }, choose, ...(more ? [note(more)] : []));
  }

  /** @param {string} words */
  const note = (words) => html("p", { class: "ipl-share-note" }, words);

  /** @param {string} content */
  async function copy(content) {
    try {
      await navigator.clipboard.writeText(content);
      write(outcome, stage.word("copied"));
    } catch {
      // A page that is no secure context may not write to the clipboard: the reader can, from the selection.
      text.value = content;
      text.hidden = false;
      text.focus();
      text.select();
      write(outcome, word("copy_refused"));
    }
  }

  async function savePicture() {
    try {
      const address = URL.createObjectURL(await drawCard(card(stage)));
      const name = `${nameOf(stage.payload.title)}-${stage.step + 1}.png`;
      html("a", { href: address, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      write(outcome, word("saved_as", { name }));
    } catch {
      write(outcome, word("picture_refused"));
    }
  }

  function show() {
    if (dialog.isOpen() && offered !== `${stage.step} ${stage.language}`) renew();
  }

  function translate() {
    label(button, stage.word("share"));
    show();
  }

  return { root: dialog.root, button, show, translate, close: dialog.close };
}

/** The address of a step: steps are counted from 1, as the page counts them. @param {string} address @param {number} step */
export function linkTo(address, step) {
  return `${address.replace(/#.*$/s, "")}#step=${step + 1}`;
}

/** A file name made of a title, for every system. @param {string} title */
export function nameOf(title) {
  const plain = title.replace(/\.py$/, "").replace(/[^\p{L}\p{N}_-]+/gu, "-").replace(/^-+|-+$/g, "");
  return plain.slice(0, 60) || "step";
}
