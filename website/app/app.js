// The playground: an editor, Python in a worker, and the player. What is shown first needs no Python: a stored example, or the picture of a link.

import { makeDialogs } from "./dialogs.js";
import { makeEditor } from "./editor.js";
import { makeExamples } from "./examples.js";
import { read } from "./link.js";
import { marksAt } from "./marks.js";
import { keepOffline } from "./offline.js";
import { makePicture } from "./picture.js";
import { makePython } from "./python.js";
import { makeWords } from "./words.js";
/** @import { Asked } from "./link.js" */

/**
 * @typedef {Object} Settings  What the build writes to settings.json.
 * @property {string} pyodide
 * @property {number} bytes
 * @property {string} wheel
 * @property {string} repository
 * @property {{paddle: string, torch: string}} starts  The examples to begin with.
 * @property {Object<string, {en: string, zh: string}>} words
 */

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

const settingsAddress = new URL(/** @type {string} */ (document.body.dataset.settings), location.href);
const settings = /** @type {Settings} */ (await (await fetch(settingsAddress)).json());
const assets = (/** @type {string} */ name) => new URL(name, settingsAddress).href;
const isEmbedded = new URLSearchParams(location.search).has("embed");
document.documentElement.classList.toggle("embedded", isEmbedded);

const words = makeWords(settings.words);
const { word } = words;

/** What the status line says: a key and its facts, so that it can be said in the other language. @type {[string, Object<string, string | number>]} */
let status = ["loading", {}];
/** The program that the picture shows; undefined if it shows none. @type {string | undefined} */
let shownCode;
/** Whether a program of the reader runs. */
let isRunning = false;
/** Why the link's program was not taken over, or what there is to know of it; a key. */
let notice = "";

const picture = makePicture(byId("picture"), {
  word,
  language: words.language,
  showsCode: () => (isEmbedded && !document.documentElement.classList.contains("editing")) || matchMedia("(max-width: 820px)").matches,
  stepped,
  adopt(program) {
    editor.write(program);
    document.documentElement.classList.add("editing");
    run();
  },
  linkOf: (step) => dialogs.linkTo(step),
});

const editor = makeEditor(byId("editor"), {
  name: word("program"),
  run,
  changed(code) {
    byId("picture").classList.toggle("stale", shownCode !== undefined && code !== shownCode);
    examples.show(code);
    if (code === shownCode) stepped();
  },
});

const python = makePython(
  { pyodide: new URL(settings.pyodide, settingsAddress).href, wheel: assets(settings.wheel), runner: assets("runner.py"), worker: assets("worker.js"), bytes: settings.bytes },
  {
    progress(part) {
      /** @type {HTMLProgressElement} */ (byId("progress")).value = part;
    },
    ready() {
      byId("progress").hidden = true;
      say(isRunning ? "running" : "ready");
    },
    output: write,
    picture(payload, step) {
      shownCode = ran;
      byId("picture").classList.toggle("stale", editor.code() !== ran);
      picture.play(payload, wantedStep ?? step).then(() => {
        stepped();
        // Type, run, step: the arrow keys are the player's now, and Escape leads back.
        if (document.activeElement?.closest("#left")) picture.focus();
      });
    },
    again(name) {
      clearOutput();
      say("fetching", { name });
    },
    done({ steps, line }) {
      ended();
      wantedStep = undefined;
      if (line) editor.mark([{ line, style: "bad" }], true);
      if (line) say("syntax");
      else say("ran", { steps });
    },
    failed(reason) {
      ended();
      byId("progress").hidden = true;
      say("failed", { reason });
    },
  },
);

const dialogs = makeDialogs(/** @type {HTMLDialogElement} */ (byId("dialog")), {
  word,
  language: words.language,
  code: () => editor.code(),
  step: () => (editor.code() === shownCode ? picture.step() : undefined),
  // A picture belongs to the program that was run.
  picture: (step) => (editor.code() === ran ? python.picture(step, words.language()) : Promise.resolve(carried && editor.code() === shownCode ? carried : "")),
});

const examples = makeExamples(/** @type {HTMLSelectElement} */ (byId("examples")), { word, language: words.language, assets, starts: settings.starts, open: openExample });

/** The program that was run last. */
let ran = "";
/** The picture that the link brought along. */
let carried = "";
/** The step that the link asks for, until it is shown. @type {number | undefined} */
let wantedStep;

/** @param {string} key @param {Object<string, string | number>} [facts] */
function say(key, facts = {}) {
  status = [key, facts];
  byId("status").textContent = word(key, facts);
  byId("status").dataset.says = key;
}

/** @param {string} key */
function tellNotice(key) {
  notice = key;
  byId("notice").textContent = key && word(key);
  byId("notice").hidden = !key;
}

/** @param {string} text */
function write(text) {
  const output = byId("output");
  output.hidden = false;
  const shown = /** @type {HTMLElement} */ (output.querySelector("pre"));
  shown.append(text);
  shown.scrollTop = shown.scrollHeight;
}

function clearOutput() {
  const output = byId("output");
  output.hidden = true;
  /** @type {HTMLElement} */ (output.querySelector("pre")).textContent = "";
}

/** Marks in the editor what the shown step runs and tells of. */
function stepped() {
  const payload = picture.payload();
  if (payload && editor.code() === shownCode) editor.mark(marksAt(payload, picture.step(), words.language()), true);
}

function run() {
  document.documentElement.classList.add("editing");
  clearOutput();
  editor.mark([], false);
  tellNotice("");
  ran = editor.code();
  isRunning = true;
  byId("stop").hidden = false;
  byId("progress").hidden = python.isReady();
  say(python.isReady() ? "running" : "loading_to_run");
  python.run(ran, words.language());
}

function ended() {
  isRunning = false;
  byId("stop").hidden = true;
}

/** Ends the program, and starts another Python for the next one. */
function stop() {
  python.stop();
  ended();
  say("stopped");
  /** @type {HTMLProgressElement} */ (byId("progress")).value = 0;
  python.start();
}

/** @param {{id: string, code: string}} example @param {number} [step] */
async function openExample({ id, code }, step) {
  if (isRunning) stop();
  editor.write(code);
  clearOutput();
  tellNotice("");
  await showStored(id, code, step);
}

/** Plays the stored picture of an example. @param {string} id @param {string} code @param {number} [step] */
async function showStored(id, code, step) {
  const stored = await examples.stored(id);
  if (editor.code() !== code) return;
  if (!stored) {
    shownCode = undefined;
    return picture.empty();
  }
  shownCode = code;
  byId("picture").classList.remove("stale");
  await picture.play(stored.payload, step ?? stored.step);
  stepped();
}

/** Shows what a link asks for. Nothing of it runs. @param {Asked} asked */
async function open(asked) {
  await examples.ready;
  if (asked.refused) tellNotice(`link_${asked.refused}`);
  if (asked.code === undefined) {
    const example = examples.named(asked.example ?? "") ?? examples.first();
    if (!example) return picture.empty();
    editor.write(example.code);
    return showStored(example.id, example.code, asked.step);
  }
  editor.write(asked.code);
  const known = examples.withCode(asked.code);
  if (known) return showStored(known.id, asked.code, asked.step);
  tellNotice("from_link");
  wantedStep = asked.step;
  shownCode = asked.code;
  if (asked.picture) {
    carried = asked.picture;
    picture.still(asked.picture);
  } else picture.empty();
}

function translate() {
  document.documentElement.lang = words.language() === "zh" ? "zh-Hans" : "en";
  document.title = word("title");
  for (const element of document.querySelectorAll("[data-word]")) element.textContent = word(/** @type {any} */ (element).dataset.word);
  for (const element of document.querySelectorAll("[data-title]")) {
    element.setAttribute("title", word(/** @type {any} */ (element).dataset.title));
    if (!element.matches("a")) element.setAttribute("aria-label", word(/** @type {any} */ (element).dataset.title));
  }
  for (const element of document.querySelectorAll("[data-label]")) element.setAttribute("aria-label", word(/** @type {any} */ (element).dataset.label));
  byId("language").textContent = words.language() === "zh" ? "English" : "中文";
  byId("language").lang = words.language() === "zh" ? "en" : "zh-Hans";
  editor.rename(word("program"));
  examples.translate();
  picture.translate();
  say(...status);
  tellNotice(notice);
  stepped();
}

/** @param {string} theme */
function dress(theme) {
  document.documentElement.dataset.theme = theme;
}

const given = new URLSearchParams(location.search).get("theme");
const dark = matchMedia("(prefers-color-scheme: dark)");
const chosen = () => words.kept("theme") ?? (dark.matches ? "dark" : "light");
dress(given === "dark" || given === "light" ? given : chosen());
dark.addEventListener("change", () => dress(chosen()));
byId("theme").addEventListener("click", () => {
  const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  words.keep("theme", theme);
  dress(theme);
});
byId("language").addEventListener("click", () => {
  words.choose(words.language() === "zh" ? "en" : "zh");
  translate();
});
// Escape closes what is open in the player, and then leaves the player: from there it leads to the editor.
byId("picture").addEventListener(
  "keydown",
  ({ key }) => {
    if (key === "Escape" && !isEmbedded) setTimeout(() => document.activeElement === document.body && editor.focus());
  },
  { capture: true },
);
byId("run").addEventListener("click", run);
byId("stop").addEventListener("click", stop);
byId("share").addEventListener("click", () => dialogs.share());
byId("embed").addEventListener("click", () => dialogs.embed());
byId("names").addEventListener("change", (event) => {
  examples.useNames(/** @type {HTMLInputElement} */ (event.target).value);
  const example = examples.first();
  if (example) openExample(example);
});
addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  run();
});
addEventListener("hashchange", async () => open(await read(location.hash)));

translate();
const asked = await read(location.hash);
await open(asked);
document.documentElement.dataset.shown = "";
const isOffline = keepOffline();
if (isEmbedded) say("press_run");
else {
  await isOffline;
  byId("progress").hidden = false;
  if (!isRunning) say("loading");
  python.start();
}
