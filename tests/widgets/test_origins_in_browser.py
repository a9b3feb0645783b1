"""Where a number comes from, in a real browser: by pointer and by keyboard, in both languages, offline."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inplacelab.recording import Recording
from inplacelab_widgets import to_html
from inplacelab_widgets.scene import scene_of
from inplacelab_widgets.scene.origins import MOST_SLOTS, origins
from inplacelab_widgets.scene.payload import payload
from tests.in_browser import open_page
from tests.recorders.golden.renew import run

PROGRAM = """\
m = paddle.to_tensor([[1., 2.], [3., 4.]])
row = m[0]
row.scale_(10.)
w = paddle.to_tensor([2., -3.], stop_gradient=False)
h = m @ w
r = (w * 3.).relu()
loss = h.sum() + r.sum()
loss.backward()
"""


def recorded(program: str = PROGRAM) -> Recording:
    return run(program).recording


def said(packed: Any, at: int) -> str:
    words = packed["said"][at]
    return words if isinstance(words, str) else words[0]


def test_the_index_has_edges_and_words_and_no_arithmetic() -> None:
    packed = payload(scene_of(recorded()))
    numbers = packed["origins"]["numbers"]
    found = [each for each in numbers if said(packed, each[3]).startswith("6 = 3 · 2")]
    assert found == [] or all(isinstance(k, int) for k in found[0][4])
    for place, (*_, back) in enumerate(numbers):
        assert all(k < place for k in back)
    assert any(said(packed, each[3]) == "10 = 1 · 10 (`scale_`, line 3, v1) from `row[0]`" for each in numbers)


def test_what_is_cut_is_said() -> None:
    words: list[Any] = []

    def position_of(text: Any) -> int:
        words.append(text)
        return len(words) - 1

    found = origins(recorded("x = paddle.ones([9, 9])\ny = x.sum()\n"), position_of)
    assert [words[at].en for at in found["cut"]] == [f"No origins of S0: more than {MOST_SLOTS} slots."]
    assert [number[0] for number in found["numbers"]] == [1]


@pytest.fixture
def open_program(chromium: Any, tmp_path: Path) -> Iterator[Callable[[str], Any]]:
    context = chromium.new_context(offline=True, viewport={"width": 1280, "height": 900})

    def opened(at: str, program: str = PROGRAM) -> Any:
        page = context.new_page()
        page.complaints = []
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        file = tmp_path / "page.html"
        file.write_text(to_html(recorded(program), language="en"), encoding="utf-8")
        open_page(page, file, at)
        page.locator(".ipl").focus()
        return page

    yield opened
    context.close()


def click(page: Any, key: str) -> None:
    page.locator(f'.ipl rect[data-k^="{key} "]').first.dispatch_event("click")


def read(page: Any) -> str:
    return str(page.locator(".ipl-readout").text_content())


def lit(page: Any) -> set[str]:
    found = page.eval_on_selector_all(
        "[data-origin]", "all => all.map(each => each.getAttribute('data-k').split(' ')[0])"
    )
    return set(found)


@pytest.mark.browser
def test_a_click_lights_up_the_origins_and_says_the_arithmetic(open_program: Callable[..., Any]) -> None:
    page = open_program("#step=5")
    click(page, "s2:0")
    assert read(page).startswith("-40 = 10 · 2 + 20 · (-3) (m @ w, line 5, v0) from m[0, 0], w[0], m[0, 1] and w[1]")
    assert {"s1:0", "s1:1"} <= lit(page)
    page.keyboard.press("[")
    assert read(page).startswith("1 back: 10 = 1 · 10")
    page.keyboard.press("[")
    assert read(page).startswith("2 back: 1: made here")
    assert {"s0:0", "s0:1"} <= lit(page)
    page.keyboard.press("]")
    assert "10 = 1 · 10" in read(page)
    page.keyboard.press("Escape")
    assert lit(page) == set()
    assert page.complaints == []


@pytest.mark.browser
def test_the_dialog_tells_life_and_ways_in_both_languages(open_program: Callable[..., Any]) -> None:
    page = open_program("#step=5")
    click(page, "s1:1")
    page.keyboard.press("o")
    dialog = page.locator(".ipl-help:visible")
    assert dialog.get_attribute("role") == "dialog"
    assert "made by to_tensor (line 4): -3" in dialog.inner_text()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("End")
    grads = page.eval_on_selector_all(
        "rect[data-k^='s']", "all => all.map(each => each.getAttribute('data-k').split(' ')[0])"
    )
    last = max((key for key in grads if ":" in key), key=lambda key: tuple(map(int, key[1:].split(":"))))
    click(page, last)
    page.keyboard.press("o")
    assert "24 = 20 + 4" in dialog.inner_text()
    assert "ends at line 6, where the slope is 0" in dialog.inner_text()
    page.get_by_role("button", name="中文").dispatch_event("click")
    assert "槽位的经历" in dialog.inner_text()
    assert page.complaints == []


@pytest.mark.browser
def test_without_a_selection_the_keys_say_what_to_do(open_program: Callable[..., Any]) -> None:
    page = open_program("#step=5")
    page.keyboard.press("[")
    assert page.locator(".ipl-aloud").text_content() == "Select a slot or an element first."
    page.keyboard.press("o")
    assert "Select a slot or an element first." in page.locator(".ipl-help:visible").inner_text()
