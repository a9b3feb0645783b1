"""A program of several files in a real browser: steps of three sizes by keyboard, tabs, the chain of calls, and what is seen at first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inplacelab.recording.recording import Recording
from inplacelab_widgets import to_html
from tests.in_browser import open_page, until_still

pytestmark = pytest.mark.browser

FOCUS = "() => document.activeElement.className || document.activeElement.tagName"


class Files:
    """The player of such a program."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
        until_still(self.page)

    def at(self) -> tuple[str, str]:
        """The text that is shown, and its present line."""
        tab = self.page.locator("[role=tab][aria-selected=true]").inner_text()
        line = self.page.locator(".ipl-code li[aria-current] code")
        return tab, line.inner_text().strip() if line.count() else ""

    def chain(self) -> str:
        """All calls of the chain, also those for which there is no room."""
        return " › ".join(self.page.locator(".ipl-calls [data-line]").all_text_contents())

    def seen(self) -> str:
        return " ".join(self.page.locator(".ipl-calls").inner_text().split())


@pytest.fixture
def opened(chromium: Any, tmp_path: Path, sample: Callable[[str], Recording]) -> Any:
    """Opens the page at a step, counted from 1; without one as it opens itself."""
    to_html(sample("many_files"), tmp_path / "page.html", language="en")
    pages = []

    def open_at(step: int | None, width: int = 1366) -> Files:
        pages.append(chromium.new_page(viewport={"width": width, "height": 768}))
        open_page(pages[-1], tmp_path / "page.html", f"#step={step}" if step else "")
        pages[-1].locator(".ipl").focus()
        return Files(pages[-1])

    yield open_at
    for page in pages:
        page.close()


def test_the_keyboard_steps_into_over_and_out(opened: Any) -> None:
    player = opened(1)
    assert player.at() == ("train.py", "a, k = made()")
    player.press("i")
    assert player.at() == ("gan/model.py", "self.h = a * 2")
    assert player.chain() == "train.py:6 › net · Net.forward:8"
    player.press("i")
    assert player.at() == ("gan/model.py", "return b * b")
    assert player.chain() == "train.py:6 › net · Net.forward:9 › net.block · Block.forward:3"
    player.press("u")
    assert player.at() == ("gan/model.py", "self.h.add_(k)")
    player.press("Shift+I", "Shift+U")
    assert player.at() == ("gan/model.py", "self.h = a * 2")
    player.press("Shift+O")
    assert player.at() == ("train.py", "a, k = made()")
    player.press("o")
    assert player.at() == ("train.py", "out.sum().backward()")
    assert player.page.evaluate(FOCUS).startswith("ipl"), "the player keeps the focus"


def test_an_arrow_stays_in_the_file_that_is_read(opened: Any) -> None:
    player = opened(1)
    player.press("ArrowRight")
    assert player.at() == ("train.py", "out.sum().backward()")
    player.press("ArrowLeft")
    assert player.at() == ("train.py", "a, k = made()")
    player.press("i", "ArrowRight", "ArrowRight")
    assert player.at() == ("gan/model.py", "self.h.add_(k)")


def test_a_tab_shows_its_text_until_the_next_step(opened: Any) -> None:
    player = opened(2)
    page = player.page
    tabs = page.locator("[role=tab]")
    assert tabs.all_inner_texts() == ["train.py", "gan/model.py", "<string>", "vae/model.py"]
    assert page.locator("[role=tablist]").get_attribute("aria-label") == "Texts of the program"
    tabs.nth(1).focus()
    player.press("ArrowLeft")
    assert player.at() == ("train.py", "")
    assert page.evaluate("() => document.activeElement.textContent") == "train.py"
    assert "out = net(a)" in page.locator(".ipl-code li.ipl-calling").inner_text()
    tabs.nth(2).click()
    assert page.locator(".ipl-remark").inner_text() == "Its text was not found: it came from exec."
    player.press("i")
    assert player.at() == ("gan/model.py", "return b * b")
    assert page.locator(".ipl-remark").is_hidden()


def test_a_call_of_the_chain_shows_its_line(opened: Any) -> None:
    player = opened(3)
    player.page.locator(".ipl-calls button").first.click()
    player.page.locator(".ipl-call", has_text="train.py:6").click()
    until_still(player.page)
    assert player.at() == ("train.py", "")
    assert player.page.locator(".ipl-code li[data-looked] code").inner_text() == "out = net(a)"
    assert player.page.locator(".ipl-call[aria-current]").inner_text() == "train.py:6"
    player.press("Shift+I")
    assert player.at() == ("gan/model.py", "self.h = a * 2")
    assert player.page.evaluate(FOCUS) == "ipl-call", "the focus stays in the chain"


WHOLE = """() => [...document.querySelectorAll('.ipl-calls > :not([hidden])')].every((each) => {
  const [own, row] = [each, each.parentNode].map((one) => one.getBoundingClientRect());
  return own.left >= row.left && own.right <= row.right + 0.5 && each.scrollWidth <= each.clientWidth + 1;
})"""


def test_calls_without_room_are_left_out_whole_and_a_button_shows_them(opened: Any) -> None:
    player = opened(1)
    page = player.page
    player.press("i", "i")
    assert player.seen() == "… › net.block · Block.forward:3"
    assert page.evaluate(WHOLE)
    rest = page.locator(".ipl-calls button").first
    every = "train.py:6 › net · Net.forward:9 › net.block · Block.forward:3"
    assert rest.get_attribute("title") == f"Show all calls: {every}"
    rest.focus()
    player.press("Enter")
    assert player.seen() == every
    assert page.evaluate(WHOLE)
    player.press("i", "Shift+I")
    assert player.seen().startswith("…"), "after a step they are left out again"
    page.set_viewport_size({"width": 690, "height": 768})
    until_still(page)
    assert player.seen() == every


CUT_ROWS = """() => ['.ipl-code', '.ipl-history'].flatMap((name) => {
  const pane = document.querySelector(name);
  const bottom = pane.getBoundingClientRect().top + pane.clientTop + pane.clientHeight;
  const drawing = pane.querySelector('svg');
  const end = drawing ? drawing.getBoundingClientRect().bottom : 0;
  const clipped = drawing ? end - drawing.getBoundingClientRect().height * (parseFloat(drawing.style.clipPath.split(' ')[2]) || 0) / 100 : bottom;
  return [...pane.querySelectorAll('li:not(.ipl-room, [data-cut]), svg text[x="0"]')]
    .map((row) => row.getBoundingClientRect())
    .filter((box) => box.top < Math.min(bottom, clipped) && box.bottom > bottom + 2)
    .map((box) => `${name} ${box.top}`);
})"""


def test_no_row_is_cut_at_the_lower_edge_of_a_list(opened: Any) -> None:
    page = opened(None, width=1366).page
    left_out = 0
    for height in range(560, 600, 5):
        page.set_viewport_size({"width": 1366, "height": height})
        until_still(page)
        assert page.evaluate(CUT_ROWS) == []
        left_out += page.locator(".ipl-code [data-cut], .ipl-history svg[style*='clip-path']").count()
    assert left_out, "some row would have been cut"


def test_the_faulty_file_and_line_are_seen_at_first_sight(opened: Any) -> None:
    page = opened(None).page
    away = page.locator(".ipl-away li")
    assert [" ".join(each.split()) for each in away.all_inner_texts()] == [
        "gan/model.py:3 return b * b kept v0",
        "gan/model.py:12 self.h.add_(k) v0 → v1",
    ]
    for row in (away.first, away.last):
        box = row.bounding_box()
        assert 0 <= box["y"] < box["y"] + box["height"] <= 768
    away.last.locator("button").click()
    assert "self.h.add_(k)" in page.locator(".ipl-code li[data-looked]").inner_text()
    assert page.locator("[role=tab][aria-selected=true]").inner_text() == "gan/model.py"


@pytest.mark.parametrize("width", [900, 1366])
def test_many_tabs_share_one_row_and_the_present_one_is_seen(
    chromium: Any, tmp_path: Path, sample: Callable[[str], Recording], width: int
) -> None:
    recording = sample("many_files")
    more = tuple(replace(recording.sources[3], name=f"part{k}/model.py") for k in range(12))
    moved = (*recording.sources[:1], *more, *recording.sources[1:])

    def away(place: Any) -> Any:
        caller = place.called_from and away(place.called_from)
        return replace(place, source=place.source + 12 if place.source else 0, called_from=caller)

    steps = tuple(replace(step, place=away(step.place)) for step in recording.steps)
    to_html(replace(recording, sources=moved, steps=steps), tmp_path / "page.html", language="en")
    page = chromium.new_page(viewport={"width": width, "height": 768})
    open_page(page, tmp_path / "page.html", "#step=2")
    until_still(page)
    row, tab = (page.locator(each).bounding_box() for each in (".ipl-sources", "[role=tab][aria-selected=true]"))
    assert row["height"] < 40
    assert row["x"] - 1 <= tab["x"]
    assert tab["x"] + tab["width"] <= row["x"] + row["width"] + 1
    page.close()


def test_one_file_without_functions_has_no_tabs_but_sizes_for_its_statements(
    chromium: Any, tmp_path: Path, sample: Callable[[str], Recording]
) -> None:
    to_html(sample("stale"), tmp_path / "page.html", language="en")
    page = chromium.new_page()
    open_page(page, tmp_path / "page.html")
    assert page.locator(".ipl-above, [role=tab]").count() == 0
    assert page.locator(".ipl-size").count() == 3
    page.close()
