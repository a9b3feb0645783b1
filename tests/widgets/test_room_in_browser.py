"""In Chromium: the player keeps its height, its panes keep their room, and what a step is about is in sight."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.recording.recording import Recording
from inplacelab_widgets import to_html
from tests.in_browser import open_page, until_it_presents, until_still

pytestmark = pytest.mark.browser

USUAL = 848
"""The width of an output in JupyterLab on a laptop."""
HIGHEST = 520
SCROLL_BAR = 12


def a_leaf_overwritten() -> Recording:
    """Ends with the longest explanation that an error has."""
    run = paddle.record("leaf")
    with suppress(ValueError), run:
        w = paddle.ones([3])
        w.stop_gradient = False
        w.add_(paddle.ones([3]))
    assert run.recording is not None
    return run.recording


def long_names() -> Recording:
    with paddle.record("names") as run:
        a_name_that_goes_on_and_on_until_the_end_of_the_line_and_then_a_little_further_than_that = paddle.ones([2, 8])
        a_second_name_that_is_as_long_as_the_first_and_does_not_want_to_come_to_its_end_either = (
            a_name_that_goes_on_and_on_until_the_end_of_the_line_and_then_a_little_further_than_that[0]
        )
        a_second_name_that_is_as_long_as_the_first_and_does_not_want_to_come_to_its_end_either.zero_()
    assert run.recording is not None
    return run.recording


@pytest.fixture
def play(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens the page of a recording."""
    pages = []

    def play_it(recording: Recording, *, width: int = USUAL, height: int = 720, language: str = "en") -> Any:
        to_html(recording, tmp_path / "page.html", language=language)
        pages.append(chromium.new_page(viewport={"width": width + 16, "height": height}))
        open_page(pages[-1], tmp_path / "page.html")
        pages[-1].locator(".ipl").focus()
        return pages[-1]

    yield play_it
    for page in pages:
        page.close()


def go(page: Any, step: int) -> None:
    page.evaluate(
        "(k) => { const slider = document.querySelector('.ipl input[type=range]');"
        " slider.value = String(k); slider.dispatchEvent(new Event('input')) }",
        step,
    )


def box(page: Any, selector: str) -> Any:
    return page.evaluate("(s) => document.querySelector(s).getBoundingClientRect().toJSON()", selector)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["leaf", "names", "kept_often", "really_stale"])
def test_no_step_makes_the_player_higher(
    play: Callable[..., Any], sample: Callable[[str], Recording], name: str, language: str
) -> None:
    made = {"leaf": a_leaf_overwritten, "names": long_names}
    recording = made[name]() if name in made else sample(name)
    page = play(recording, language=language)
    heights = set()
    for step in range(len(recording)):
        go(page, step)
        heights.add(box(page, ".ipl")["height"])
        said = page.evaluate(
            "() => { const said = document.querySelector('.ipl-sentence[role=status]');"
            " return said.scrollHeight - said.clientHeight }"
        )
        assert said <= 1, "the sentence is seen whole"
    assert len(heights) == 1
    assert heights.pop() <= HIGHEST


def test_beside_a_scroll_bar_the_pictures_fit_into_their_panes(
    play: Callable[..., Any], sample: Callable[[str], Recording]
) -> None:
    page = play(sample("kept_often"))
    rooms = page.evaluate(
        """() => ["storages", "history", "elements"].map((name) => {
          const pane = document.querySelector(`.ipl-${name}`);
          const { paddingLeft, paddingRight } = getComputedStyle(pane);
          const room = pane.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
          const drawn = Math.max(...[...pane.querySelectorAll(":scope > svg")].map((svg) => Number(svg.getAttribute("width"))));
          return [name, room, drawn, getComputedStyle(pane).scrollbarGutter];
        })"""
    )
    for name, room, drawn, gutter in rooms:
        assert drawn <= room - (0 if gutter == "stable" else SCROLL_BAR), name


def test_the_storage_that_a_step_wrote_is_in_sight_with_all_that_hangs_on_it(
    play: Callable[..., Any], sample: Callable[[str], Recording]
) -> None:
    recording = sample("kept_often")
    page = play(recording)
    write = next(step.index for step in recording.steps if step.op == "add_")
    go(page, write)
    until_still(page)
    pane = box(page, ".ipl-storages")
    pin = page.locator(".ipl-storages rect.ipl-stale:visible").bounding_box()
    assert pane["top"] <= pin["y"]
    assert pin["y"] + pin["height"] <= pane["bottom"] + 1


@pytest.mark.parametrize("by", ["pointer", "keyboard"])
def test_folded_pins_open_a_list_that_leads_to_each_node(
    play: Callable[..., Any], sample: Callable[[str], Recording], by: str
) -> None:
    page = play(sample("kept_often"))
    page.keyboard.press("End")
    until_still(page)
    if by == "pointer":
        page.locator('.ipl-storages rect[data-k^="k1"]:visible').first.click(force=True)
    else:
        page.locator(".ipl-storages").focus()
        for _ in range(20):
            page.keyboard.press("ArrowDown")
            if page.locator('[data-here][data-k^="k"]').count():
                break
        assert "saved by" in page.locator(".ipl-aloud").inner_text()
        page.keyboard.press("Enter")
    listed = page.get_by_role("dialog", name="What backward keeps of S1: 7")
    rows = listed.get_by_role("button").filter(has_text="MultiplyGradNode")
    assert rows.count() == 7
    assert sum("stale" in row for row in rows.all_inner_texts()) == 3
    if by == "keyboard":
        page.keyboard.press("Escape")
        assert not listed.is_visible()
        return
    node = rows.nth(4).get_attribute("data-k").split(":")[0].replace("p", "n")
    rows.nth(4).click()
    assert not listed.is_visible()
    assert page.get_by_role("button", name="Graph").get_attribute("aria-pressed") == "true"
    assert page.locator(f'.ipl-graph svg [data-pinned][data-k~="{node}"]').count() > 0


def test_a_graph_that_has_not_begun_says_so(play: Callable[..., Any], sample: Callable[[str], Recording]) -> None:
    page = play(sample("kept_often"))
    note = page.locator(".ipl-graph .ipl-map-note").first
    assert note.inner_text().startswith("No grad node yet.")
    assert not page.locator(".ipl-map").first.is_visible()
    page.keyboard.press("End")
    assert not note.inner_text().startswith("No grad node yet.")


def test_on_a_projector_what_is_pointed_at_is_read_out_in_large_type(
    play: Callable[..., Any], sample: Callable[[str], Recording]
) -> None:
    page = play(sample("kept_often"), width=1264)
    page.keyboard.press("f")
    page.keyboard.press("End")
    until_it_presents(page)
    readout = page.locator(".ipl-readout")
    assert not readout.is_visible()
    before = box(page, ".ipl-views")
    page.locator(".ipl-storages .ipl-slot:visible").first.hover(force=True)
    assert readout.is_visible()
    assert "slot 0" in readout.inner_text()
    assert readout.evaluate("(line) => getComputedStyle(line).fontSize") == "20px"
    there = readout.bounding_box()
    assert there["y"] + there["height"] <= box(page, ".ipl-saying")["top"] + 1
    assert box(page, ".ipl-views") == before, "nothing moves"
    assert box(page, ".ipl-storages")["bottom"] <= box(page, ".ipl-chooser")["top"] + 1


@pytest.mark.parametrize("size", [(1024, 768), (1280, 720)])
def test_on_a_projector_there_is_one_row_of_controls_and_cards_are_seen_whole(
    play: Callable[..., Any], sample: Callable[[str], Recording], size: tuple[int, int]
) -> None:
    page = play(sample("really_stale"), width=size[0] - 16, height=size[1])
    page.keyboard.press("f")
    page.keyboard.press("End")
    until_it_presents(page)
    assert box(page, ".ipl-toolbar")["height"] < 70
    pane = box(page, ".ipl-storages")
    cards = [card.bounding_box() for card in page.locator(".ipl-storages .ipl-card:visible").all()]
    assert cards
    assert max(card["x"] + card["width"] for card in cards) <= pane["right"]


def test_on_a_projector_the_map_shows_which_part_of_the_graph_is_seen(play: Callable[..., Any]) -> None:
    with paddle.record("chain") as run:
        x = paddle.ones([2])
        x.stop_gradient = False
        y = x.sin().cos().tanh().exp().sqrt().sigmoid().abs().square().tan().sum()
    assert run.recording is not None
    assert y.shape == []
    page = play(run.recording, width=1264)
    page.keyboard.press("f")
    page.keyboard.press("End")
    until_it_presents(page)
    page.evaluate("() => { const pane = document.querySelector('.ipl-graph'); pane.scrollLeft = pane.scrollWidth }")
    until_still(page)
    drawing, frame = (page.locator(f".ipl-map {part}").first.bounding_box() for part in ("svg", ".ipl-map-view"))
    pane = box(page, ".ipl-graph")
    assert drawing["x"] + drawing["width"] <= pane["right"]
    assert frame["x"] + frame["width"] == pytest.approx(drawing["x"] + drawing["width"], abs=8)
    seen = page.evaluate(
        "() => { const pane = document.querySelector('.ipl-graph'); return pane.clientWidth / pane.scrollWidth }"
    )
    assert frame["width"] / drawing["width"] == pytest.approx(seen, abs=0.04)
