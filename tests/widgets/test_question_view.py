"""Tests the question before a program: its static copy, and the widget in a browser with a keyboard."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.in_browser import open_page

pytest.importorskip("anywidget")

from inplacelab_widgets.small_views import AskedPart, QuestionView  # needs anywidget

PARTS = [
    AskedPart(label="strides of `t`", options=["(3, 1)", "(1, 3)"], several=False),
    AskedPart(label="which show a zero", options=["x", "<b>"], several=True),
    AskedPart(label="slot", options=[], several=False),
]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_static_copy_asks_and_does_not_answer(language: str) -> None:
    bundle = QuestionView("viewed", PARTS, language=language, compared=["✓ slot: 5"])._repr_mimebundle_()
    assert bundle is not None
    page = bundle[0]["text/html"]
    colon = {"en": ": ", "zh": "："}[language]
    assert f"<li>strides of <code>t</code>{colon}(3, 1) · (1, 3)</li>" in page
    assert "&lt;b&gt;" in page
    assert f"slot{colon}…" in page
    assert "✓" not in page
    assert bundle[0]["text/plain"] == "QuestionView('viewed', parts=3)"


@pytest.fixture(params=["en", "zh"])
def page(request: pytest.FixtureRequest, tmp_path: Path, chromium: Any) -> Iterator[Any]:
    """The widget in Chromium, with a model that holds its traits."""
    view = QuestionView("viewed", PARTS, language=request.param)
    traits = {name: getattr(view, name) for name in ("answers", "compared", "language", "_question")}
    file = tmp_path / "question.html"
    file.write_text(
        f"<!doctype html><meta charset=utf-8><body><script type=text/plain id=module>{QuestionView._esm}</script><script type=module>"
        f"window.traits = {json.dumps(traits)}; const listeners = {{}}; window.saved = 0;"
        "window.model = { get: (n) => traits[n], set: (n, v) => { traits[n] = v; (listeners['change:' + n] ?? []).forEach((f) => f()); },"
        " save_changes: () => { window.saved += 1; }, on: (e, f) => (listeners[e] ??= []).push(f), off: () => {} };"
        "const module = new Blob([document.getElementById('module').textContent], { type: 'text/javascript' });"
        "const question = (await import(URL.createObjectURL(module))).default;"
        "question.render({ model: window.model, el: document.body });</script>",
        encoding="utf-8",
    )
    shown = chromium.new_page(viewport={"width": 848, "height": 500})
    open_page(shown, file)
    yield shown
    shown.close()


@pytest.mark.browser
def test_it_is_answered_with_the_keyboard_and_then_fixed(page: Any) -> None:
    page.locator("form").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.locator("button[type=submit]").press("Enter")
    assert page.evaluate("saved") == 0  # the field is still empty
    assert page.locator("[role=status]").inner_text() != ""
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    assert page.evaluate("traits.answers") == [[1], [], "5"]
    assert page.evaluate("saved") == 1
    assert page.locator("input:not([disabled])").count() == 0
    assert not page.get_by_role("button").count()
    assert page.locator("[role=status]:focus").count() == 1  # in a notebook the cell below
    page.evaluate("model.set('compared', ['✓ slot: `5`'])")
    assert page.locator("[role=status] code").inner_text() == "5"


@pytest.mark.browser
def test_what_the_reader_does_not_know_is_left_open(page: Any) -> None:
    page.get_by_role("radio").first.check()
    page.get_by_role("checkbox").first.press("Tab")
    page.locator("button[type=button]").press("Enter")
    assert page.evaluate("traits.answers") == [[0], None, None]
    assert page.locator("input:not([disabled])").count() == 0
    assert page.locator("[role=status]").inner_text() != ""
    page.evaluate("model.set('answers', [null, [1], null])")  # as another view of the model gets them
    assert page.locator("input:checked").count() == 1


@pytest.mark.browser
def test_what_a_screen_reader_is_told(page: Any) -> None:
    page.locator("form").wait_for()
    assert page.get_by_role("group").count() == 3
    assert page.get_by_role("radio").count() == 2
    assert page.get_by_role("checkbox").count() == 2
    (name,) = [page.get_by_role("textbox").get_attribute("aria-label")]
    assert name.endswith("slot")
    assert page.evaluate("document.querySelector('.ipl').lang") in {"en", "zh-Hans"}
