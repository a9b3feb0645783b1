"""The page of a long recording in a real browser: its first picture is painted before the rest is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inplacelab.recording.recording import Recording
from inplacelab_widgets import exports, to_html
from tests.in_browser import open_page, until_still
from tests.recorders.golden.renew import run
from tests.widgets.test_long_page import PROGRAM

pytestmark = pytest.mark.browser

WHOLE = ".ipl:not([aria-busy])"
NEVER = ("() => read('payload')", "() => new Promise((resolve) => { window.read = () => resolve(read('payload')); })")


@pytest.fixture(scope="module", name="training")
def _training() -> Recording:
    return run(PROGRAM).recording


@pytest.fixture(name="opened")
def _opened(chromium: Any, tmp_path: Path, training: Recording, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Opens the page at an address; the rest is read when `read` is called."""
    monkeypatch.setattr(exports, "MOST_AT_ONCE", 1000)
    text = to_html(training, language="en")
    assert NEVER[0] in text
    (tmp_path / "page.html").write_text(text.replace(*NEVER), encoding="utf-8")
    pages = []

    def open_at(at: str = "", width: int = 1100) -> Any:
        page = chromium.new_page(viewport={"width": width, "height": 860})
        pages.append(page)
        open_page(page, tmp_path / "page.html", at)
        until_still(page)
        return page

    yield open_at
    for page in pages:
        page.close()


def read(page: Any) -> None:
    page.evaluate("() => window.read()")
    page.wait_for_selector(WHOLE)
    until_still(page)


@pytest.mark.parametrize("width", [848, 1100])
def test_nothing_moves_when_the_rest_is_there(opened: Any, width: int) -> None:
    page = opened(width=width)
    page.locator(".ipl[aria-busy]").focus()
    inside = {"x": 20, "y": 20, "width": width - 40, "height": 800}  # round corners are not always drawn alike
    before = page.screenshot(clip=inside)
    read(page)
    assert page.screenshot(clip=inside) == before


def test_where_all_panes_are_seen_nothing_is_shown_before_the_rest_is_there(opened: Any) -> None:
    page = opened(width=1600)
    assert not page.locator(".ipl").is_visible()
    read(page)
    assert page.locator(".ipl").is_visible()


def test_what_the_reader_did_meanwhile_is_kept(opened: Any) -> None:
    page = opened()
    page.locator(".ipl-tab", has_text="Elements").click()
    page.locator("button", has_text="中文").click()
    page.locator(".ipl").focus()
    page.keyboard.press("Home")
    read(page)
    assert page.locator(".ipl").get_attribute("lang") == "zh-Hans"
    assert page.locator(".ipl-tab[aria-pressed=true]").get_attribute("data-pane") == "elements"
    assert page.locator(".ipl input[type=range]").input_value() == "0"
    assert page.evaluate("() => document.querySelector('.ipl').contains(document.activeElement)")
