// The editor: CodeMirror with Python, and the lines that the step shown runs and tells of.

import { indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, keymap, WidgetType } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { minimalSetup } from "codemirror";
import { lineNumbers } from "@codemirror/view";

/** A line of the program that a step runs, or tells of. `words` stand behind the line.
 * @typedef {{line: number, style: "now" | "bad" | "told", words?: string, from?: number, to?: number}} Mark */

/** @type {import("@codemirror/state").StateEffectType<Mark[]>} */
const setMarks = StateEffect.define();

/** Words behind a line. They are set as text. */
class Words extends WidgetType {
  /** @param {string} words */
  constructor(words) {
    super();
    this.words = words;
  }

  /** @param {Words} other */
  eq(other) {
    return other.words === this.words;
  }

  toDOM() {
    const span = document.createElement("span");
    span.className = "told-words";
    span.textContent = this.words;
    return span;
  }
}

/** @param {import("@codemirror/state").EditorState} state @param {Mark[]} marks */
function drawn(state, marks) {
  const ranges = marks.flatMap(({ line, style, words, from, to }) => {
    if (line < 1 || line > state.doc.lines) return [];
    const found = state.doc.line(line);
    const made = [Decoration.line({ class: `line-${style}` }).range(found.from)];
    if (from !== undefined && to !== undefined && from < to && found.from + to <= found.to)
      made.push(Decoration.mark({ class: `part-${style}` }).range(found.from + from, found.from + to));
    if (words) made.push(Decoration.widget({ widget: new Words(words), side: 1 }).range(found.to));
    return made;
  });
  return Decoration.set(ranges, true);
}

const marked = StateField.define({
  create: () => Decoration.none,
  update(marks, change) {
    for (const effect of change.effects) if (effect.is(setMarks)) return drawn(change.state, effect.value);
    // What was recorded is another program now.
    return change.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

// The colors are custom properties of the page, light and dark.
const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], color: "var(--code-keyword)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
  { tag: tags.function(tags.variableName), color: "var(--code-function)" },
  { tag: tags.definition(tags.variableName), color: "var(--fg)" },
]);

/** @param {HTMLElement} parent @param {{changed: (code: string) => void, run: () => void, name: string}} given  What is called, and the editor's name for screen readers. */
export function makeEditor(parent, { changed, run, name }) {
  const attributes = (/** @type {string} */ label) => EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocapitalize: "off" });
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: "",
      extensions: [
        keymap.of([{ key: "Mod-Enter", run: () => (run(), true) }, indentWithTab]),
        lineNumbers(),
        minimalSetup,
        python(),
        indentUnit.of("    "),
        syntaxHighlighting(colors),
        marked,
        attributes(name),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    code: () => view.state.doc.toString(),
    /** @param {string} code */
    write(code) {
      if (code !== view.state.doc.toString()) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: code } });
    },
    /** @param {Mark[]} marks @param {boolean} follow  Whether the first of them is brought into sight. */
    mark(marks, follow) {
      view.dispatch({ effects: setMarks.of(marks) });
      const [first] = marks;
      if (follow && first && first.line <= view.state.doc.lines)
        view.dispatch({ effects: EditorView.scrollIntoView(view.state.doc.line(first.line).from, { y: "nearest", yMargin: 24 }) });
    },
    focus: () => view.focus(),
    /** @param {string} words */
    rename: (words) => view.contentDOM.setAttribute("aria-label", words),
  };
}
