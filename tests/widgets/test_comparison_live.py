"""The widget of two programs in Chromium, with a model as in a notebook."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip(
    "anywidget", reason="needs the notebook extra: python -m pip install -e '.[lab]'", exc_type=ImportError
)

from inplacelab.recording import Recording
from inplacelab_widgets import compare
from inplacelab_widgets.player_bundle import javascript, stylesheet
from inplacelab_widgets.side_by_side import widgets
from tests.in_browser import imported, open_page
from tests.widgets.test_comparison import PAIRS, recorded
from tests.widgets.test_modes_in_browser import SHIM

pytestmark = pytest.mark.browser


def recordings() -> tuple[Recording, Recording]:
    left, right = map(recorded, PAIRS["detach"])
    return left, right


TRAITS = ("step", "language", "mode", "_payload", "_whole")


def page_of(shown: widgets.Comparison, asked: str = "null") -> str:
    data = json.dumps([{name: getattr(shown, name) for name in TRAITS}]).replace("<", "\\u003c")
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>one</title>'
        f"<style>{stylesheet(compares=True)}</style></head>"
        f'<body><script type="application/json" id="views">{data}</script>'
        f'<script type="module">window.asked = {asked};\n{imported(javascript(compares=True))}{SHIM}</script></body></html>'
    )


def opened(chromium: Any, file: Path, text: str) -> Any:
    file.write_text(text, encoding="utf-8")
    page = chromium.new_page()
    open_page(page, file, "")
    page.locator(".ipl").focus()
    return page


def test_the_model_follows_the_reader_and_the_reader_the_model(chromium: Any, tmp_path: Path) -> None:
    shown = compare(*recordings())
    page = opened(chromium, tmp_path / "one.html", page_of(shown))
    page.keyboard.press("End")
    assert page.evaluate("models[0].get('step')") == shown.n_steps - 1
    page.keyboard.press("e")
    assert page.evaluate("models[0].get('mode')") == "event"
    page.evaluate("models[0].set('language', 'zh')")
    assert page.locator(".ipl-conclusion").text_content() == shown._scene.conclusion.zh.replace("`", "")
    page.evaluate("models[0].set('step', 0)")
    assert page.locator(".ipl-side li[aria-current] .ipl-number").all_text_contents() == ["1", "1"]
    page.wait_for_function("models[0].saved.length > 0")
    assert not page.evaluate("models[0].saved.some((state) => 'predict' in state)")
    page.close()


def test_of_two_long_programs_nothing_is_drawn_before_they_are_there(
    chromium: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(widgets, "MOST_BYTES", 100)
    shown = compare(*recordings())
    text = page_of(shown, asked="[]")
    (tmp_path / "later.html").write_text(text, encoding="utf-8")
    page = chromium.new_page()
    page.goto((tmp_path / "later.html").as_uri())
    page.wait_for_function("window.asked?.length === 1")
    assert page.locator(".ipl").count() == 0
    page.evaluate("asked[0]()")
    page.locator(".ipl-comparison .ipl-side").nth(1).wait_for()
    assert page.locator(".ipl-side").count() == 2
    page.close()
