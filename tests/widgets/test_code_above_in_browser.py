"""Tests in Chromium that a stepper below its cell shows five lines of the program, and that these lead to their steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inplacelab.recording.recording import Recording
from inplacelab_widgets.page import packed_json, whole_page
from inplacelab_widgets.player_bundle import javascript, stylesheet
from inplacelab_widgets.scene import scene_of
from inplacelab_widgets.scene.payload import payload
from tests.in_browser import open_page, until_still
from tests.recorders import runs

pytestmark = pytest.mark.browser

LOOP = """\
x = inplacelab.ones([4])
y = inplacelab.zeros([4])
for k in range(3):
    v = x[k]
    v.scale_(2.0)
    y[k] = 5.0
z = x + y
z.add_(y)
w = z[1:]
w.zero_()
"""
SIZES = "() => `${document.querySelector('.ipl').clientHeight} ${document.querySelector('.ipl-code').clientWidth}`"
VISIBLE = "() => [...document.querySelectorAll('.ipl-code .ipl-number')].filter((each) => each.getClientRects().length).map((each) => Number(each.textContent))"


@pytest.fixture(scope="module")
def recording() -> Recording:
    found: Recording = runs.run(LOOP, "inplacelab").recording
    return found


@pytest.fixture
def page(chromium: Any, tmp_path: Path, recording: Recording) -> Any:
    """The player of the loop, as it stands in a notebook below the cell with the program."""
    options = {"predict": False, "step": 0, "codeAbove": True}
    text = whole_page(
        packed_json(payload(scene_of(recording))),
        player=javascript(),
        style=stylesheet(),
        folder="inplacelab_widgets/player",
        title="loop",
        language="en",
        options=options,
    )
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    made = chromium.new_page(viewport={"width": 864, "height": 800})
    open_page(made, tmp_path / "page.html")
    made.evaluate(
        "() => { document.querySelector('.ipl').classList.remove('ipl-standalone'); dispatchEvent(new Event('resize')) }"
    )
    until_still(made)
    yield made
    made.close()


def line_of(page: Any) -> int:
    return int(page.locator(".ipl-code li[aria-current] .ipl-number").inner_text())


def counter(page: Any) -> int:
    return int(page.locator(".ipl-counter").inner_text().split("/")[0])


def test_there_are_always_five_lines_around_the_present_one(page: Any, recording: Recording) -> None:
    sizes = set()
    page.locator(".ipl").focus()
    for _ in range(len(recording)):
        lines = page.evaluate(VISIBLE)
        assert len(lines) == 5
        assert line_of(page) in lines
        sizes.add(page.evaluate(SIZES))
        page.keyboard.press("ArrowRight")
        until_still(page)
    assert len(sizes) == 1


def test_a_click_on_a_line_leads_to_its_step_and_again_to_its_next_visit(page: Any) -> None:
    line = page.locator(".ipl-code li").nth(4)
    visits = []
    for _ in range(4):
        line.click()
        assert line_of(page) == 5
        visits.append(counter(page))
    first, second, third, again = visits
    assert first < second < third
    assert again == first


def test_all_lines_are_there_for_who_asks(page: Any) -> None:
    more = page.locator(".ipl-more")
    more.click()
    assert len(page.evaluate(VISIBLE)) == len(LOOP.strip().split("\n"))
    assert more.get_attribute("aria-expanded") == "true"
    page.locator(".ipl-code li").nth(9).click()
    assert line_of(page) == 10
    more.click()
    assert page.evaluate(VISIBLE) == [6, 7, 8, 9, 10]


def test_the_keyboard_reaches_every_line_that_leads_to_a_step(page: Any) -> None:
    page.locator(".ipl-code").focus()
    for _ in range(12):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert line_of(page) == 10
