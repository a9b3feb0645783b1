"""Tests in Chromium that the player and its panes keep their heights, and that a step's marks are scrolled into view."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.language import Text
from inplacelab.recording.recording import Recording
from inplacelab_widgets import to_html
from tests.in_browser import open_page, until_it_presents, until_still
from tests.recorders.golden.renew import run

pytestmark = pytest.mark.browser

USUAL = 848
"""The width of an output in JupyterLab on a laptop."""
HIGHEST = 600
"""In a notebook on a laptop."""
PAGE_MARGIN = 20


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

    def play_it(
        recording: Recording, *, width: int = USUAL, height: int = 720, language: str = "en", notebook: bool = False
    ) -> Any:
        to_html(recording, tmp_path / "page.html", language=language)
        page = chromium.new_page(viewport={"width": width + 16, "height": height})
        pages.append(page)
        open_page(page, tmp_path / "page.html")
        page.locator(".ipl").focus()
        if notebook:
            page.evaluate(
                "() => { document.querySelector('.ipl').classList.remove('ipl-standalone');"
                " dispatchEvent(new Event('resize')) }"
            )
        until_still(page)
        return page

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


def many_storages() -> Recording:
    """More storages than are drawn in full: the others are on the shelf."""
    with paddle.record("many") as run:
        kept = [paddle.ones([3]) for _ in range(12)]
        total = kept[0] + kept[1]
        total.add_(kept[2])
    assert run.recording is not None
    return run.recording


def views() -> Recording:
    """Three tensors on one storage, whose cards stand below a wide strip."""
    with paddle.record("views") as run:
        x = paddle.to_tensor([[1, 2, 3], [1234567890, 5, 6]])
        v = x[:, 1]
        w = x.transpose([1, 0])
        v.add_(paddle.to_tensor([10, 10]))
        z = w * 3
        z.zero_()
    assert run.recording is not None
    return run.recording


def error() -> Recording:
    """Backward refuses a value that was overwritten: four storages at the end, a graph of five nodes."""
    run = paddle.record("error")
    with suppress(RuntimeError), run:
        h = paddle.to_tensor([0.5, -1.0, 2.0], stop_gradient=False)
        a = h * 2.0
        y = a.exp()
        loss = (y * a).sum()
        a.relu_()
        loss.backward()
    assert run.recording is not None
    return run.recording


def two_branches() -> Recording:
    """A value that two nodes keep or read is overwritten, and backward fails in one of them."""
    run = paddle.record("two branches")
    with suppress(RuntimeError), run:
        a = paddle.to_tensor([1.0, 2.0, 3.0, 4.0])
        a.stop_gradient = False
        b = a * 2
        c = b * b
        d = b.exp()
        b.add_(paddle.ones([4]))
        (c + d).sum().backward()
    assert run.recording is not None
    return run.recording


MADE = {"error": error, "leaf": a_leaf_overwritten, "names": long_names, "many": many_storages, "views": views}


@pytest.mark.parametrize(
    ("name", "language", "place"),
    [
        ("leaf", "zh", "notebook"),
        ("leaf", "en", "notebook"),
        ("kept_often", "zh", "notebook"),
        ("many", "en", "notebook"),
        ("leaf", "en", "page"),
        ("names", "zh", "page"),
        ("kept_often", "en", "page"),
        ("kept_often", "en", "screen"),
    ],
)
def test_no_step_makes_the_player_higher(
    play: Callable[..., Any], sample: Callable[[str], Recording], name: str, language: str, place: str
) -> None:
    recording = MADE[name]() if name in MADE else sample(name)
    page = play(recording, language=language, notebook=place == "notebook")
    if place == "screen":
        page.keyboard.press("f")
        until_it_presents(page)
    heights = set()
    for step in range(len(recording)):
        go(page, step)
        heights.add(tuple(box(page, each)["height"] for each in (".ipl", ".ipl-storages", ".ipl-views")))
        said = page.evaluate(
            "() => { const said = document.querySelector('.ipl-sentence[role=status]');"
            " return said.scrollHeight - said.clientHeight }"
        )
        assert said <= 1 or place == "screen", "the sentence is seen whole"
    assert len(heights) == 1
    highest = {"notebook": HIGHEST, "page": 720 - PAGE_MARGIN, "screen": 720}[place]
    assert heights.pop()[0] <= highest
    assert place == "screen" or page.evaluate("() => document.documentElement.scrollHeight <= innerHeight")


@pytest.mark.parametrize("name", ["error", "views", "many", "names"])
def test_nothing_is_cut_at_the_side(play: Callable[..., Any], name: str) -> None:
    page = play(MADE[name](), height=900, notebook=True)
    page.keyboard.press("End")
    page.keyboard.press("l")
    for width in (560, 640, 760, USUAL, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        until_still(page)
        cut = page.evaluate(
            """() => ["code", "storages", "history"].map((name) => document.querySelector(`.ipl-${name}`))
              .filter((pane) => pane.scrollWidth > pane.clientWidth).map((pane) => pane.className)"""
        )
        assert cut == [], width
        outside = page.evaluate(
            """() => [...document.querySelectorAll('.ipl :is(.ipl-storages, .ipl-history) :is(text, .ipl-card, .ipl-slot, .ipl-pin)')]
              .filter((mark) => !mark.closest('[hidden]'))
              .filter((mark) => mark.getBoundingClientRect().right > mark.closest('.ipl-pane').getBoundingClientRect().right + 1)
              .map((mark) => mark.textContent)"""
        )
        assert outside == [], width
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), width


@pytest.mark.parametrize("name", ["error", "views"])
def test_a_page_of_its_own_is_filled_or_shows_everything(play: Callable[..., Any], name: str) -> None:
    page = play(MADE[name](), height=900)
    page.keyboard.press("End")
    for width, height in ((USUAL, 900), (1280, 800), (1440, 900), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        until_still(page)
        left, hidden = page.evaluate(
            """() => {
              const panes = ["storages", "graph", "history"].map((name) => document.querySelector(`.ipl-${name}`));
              const hidden = Math.max(...panes.map((pane) => pane.scrollHeight - pane.clientHeight));
              return [innerHeight - document.querySelector('.ipl').getBoundingClientRect().bottom, hidden];
            }"""
        )
        assert left >= 0
        assert left <= PAGE_MARGIN or hidden <= 1, "there is room, and yet something has to be scrolled"


def test_a_wide_window_is_used(play: Callable[..., Any]) -> None:
    page = play(error(), width=1424, height=900)
    page.keyboard.press("End")
    code, player = box(page, ".ipl-code"), box(page, ".ipl")
    assert code["width"] <= 0.43 * player["width"]
    lines = page.evaluate("() => [...document.querySelectorAll('.ipl-code li')].map((line) => line.offsetHeight)")
    assert max(lines) <= 20, "no line is broken"
    assert box(page, ".ipl-graph")["right"] <= box(page, ".ipl-history")["left"] + 1, "both are seen"
    pills = [pill.bounding_box() for pill in page.locator(".ipl-storages rect.ipl-pill:visible").all()]
    assert len({round(pill["x"] / 100) for pill in pills}) > 1, "storages stand beside each other"
    cards = [card.bounding_box() for card in page.locator(".ipl-storages .ipl-chip:visible").all()]
    assert not any(are_on_each_other(one, other) for one, other in combinations(cards, 2))


def are_on_each_other(one: dict[str, float], other: dict[str, float]) -> bool:
    return all(
        one[at] + one[size] > other[at] + 4 and other[at] + other[size] > one[at] + 4
        for at, size in (("x", "width"), ("y", "height"))
    )


def test_a_click_on_the_axis_leads_to_its_step_however_wide_it_is_drawn(
    play: Callable[..., Any], sample: Callable[[str], Recording]
) -> None:
    recording = sample("really_stale")
    for width in (640, 1108):
        page = play(recording, width=width, height=900)
        page.keyboard.press("l")
        page.keyboard.press("End")
        last = page.locator(".ipl-history .ipl-playhead:visible").first.bounding_box()
        page.keyboard.press("Home")
        page.mouse.click(last["x"] + last["width"] / 2, last["y"] + last["height"] + 60)
        counter = page.locator(".ipl-counter").inner_text()
        assert counter == f"{len(recording)} / {len(recording)}"


@pytest.mark.parametrize("width", [640, 1108, 1920])
def test_what_backward_finds_stale_is_said_beside_the_column_of_the_step(
    play: Callable[..., Any], sample: Callable[[str], Recording], width: int
) -> None:
    page = play(sample("really_stale"), width=width, height=900)
    page.keyboard.press("l")
    page.keyboard.press("End")
    gaps = []
    while said := [each for each in page.get_by_text("finds it stale").all() if each.is_visible()]:
        here, column = (each.bounding_box() for each in (*said, page.locator(".ipl-history .ipl-column:visible").first))
        gaps.append(column["x"] - here["x"] - here["width"])
        page.keyboard.press("ArrowLeft")
    assert len(gaps) > 1
    assert min(gaps) == gaps[-1]
    # All distances along the axis grow with it.
    assert 0 < gaps[-1] < 0.03 * width, "left of the column, when backward finds it and later"


def test_beside_a_scroll_bar_the_pictures_fit_into_their_panes(
    play: Callable[..., Any], sample: Callable[[str], Recording]
) -> None:
    page = play(sample("kept_often"))
    rooms = page.evaluate(
        """() => ["storages", "history", "elements"].map((name) => {
          const pane = document.querySelector(`.ipl-${name}`);
          const { paddingLeft, paddingRight } = getComputedStyle(pane);
          const room = pane.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
          const drawn = Math.max(...[...pane.querySelectorAll(":scope > svg")].map((svg) => svg.getBoundingClientRect().width));
          return [name, room, drawn];
        })"""
    )
    for name, room, drawn in rooms:
        assert drawn <= room + 1, name


def test_the_storage_that_a_step_wrote_is_in_sight_with_all_that_hangs_on_it(
    play: Callable[..., Any], sample: Callable[[str], Recording]
) -> None:
    recording = sample("kept_often")
    page = play(recording)
    write = next(step.index for step in recording.steps if step.op == "add_")
    go(page, write)
    until_still(page)
    pane = box(page, ".ipl-storages")
    pins = [pin.bounding_box() for pin in page.locator(".ipl-storages rect.ipl-stale:visible").all()]
    assert len(pins) == 3
    assert pane["top"] <= pins[0]["y"]
    assert pins[-1]["y"] + pins[-1]["height"] <= pane["bottom"] + 1


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
        assert "kept by" in page.locator(".ipl-aloud").inner_text()
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
    note = page.locator(".ipl-graph .ipl-graph-note")
    assert note.inner_text().startswith("No grad node yet.")
    page.keyboard.press("End")
    assert not note.is_visible()


def test_a_long_notice_has_rows_of_its_own(play: Callable[..., Any], sample: Callable[[str], Recording]) -> None:
    note = Text(
        "`batch_norm` writes tensors without raising their versions, " * 3, "`batch_norm` 写入张量而不增加版本号，" * 3
    )
    page = play(replace(sample("kept_often"), notes=(note,)), width=684)
    notice, tab = page.locator(".ipl-notice").bounding_box(), page.locator(".ipl-tab").last.bounding_box()
    assert notice["width"] > 600
    assert notice["y"] >= tab["y"] + tab["height"]
    assert page.locator(".ipl-notice code").count() == 3
    assert "`" not in page.locator(".ipl-notice").inner_text()
    page.keyboard.press("f")
    until_it_presents(page)
    sizes = page.evaluate(
        "() => [...document.querySelectorAll('.ipl-notice, .ipl-notice code')].map(each => getComputedStyle(each).fontSize)"
    )
    assert set(sizes) == {"20px"}


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
    assert box(page, ".ipl-storages")["bottom"] <= box(page, ".ipl-views")["top"] + 1


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
    cards = [card.bounding_box() for card in page.locator(".ipl-storages .ipl-chip:visible").all()]
    assert cards
    assert max(card["x"] + card["width"] for card in cards) <= pane["right"]


@pytest.mark.parametrize(("size", "language"), [((1280, 720), "en"), ((1280, 720), "zh"), ((1920, 1080), "en")])
def test_on_a_projector_a_graph_of_two_branches_and_what_an_error_is_about_are_seen_without_scrolling(
    play: Callable[..., Any], size: tuple[int, int], language: str
) -> None:
    page = play(two_branches(), width=size[0] - 16, height=size[1], language=language)
    page.keyboard.press("f")
    until_it_presents(page)
    cut = """() => [...document.querySelectorAll('.ipl-storages, .ipl-graph:not(.ipl-blank), .ipl-sentence[role=status]')]
      .filter((pane) => pane.scrollHeight > pane.clientHeight + 1 || pane.scrollWidth > pane.clientWidth + 1)
      .map((pane) => pane.className)"""
    steps = range(len(two_branches()))
    for step in steps:
        go(page, step)
        assert "ipl-graph" not in str(page.evaluate(cut))
        assert "ipl-sentence" not in str(page.evaluate(cut))
    assert page.evaluate(cut) == [], "at the error"
    type_size = page.locator(".ipl-graph > svg:not([hidden])").evaluate(
        "(graph) => 12 * graph.getBoundingClientRect().width / Number(graph.getAttribute('width'))"
    )
    assert type_size >= 13


CUT = """() => {
  const found = [];
  for (const pane of document.querySelectorAll('.ipl-pane:not(.ipl-closed)')) {
    const room = pane.getBoundingClientRect();
    for (const part of pane.querySelectorAll('svg > g:not([hidden]) > :is(text, .ipl-node, .ipl-slot, .ipl-chip, .ipl-pin):not([hidden])')) {
      const box = part.getBoundingClientRect();
      if (getComputedStyle(part).visibility === 'hidden' || !box.width || box.bottom < room.top || box.top > room.bottom) continue;
      if (box.right < room.left || box.left > room.right) continue;
      const beyond = Math.max(box.bottom - room.bottom, room.top - box.top, box.right - room.right, room.left - box.left);
      if (beyond > 1.5) found.push(`${part.getAttribute('class')} ${part.textContent} ${beyond}`);
    }
  }
  return found;
}"""


def test_on_a_projector_nothing_is_cut_or_scrolled_in_training(play: Callable[..., Any]) -> None:
    with paddle.record("training") as run:
        layers = [paddle.nn.Linear(3, 4), paddle.nn.ReLU(), paddle.nn.Linear(4, 2)]
        model = paddle.nn.Sequential(*layers)
        optimizer = paddle.optimizer.Adam(0.01, parameters=model.parameters())
        for _ in range(2):
            loss = (model(paddle.ones([2, 3])) ** 2).mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
    assert run.recording is not None
    page = play(run.recording, width=1904, height=1080)
    page.keyboard.press("f")
    until_it_presents(page)
    for step in range(0, len(run.recording), 9):
        go(page, step)
        until_still(page)
        assert page.evaluate(CUT) == []
        assert page.evaluate(
            "() => { const pane = document.querySelector('.ipl-storages'); return pane.scrollHeight - pane.clientHeight }"
        ) in (0, 1)
    smallest = page.evaluate(
        """() => Math.min(...[...document.querySelectorAll('.ipl-storages svg text')].filter((each) => each.checkVisibility() && each.textContent)
        .map((each) => parseFloat(getComputedStyle(each).fontSize) * each.getScreenCTM().a))"""
    )
    assert smallest >= 19.9


def test_a_page_of_its_own_has_larger_pictures_than_a_notebook(play: Callable[..., Any]) -> None:
    def size_of(page: Any) -> float:
        slot = page.locator(".ipl-storages .ipl-slot:visible").first
        return float(slot.evaluate("(slot) => slot.getScreenCTM().a"))

    assert size_of(play(views(), width=1264, height=900)) >= 1.2
    assert size_of(play(views(), width=1264, height=900, notebook=True)) == pytest.approx(1, abs=0.01)


def test_a_line_that_is_scrolled_into_sight_leaves_no_line_cut_off_at_the_top(play: Callable[..., Any]) -> None:
    lines = "x = paddle.ones([2])\n" + "x.add_(x)\n" * 40 + "# the end\n" * 60
    recording = run(lines).recording
    assert recording is not None
    page = play(recording, width=1280)
    tops = []
    for step in range(len(recording)):
        go(page, step)
        until_still(page)
        tops.append(page.evaluate("() => document.querySelector('.ipl-code').scrollTop"))
    starts = page.evaluate("() => [...document.querySelectorAll('.ipl-code li')].map((line) => line.offsetTop)")
    assert max(tops) > 0
    assert {*tops} - {0} <= {*starts}
