"""An element leads to its slot, to all who share it, and to the lines that wrote it: in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inplacelab.recording.recording import Recording
from inplacelab_widgets import to_html
from tests.in_browser import open_page

pytestmark = pytest.mark.browser

ELEMENT = '.ipl-elements rect[data-k="{0}"]'
LIT = "() => [...document.querySelectorAll('{0} [data-related]')].map(mark => mark.dataset.k.split(' ')[0]).filter(key => key.includes(':'))"


class Reader:
    """A page with a player, for tests that point at elements."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def point(self, key: str) -> None:
        self.page.locator(ELEMENT.format(key)).hover(force=True)

    def reading(self) -> str:
        return str(self.page.locator(".ipl-readout").inner_text())

    def lit(self, pane: str) -> set[str]:
        return set(self.page.evaluate(LIT.format(f".ipl-{pane}")))

    def lines(self) -> list[int]:
        numbers = self.page.locator(".ipl-code li[data-related] .ipl-number").all_inner_texts()
        return [int(number) for number in numbers]


@pytest.fixture
def read(chromium: Any, sample: Callable[[str], Recording], tmp_path: Path) -> Iterator[Callable[..., Reader]]:
    contexts = []

    def open_it(name: str, language: str = "en") -> Reader:
        context = chromium.new_context(offline=True, viewport={"width": 864, "height": 900}, reduced_motion="reduce")
        contexts.append(context)
        file = tmp_path / f"{name}.html"
        to_html(sample(name), file, language=language)
        page = context.new_page()
        reader = Reader(page)
        open_page(page, file)
        page.locator(".ipl").focus()
        reader.press("End", "t")
        return reader

    yield open_it
    for context in contexts:
        context.close()


def test_an_element_lights_up_its_slot_its_sharers_and_its_lines(read: Callable[..., Reader]) -> None:
    reader = read("views")
    reader.point("t1:0,1")
    assert reader.lit("storages") == {"s1:1", "t1:0,1", "t2:1", "t3:0"}
    assert reader.lit("elements") == {"t1:0,1", "t2:1", "t3:0"}
    assert reader.lines() == [1, 4]
    # The recording, made by hand, has no rules of dependence: it says so first.
    assert reader.reading() == (
        "12: from scale_, line 4; which elements it depends on is not known · b[0,1] → slot 0 + 3·0 + 1·1 = 1 of S1 · shared with v[1], w[0] · written by lines 1, 4"
    )
    reader.point("t1:1,0")
    assert reader.lit("storages") == {"s1:3", "t1:1,0"}
    assert reader.lit("elements") == {"t1:1,0"}
    assert reader.lines() == [1]
    assert reader.errors == []


def test_a_slot_lights_up_its_elements_also_where_it_was_just_written(read: Callable[..., Reader]) -> None:
    reader = read("views", "zh")
    reader.page.locator('.ipl-storages rect[data-k^="s1:1 "]').hover(force=True)
    assert reader.lit("elements") == {"t1:0,1", "t2:1", "t3:0"}
    assert "S1 的槽位 1，被读作 b[0,1]、v[1]、w[0]" in reader.reading()


def test_what_is_known_follows_the_step(read: Callable[..., Reader]) -> None:
    reader = read("views")
    reader.point("t1:0,1")
    reader.press("ArrowLeft")
    assert reader.lines() == [1]
    reader.press("ArrowLeft")
    assert reader.lit("elements") == {"t1:0,1", "t2:1"}


def test_what_backward_keeps_of_a_slot_is_lit(read: Callable[..., Reader]) -> None:
    reader = read("stale")
    reader.press("Home", "ArrowRight", "ArrowRight", "ArrowRight")
    reader.point("t2:2")
    assert reader.lit("storages") == {"s2:2", "p2:2:0"}
    assert "kept by MultiplyGradNode (line 2)" in reader.reading()
    assert reader.lines() == [1, 3]


def test_the_keyboard_goes_into_a_grid_and_out_again(read: Callable[..., Reader]) -> None:
    reader = read("views")
    reader.page.locator(".ipl-elements").focus()
    here = "() => document.querySelector('.ipl-elements [data-here]')?.dataset.k.split(' ')[0]"
    reader.press("ArrowDown", "ArrowDown")
    assert reader.page.evaluate(here) == "t1"
    reader.press("Enter")
    assert reader.page.evaluate(here) == "t1:0,0"
    reader.press("ArrowRight", "ArrowDown")
    assert reader.page.evaluate(here) == "t1:1,1"
    assert reader.lit("elements") == {"t1:1,1", "t3:1"}
    assert reader.page.locator(".ipl-aloud").text_content() == reader.reading()
    reader.press("ArrowDown", "ArrowDown")
    assert reader.page.evaluate(here) == "t1:1,1", "there is no further row, and the step stays"
    reader.press("Enter", "Escape")
    assert reader.page.evaluate(here) == "t1"
    assert "t3:1" in reader.lit("elements"), "what is kept stays lit"
    reader.press("ArrowLeft")
    assert reader.page.locator(".ipl-counter").inner_text() == "4 / 5"


def test_the_reading_line_moves_nothing(read: Callable[..., Reader]) -> None:
    reader = read("views")
    box = "() => document.querySelector('.ipl').getBoundingClientRect().height"
    before = reader.page.evaluate(box)
    assert reader.page.locator(".ipl-readout").is_hidden()
    reader.point("t1:0,1")
    assert reader.page.locator(".ipl-readout").is_visible()
    assert reader.page.evaluate(box) == before
