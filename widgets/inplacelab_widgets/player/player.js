// Plays a recording that Python has drawn: it changes classes, attributes and text, and moves nothing.
// //
// // A player is made of parts (toolbar, code, panes, sentence, tables) that share a stage: the present state, and the actions on it.

import { drawCode } from "./code.js";
import { html } from "./dom.js";
import { drawFixes } from "./fixes.js";
import { drawFollow } from "./follow.js";
import { drawHelp, drawKeepers } from "./help.js";
import { followPointer } from "./highlighting.js";
import { drawStory } from "./key_steps.js";
import { followKeys } from "./keyboard.js";
import { drawPicks } from "./launch_picker.js";
import { keepShortcutsAway } from "./notebook.js";
import { drawOrigins } from "./origins.js";
import { keepRoom } from "./pane_heights.js";
import { drawPanes, drawTabs } from "./panes.js";
import { drawPredict } from "./predict.js";
import { drawPresent } from "./present.js";
import { drawSavings } from "./savings.js";
import { drawShare, linkTo } from "./share.js";
import { makeStage } from "./stage.js";
import { drawNotice, drawReadout, drawSentence, drawTables } from "./texts.js";
import { drawToolbar } from "./toolbar.js";
/** @import { Answer } from "./predict.js" */
/** @import { Part, Stage, Trait } from "./stage.js" */
/** @import { Payload, Said } from "./steps.js" */

/**
 * Builds the player in `el`.
 * @param {HTMLElement} el
 * @param {Payload} payload
 * @param {Object} [options]
 * @param {number} [options.step]
 * @param {string} [options.language]
 * @param {string} [options.mode]
 * @param {string} [options.selection]
 * @param {boolean} [options.predict]
 * @param {boolean} [options.tellsAhead]  Whether the story and the failing line are named before the reader has come to them; true if not given.
 * @param {Answer[]} [options.answers]
 * @param {boolean} [options.toolbar]  Whether there are controls and a sentence; a view that follows another view needs none.
 * @param {() => number} [options.followed]  The step of a recording whose launches are shown; -1 for all of them.
 * @param {boolean} [options.standalone]  Whether the player is a whole page.
 * @param {boolean} [options.fills]  Whether it takes all the height of the window below its top.
 * @param {boolean} [options.codeAbove]  Whether the program stands above the player, in its cell.
 * @param {boolean} [options.code]  Whether the program is shown; a page with an editor beside the player shows it there.
 * @param {(step: number) => string | Promise<string>} [options.linkOf]  Returns the link to a step; a whole page has its own.
 * @param {(program: string) => void} [options.adopt]  Called when the reader wants to go on with a fixed program.
 * @param {() => Said[]} [options.trial]  Returns what is said of fixes that were not tried, and on the button for that.
 * @param {() => void} [options.press]  Called when that button is pressed.
 * @param {() => import("./savings.js").Trial} [options.saving]  Returns what is said of a trial of what the program may write in place.
 * @param {() => void} [options.save]  Called when it is asked for.
 * @param {(trait: Trait, value: any) => void} [options.tell]  Called when the reader changes a trait.
 */
export function mount(el, payload, options = {}) {
  const root = html("div", { class: "ipl", role: "region", tabindex: "0" });
  keepShortcutsAway(root);
  root.classList.toggle("ipl-standalone", options.standalone === true);
  root.classList.toggle("ipl-fills", options.fills === true);
  if (payload.only !== undefined) root.setAttribute("aria-busy", "true");
  const stage = makeStage(payload, root, options);

  const toolbar = drawToolbar(stage);
  const story = drawStory(stage, toolbar.pace.stop);
  toolbar.root.append(story.root);
  const help = drawHelp(stage);
  const keepers = drawKeepers(stage);
  const origins = drawOrigins(stage, stage.layoutsOf);
  const present = drawPresent(stage);
  const predict = drawPredict(stage);
  const follow = drawFollow(stage);
  // The steps of launches have no links, and no tables of their own.
  const share = payload.launches ? null : drawShare(stage, options.linkOf ?? (options.standalone ? (step) => linkTo(location.href, step) : null));
  toolbar.add(...(payload.threads.length ? [follow.root] : []), predict.switcher, ...(share ? [share.button] : []), present.root, help.button);
  const code = payload.source.length && options.code !== false ? drawCode(stage, options.codeAbove) : null;
  const { storages, ...below } = drawPanes(stage);
  const fixes = drawFixes(stage, options);
  const sentence = drawSentence(stage, fixes);
  const readout = drawReadout(stage);
  const tabs = drawTabs(stage, below, payload.opens);
  const tables = drawTables(stage);
  const savings = payload.savings ? drawSavings(stage, payload.savings, options) : null;
  // Slots and elements can be read out; a graph or lanes alone have neither.
  const hasReadout = Boolean(storages || below.elements);

  const picks = payload.launches ? drawPicks(stage, options.followed ?? (() => -1)) : null;
  const main = [code, storages].filter((part) => !!part);
  const views = Object.values(below);
  // Beside tabs there is room for what is otherwise a separate line.
  const hasTabs = views.length > 1;
  const foot = drawFoot(stage, [...(savings ? [savings.root] : []), tables.root, ...(hasReadout && !hasTabs ? [readout.root] : [])], hasReadout && hasTabs);
  const notice = drawNotice(stage);
  if (hasTabs) tabs.root.append(foot.root, notice.root);
  else foot.root.append(notice.root);
  // A single panel has a title; among others its position identifies it.
  const title = main.length + views.length === 1 && !picks ? drawTitle(stage, payload.panels[0].name) : null;
  stage.parts.push(...main, ...views, ...(hasTabs ? [tabs] : []), tables, foot, notice, present, help, keepers, origins, fixes, ...(share ? [share] : []), ...(savings ? [savings] : []), readout);
  const controls = options.toolbar === false ? [] : [toolbar, story, sentence, predict, follow];
  stage.parts.push(...(picks ? [picks] : []), ...controls, ...(title ? [title] : []));

  if (title) root.append(title.root);
  if (controls.length) root.append(toolbar.root);
  if (picks) root.append(picks.root);
  if (main.length) root.append(html("div", { class: "ipl-main" }, ...main.map((part) => part.root)));
  const lower = html("div", { class: "ipl-lower" });
  if (controls.length) lower.append(sentence.root);
  if (hasTabs) lower.append(tabs.root);
  if (views.length) lower.append(html("div", { class: "ipl-views" }, ...views.map((part) => part.root)));
  if (controls.length) lower.append(predict.root);
  if (hasTabs && hasReadout) lower.append(origins.strip, readout.root);
  root.append(lower, ...(hasTabs ? [] : [foot.root]), tables.holder, ...(savings ? [savings.holder] : []), help.root, keepers.root, origins.root, fixes.root, ...(share ? [share.root] : []));
  el.replaceChildren(root);

  followKeys(stage, { help, keepers, origins, fixes, share, present, pace: toolbar.pace });
  followPointer(stage);
  stage.begin();

  const around = [...(title ? [title] : []), ...(picks ? [picks] : []), ...(controls.length ? [toolbar, sentence] : []), hasTabs ? tabs : foot];
  const room = keepRoom(stage, { above: main, below: views, others: around });
  return {
    follow: stage.follow,
    stage,
    destroy() {
      toolbar.pace.stop();
      room.stop();
    },
  };
}

/** @param {Stage} stage @param {string} panel @returns {Part} */
function drawTitle(stage, panel) {
  const root = html("div", { class: "ipl-title" });
  return { root, translate: () => (root.textContent = stage.word(panel)) };
}

/** Draws the tables and the readout, the hint on pointing, and the hint on keys.
 * @param {Stage} stage @param {HTMLElement[]} first @param {boolean} hasHint @returns {Part} */
function drawFoot(stage, first, hasHint) {
  const hint = html("span", { class: "ipl-hint", "aria-hidden": "true" });
  const keys = html("span", { class: "ipl-keys" });

  function translate() {
    keys.textContent = stage.word("keys");
    hint.textContent = stage.word("link_hint");
  }

  return { root: html("div", { class: "ipl-foot" }, ...(hasHint ? [hint, keys, ...first] : [...first, keys])), translate };
}
