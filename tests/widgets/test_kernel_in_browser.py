"""`KernelView` in Chromium: picking by keys, clicks and numbers; the languages; what stands in for what is not there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("anywidget", reason="needs the notebook extra: pip install -e '.[lab]'", exc_type=ImportError)

from inplacelab.devices.kernels.launch import Launch, Operand
from inplacelab_widgets import KernelView
from inplacelab_widgets.kernel.files import javascript, stylesheet
from tests.in_browser import open_page, until_it_presents

pytestmark = pytest.mark.browser

X = Operand("x", "both", "float32", (64, 64), (64, 1), 0, 16384)
TURNED = (
    Operand("x", "reads", "float32", (64, 64), (1, 64), 0, 16384),
    Operand("out", "writes", "float32", (64, 64), (64, 1), 0, 16384),
)
LAUNCHES = [
    Launch("relu_", "contiguous", (16, 1, 1), (256, 1, 1), 1, "float32", (X,), 16384, 16384),
    Launch("relu", "strided", (16, 1, 1), (256, 1, 1), 1, "float32", TURNED, 16384, 16384),
]
MODEL = """
const traits = %s; const heard = {};
window.traits = traits;
window.model = { get: (n) => traits[n], on: (e, f) => (heard[e] ??= []).push(f), off: () => {}, save_changes: () => {},
  set: (n, v) => { if (traits[n] === v) return; traits[n] = v; (heard["change:" + n] ?? []).forEach((f) => f()); } };
"""


@pytest.fixture
def page(tmp_path: Path, chromium: Any) -> Iterator[Any]:
    """The widget in Chromium, with a model that holds its traits."""
    view = KernelView(LAUNCHES, block=2, thread=37, language="en")
    names = ("block", "thread", "turn", "launch", "language", "step", "_payload")
    traits = json.dumps({name: getattr(view, name) for name in names})
    module = javascript().replace("export default { render, play };", "")
    file = tmp_path / "kernel.html"
    file.write_text(
        f"<!doctype html><meta charset=utf-8><style>{stylesheet()}</style><body><script type=module>{MODEL % traits}{module}"
        "render({ model: window.model, el: document.body });</script>",
        encoding="utf-8",
    )
    shown = chromium.new_page(viewport={"width": 848, "height": 800})
    errors: list[str] = []
    shown.on("pageerror", lambda error: errors.append(str(error)))
    open_page(shown, file)
    yield shown
    shown.close()
    assert errors == []


def picked(page: Any) -> tuple[int, int]:
    block, thread = page.evaluate("[traits.block, traits.thread]")
    return block, thread


def status(page: Any) -> str:
    return str(page.locator("[role=status]").text_content())


def press(page: Any, *keys: str) -> None:
    page.locator(".ipl-kernel-pane").focus()
    for key in keys:
        page.keyboard.press(key)


def test_keys_pick_threads_warps_and_blocks(page: Any) -> None:
    press(page, "ArrowRight")
    assert picked(page) == (2, 38)
    assert status(page).startswith("Thread 38 of block 2 takes element 2·256 + 38 = 550.")
    press(page, "ArrowDown", "PageDown", "Home")
    assert picked(page) == (3, 64)
    press(page, "End", "End", "ArrowRight")
    assert picked(page) == (4, 0)


def test_a_click_picks_what_is_drawn_there(page: Any) -> None:
    drawing = page.locator(".ipl-kernel-pane svg")
    # In the picture: the sixth block, then the fortieth thread of the warp below, then a slot.
    drawing.click(position={"x": 12 + 55, "y": 12 + 76})
    assert picked(page) == (5, 37)
    drawing.click(position={"x": 12 + 76 + 8 * 22 + 10, "y": 12 + 196 + 28})
    assert picked(page) == (5, 40)
    drawing.click(position={"x": 12 + 76 + 3 * 22 + 10, "y": 12 + 196 + 100})
    assert picked(page) == (5, 35)


def test_numbers_can_be_typed_and_are_kept_within_the_launch(page: Any) -> None:
    page.get_by_role("spinbutton", name="Block").fill("99")
    page.keyboard.press("Enter")
    assert picked(page) == (15, 37)
    assert page.get_by_role("spinbutton", name="Block").input_value() == "15"


def test_another_launch_can_be_chosen_and_costs_more(page: Any) -> None:
    assert "4 sectors of 32 bytes for 128 bytes: 100 %, coalesced" in status(page)
    page.get_by_role("combobox").select_option("1")
    assert "x: 32 sectors of 32 bytes for 128 bytes: neighbours are 256 bytes apart" in status(page)
    assert page.evaluate("traits.launch") == 1


def test_the_language_changes_everything(page: Any) -> None:
    page.locator(".ipl-tongue").click()
    assert status(page).startswith("线程块 2 的线程 37 处理元素")
    assert page.locator("svg text").filter(has_text="模拟：未在 GPU 上运行").count() == 1
    assert page.locator(".ipl-kernel").get_attribute("lang") == "zh-Hans"
    assert page.evaluate("traits.language") == "zh"


def test_the_tables_follow_the_pick(page: Any) -> None:
    page.locator("summary").click()
    page.locator("table").nth(2).wait_for()  # a browser says later that it has opened them
    assert page.locator("table").count() == 3
    assert page.locator("table").nth(2).locator("tbody tr").first.inner_text().split() == ["32", "544"]
    press(page, "ArrowDown")
    assert page.locator("table").nth(2).locator("tbody tr").first.inner_text().split() == ["64", "576"]


def test_a_step_without_a_launch_says_so_and_another_shows_its_own(page: Any) -> None:
    page.evaluate("(traits._payload.launches[0].step = 0, traits._payload.launches[1].step = 2, model.set('step', 1))")
    assert page.locator(".ipl-kernel-message").inner_text() == (
        "No kernel was launched in this step. Kernels were launched in steps 1, 3."
    )
    page.evaluate("model.set('step', 2)")
    assert page.locator("svg text.ipl-title").text_content() == "relu"
    assert page.locator("select").is_hidden()


def test_the_keys_are_listed_and_escape_closes_them(page: Any) -> None:
    press(page, "?")
    assert page.get_by_role("dialog").is_visible()
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog").is_hidden()
    assert page.evaluate("document.activeElement.className") == "ipl-kernel-pane"


def test_keys_that_are_none_of_ours_are_left_to_the_page(page: Any) -> None:
    page.evaluate("document.addEventListener('keydown', (event) => { window.passed = event.key; })")
    press(page, "b")
    assert page.evaluate("window.passed") == "b"
    press(page, "ArrowRight")
    assert page.evaluate("window.passed") == "b"


def test_a_page_plays_without_a_network(tmp_path: Path, chromium: Any) -> None:
    file = tmp_path / "kernel.html"
    KernelView(LAUNCHES, 1, thread=5, language="zh").to_html(file)
    shown = chromium.new_page(viewport={"width": 848, "height": 700})
    asked: list[str] = []
    shown.on("request", lambda request: asked.append(request.url))
    open_page(shown, file)
    assert status(shown).startswith("线程块 0 的线程 5 处理元素")
    press(shown, "f")
    assert shown.locator(".ipl-present-kernel").count() == 1
    press(shown, "Escape")
    assert shown.locator(".ipl-present-kernel").count() == 0
    # The player is unpacked into an address of its own within the page.
    assert [address for address in asked if not address.startswith("blob:")] == [file.as_uri()]
    shown.close()


def test_on_a_projector_a_tall_picture_is_scrolled_and_not_shrunk(page: Any) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    page.evaluate("() => { model.set('launch', 1) }")
    press(page, "f")
    until_it_presents(page)
    scale = page.locator(".ipl-kernel-pane svg").evaluate("(drawing) => drawing.getScreenCTM().a")
    assert scale >= 1.25
    room = page.locator(".ipl-kernel-pane").evaluate(
        "(pane) => [pane.scrollWidth - pane.clientWidth, pane.scrollTop, pane.clientHeight]"
    )
    assert room[0] <= 0
    assert room[1] == 0
    top = page.locator(".ipl-kernel-pane svg").bounding_box()["y"]
    assert top >= page.locator(".ipl-kernel-pane").bounding_box()["y"] - 1, "its head is to be seen first"
