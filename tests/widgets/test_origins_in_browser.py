"""Where a number comes from, in a real browser: by pointer and by keyboard, in both languages, offline."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inplacelab.recording import Recording
from inplacelab_widgets import to_html
from inplacelab_widgets.scene import scene_of
from inplacelab_widgets.scene.payload import payload
from inplacelab_widgets.scene.places import Lines
from inplacelab_widgets.scene.player_links import MOST_SLOTS, origins
from tests.in_browser import open_page, until_still
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

    recording = recorded("x = paddle.ones([9, 9])\ny = x.sum()\n")
    found = origins(recording, position_of, Lines(recording))
    cut = f"S0: more than {MOST_SLOTS} slots. Origins are told by rule, for all elements together."
    assert [words[at].en for at in found["cut"]] == [cut]
    assert [number[:3] for number in found["numbers"]] == [[0, -1, 0], [1, 0, 1]]
    assert found["numbers"][1][4] == [0]  # the sum leads back to the storage as a whole


LARGE = """\
x = paddle.rand([10, 10])
y = x * 2.
y[0] = 7.
z = paddle.nn.functional.softmax(y)
s = z.sum()
"""


def test_of_a_large_storage_the_rule_is_said() -> None:
    packed = payload(scene_of(recorded(LARGE)))
    said_of = {tuple(each[:3]): said(packed, each[3]) for each in packed["origins"]["numbers"] if each[1] == -1}
    assert "each element: from those at its position in `x` (`x * 2.`, line 2)" in said_of.values()
    assert "the elements that this step wrote: a number of the program (`y[0] = 7.`, line 3, v1)" in said_of.values()
    assert "each element: from all in its line along axis 1 of `y` (`softmax`, line 4)" in said_of.values()


@pytest.mark.parametrize("size", [4, 100])  # each number for itself, and all together
def test_a_gradient_of_two_passes_is_added_up_by_backward(size: int) -> None:
    """The second pass writes the gradient in place, but it is no operation with operands."""
    passes = "(w * 2.).sum().backward()\n(w * 3.).sum().backward()\n"
    made = recorded(f"w = paddle.ones([{size}])\nw.stop_gradient = False\n{passes}")
    packed = payload(scene_of(made))
    gradient = made.state().tensor("w.grad").storage
    second = next(step.index for step in made.steps if step.line == 4)
    told = {
        said(packed, text)
        for storage, _, step, text, *_ in packed["origins"]["numbers"]
        if (storage, step > second) == (gradient, True)
    }
    assert (
        told
        == {
            4: {"3: by one path; added to 2, left by an earlier pass (backward, line 4)"},
            100: {"added up by backward (`backward`, line 4, v1)"},
        }[size]
    )


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
        until_still(page)
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
    page.keyboard.press("w")
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
    page.keyboard.press("w")
    assert "24 = 20 + 4" in dialog.inner_text()
    assert "ends at line 6, where the slope is 0" in dialog.inner_text()
    page.get_by_role("button", name="中文").dispatch_event("click")
    assert "槽位的经历" in dialog.inner_text()
    assert page.complaints == []


def graph_marks(page: Any) -> set[str]:
    return set(
        page.eval_on_selector_all(
            ".ipl-graph [data-path]", "all => all.flatMap(each => each.getAttribute('data-k').split(' '))"
        )
    )


@pytest.mark.browser
def test_the_paths_of_a_gradient_are_lit_in_the_picture(open_program: Callable[..., Any]) -> None:
    page = open_program("#step=5")
    page.keyboard.press("End")
    click(page, "s8:0")
    assert read(page).startswith("16 = 10 + 3 + 3 (backward, line 8)")
    rows = page.locator(".ipl-strip-row")
    assert rows.first.get_attribute("aria-label") == "w[0] · 10 → h[0] · 1 → T6 · 1 → loss: adds 10"
    assert {"s2:0", "s2:1", "s4", "s7"} <= lit(page), "of a storage that is folded, the chip"
    assert {"n0", "e4-0", "n4", "n6"} <= graph_marks(page), "the nodes of a line share a box"
    assert "× 10" in page.locator(".ipl-graph .ipl-factor").all_text_contents()
    rows.first.locator("[data-k='s2:0']").dispatch_event("click")
    assert read(page).startswith("-40 = 10 · 2 + 20 · (-3)")
    assert graph_marks(page) == set()
    page.keyboard.press("Escape")
    assert page.locator(".ipl-strip").is_hidden()
    assert page.complaints == []


@pytest.mark.browser
def test_the_keyboard_alone_reaches_an_element_and_its_paths_are_read_aloud(open_program: Callable[..., Any]) -> None:
    page = open_program("#step=99")
    page.keyboard.press("End")
    page.keyboard.press("t")
    page.locator(".ipl-elements").focus()
    for _ in range(12):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert "24 = 20 + 4 (backward, line 8)" in read(page)
    said = page.locator(".ipl-aloud").text_content()
    assert said.startswith("24 = 20 + 4. w[1] · 20 → h[0] · 1 → T6 · 1 → loss: adds 20")
    assert "ends at line 6, where the slope is 0" in said
    assert page.complaints == []


@pytest.mark.browser
def test_the_life_of_a_slot_is_a_line(open_program: Callable[..., Any]) -> None:
    page = open_program("#step=5")
    click(page, "s0:0")
    drawing = page.locator(".ipl-strip-scroll > svg")
    assert page.locator(".ipl-life-value").all_text_contents() == ["1", "10"]
    assert "1 → 10 by scale_ (line 3) through row" in drawing.get_attribute("aria-label")
    assert page.locator(".ipl-strip-legend").inner_text().split("\n")[1:5] == ["made", "written", "read", "kept"]
    page.locator(".ipl-life-1").last.dispatch_event("click")
    assert page.locator(".ipl-counter").inner_text().startswith("3")
    assert page.complaints == []


@pytest.mark.browser
def test_a_heat_map_answers_by_rule(open_program: Callable[..., Any]) -> None:
    page = open_program("#step=2", LARGE)
    page.locator(".ipl image[data-k^='t']").last.dispatch_event("click")
    assert "each element: from those at its position in x (x * 2., line 2)" in read(page)
    assert lit(page)
    assert page.complaints == []


@pytest.mark.browser
def test_without_a_selection_the_keys_say_what_to_do(open_program: Callable[..., Any]) -> None:
    page = open_program("#step=5")
    page.keyboard.press("[")
    assert page.locator(".ipl-aloud").text_content() == "Select a slot or an element first."
    page.keyboard.press("w")
    assert "Select a slot or an element first." in page.locator(".ipl-help:visible").inner_text()
