// Which keys a widget leaves to the notebook around it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { belongsToNotebook } from "../../widgets/inplacelab_widgets/player/notebook.js";

const isLeft = (/** @type {string} */ keys, isText = false) => {
  const held = keys.split("+");
  const key = /** @type {string} */ (held.pop());
  return belongsToNotebook(/** @type {any} */ ({ key, ctrlKey: held.includes("Ctrl"), altKey: held.includes("Alt"), metaKey: held.includes("Cmd"), shiftKey: held.includes("Shift") }), isText);
};

test("what runs a cell is the notebook's, and what saves it", () => {
  for (const keys of ["Shift+Enter", "Ctrl+Enter", "Alt+Enter", "Cmd+Enter", "Ctrl+s", "Cmd+s"]) {
    assert.ok(isLeft(keys), keys);
    assert.ok(isLeft(keys, true), keys);
  }
});

test("no other key is, whatever it does in a notebook", () => {
  for (const keys of ["b", "Enter", "Escape", "ArrowDown", "Shift+M", "Shift+ArrowDown", "Shift+L", "Shift+ "]) {
    assert.ok(!isLeft(keys), keys);
    assert.ok(!isLeft(keys, true), keys);
  }
});

test("a text field undoes what was typed in it", () => {
  for (const keys of ["Ctrl+z", "Ctrl+y", "Cmd+Shift+Z"]) {
    assert.ok(!isLeft(keys, true), keys);
    assert.ok(isLeft(keys), keys);
  }
});
