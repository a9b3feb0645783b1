"""Tests `KernelView` in Chromium: picking by keys, clicks and fields."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("anywidget", reason="needs the notebook extra: pip install -e '.[lab]'", exc_type=ImportError)

from inplacelab.kernels.launch import Launch, Operand
from inplacelab_widgets import KernelView
from inplacelab_widgets.player_bundle import javascript, stylesheet
from tests.in_browser import imported, open_page, until_it_presents, until_it_presents_no_more
from tests.widgets.test_kernel_view import recording_of_launches

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
const traits = %s; const listeners = {};
window.traits = traits;
window.model = { get: (n) => traits[n], on: (e, f) => (listeners[e] ??= []).push(f), off: () => {}, save_changes: () => {},
  set: (n, v) => { if (traits[n] === v) return; traits[n] = v; (listeners["change:" + n] ?? []).forEach((f) => f()); } };
"""


@pytest.fixture
def played(tmp_path: Path, chromium: Any) -> Iterator[Callable[[KernelView], Any]]:
    """Plays a view in Chromium, with a model that holds its traits."""
    errors: list[str] = []
    pages: list[Any] = []

    def play(view: KernelView) -> Any:
        names = ("block", "thread", "turn", "launch", "language", "step", "_payload")
        traits = json.dumps({name: getattr(view, name) for name in names})
        module = imported(javascript())
        file = tmp_path / "kernel.html"
        file.write_text(
            f"<!doctype html><meta charset=utf-8><style>{stylesheet()}</style><body><script type=module>{MODEL % traits}{module}"
            "render({ model: window.model, el: document.body });</script>",
            encoding="utf-8",
        )
        page = chromium.new_page(viewport={"width": 900, "height": 800})
        page.on("pageerror", lambda error: errors.append(str(error)))
        pages.append(page)
        open_page(page, file)
        return page

    yield play
    for page in pages:
        page.close()
    assert errors == []


@pytest.fixture(scope="module")
def view() -> KernelView:
    return KernelView(LAUNCHES, block=2, thread=37, language="en")


@pytest.fixture
def page(played: Callable[[KernelView], Any], view: KernelView) -> Any:
    return played(view)


def picked(page: Any) -> tuple[int, int]:
    block, thread = page.evaluate("[traits.block, traits.thread]")
    return block, thread


def status(page: Any) -> str:
    return str(page.locator("[role=status]").text_content()).strip()


def press(page: Any, *keys: str) -> None:
    page.locator(".ipl").focus()
    for key in keys:
        page.keyboard.press(key)


def change(page: Any, **traits: object) -> None:
    """Sets traits of the model, as Python does."""
    page.evaluate("(traits) => { for (const [name, value] of Object.entries(traits)) model.set(name, value); }", traits)


def test_keys_pick_threads_warps_and_blocks(page: Any) -> None:
    press(page, "ArrowRight")
    assert picked(page) == (2, 38)
    assert status(page).startswith("Thread 38 of block 2 takes element 2·256 + 38 = 550")
    press(page, "ArrowDown")
    assert picked(page) == (2, 70)
    press(page, "PageUp", "ArrowUp")
    assert picked(page) == (1, 38)
    press(page, "End", "PageDown")  # there is no block after the last one
    assert picked(page) == (15, 255)
    press(page, "Home", "ArrowUp")
    assert picked(page) == (0, 0)


def test_a_click_picks_what_is_drawn_there(page: Any) -> None:
    drawing = page.locator(".ipl-kernel svg")
    # In the picture: the second block, then the fortieth thread of the warp below, then a slot, then a thread of the block.
    drawing.click(position={"x": 12 + 15, "y": 12 + 76})
    assert picked(page) == (1, 37)
    drawing.click(position={"x": 12 + 76 + 8 * 22 + 10, "y": 12 + 196 + 28})
    assert picked(page) == (1, 40)
    drawing.click(position={"x": 12 + 76 + 3 * 22 + 10, "y": 12 + 196 + 100})
    assert picked(page) == (1, 35)
    drawing.click(position={"x": 12 + 420 + 4 * 11.4 + 4, "y": 12 + 72 + 7 * 10 + 4})
    assert picked(page) == (1, 228)


def test_a_block_that_is_not_drawn_cannot_be_picked(page: Any) -> None:
    page.locator(".ipl-kernel svg").click(position={"x": 12 + 105, "y": 12 + 76})
    assert picked(page) == (2, 37)
    assert page.locator(".ipl-drawn").inner_text() == "Can be picked: blocks 0–6, 15 of 16"
    assert page.get_by_role("combobox", name="Block").locator("option").all_inner_texts() == [*"0123456", "15"]


def test_a_field_picks_and_follows(page: Any) -> None:
    block = page.get_by_role("combobox", name="Block")
    block.select_option("15")
    assert picked(page) == (15, 37)
    page.get_by_role("combobox", name="Thread").select_option("200")
    assert picked(page) == (15, 200)
    press(page, "PageUp")
    assert block.input_value() == "6"


def test_a_warp_can_be_a_step(page: Any) -> None:
    press(page, "e")
    assert picked(page) == (2, 63)
    press(page, "ArrowRight")
    assert picked(page) == (2, 95)


def test_the_model_is_followed(page: Any) -> None:
    change(page, block=15, thread=255)
    assert status(page).startswith("Thread 255 of block 15 takes")
    assert picked(page) == (15, 255)


def test_another_launch_can_be_chosen_and_costs_more(page: Any) -> None:
    assert "4 sectors of 32 bytes for 128 bytes: 100 %, coalesced" in status(page)
    page.get_by_role("combobox", name="Launch").select_option("1")
    assert "x: 32 sectors of 32 bytes for 128 bytes: neighbors are 256 bytes apart" in status(page)
    assert page.evaluate("traits.launch") == 1
    press(page, "Home", "ArrowLeft")  # a launch ends where it ends
    assert page.evaluate("[traits.launch, traits.block, traits.thread]") == [1, 0, 0]


def test_the_language_changes_everything(page: Any) -> None:
    page.locator(".ipl-tongue").click()
    assert status(page).startswith("线程块 2 的线程 37 处理元素")
    assert page.locator("svg text:visible").filter(has_text="模拟：未在 GPU 上运行").count() == 1
    assert page.locator(".ipl-drawn").inner_text() == "可选：线程块 0–6、15（共 16 个）"
    assert page.locator(".ipl").get_attribute("lang") == "zh-Hans"
    assert page.evaluate("traits.language") == "zh"


def test_the_tables_follow_the_pick(page: Any) -> None:
    page.locator(".ipl-as-table").click()
    assert page.locator("table").count() == 3
    assert page.locator("table").nth(2).locator("tbody tr").first.inner_text().split() == ["32", "544"]
    press(page, "ArrowDown")
    assert page.locator("table").nth(2).locator("tbody tr").first.inner_text().split() == ["64", "576"]


def test_a_step_without_a_launch_says_so_and_another_shows_its_own(played: Callable[[KernelView], Any]) -> None:
    page = played(KernelView(recording_of_launches(), language="en"))
    change(page, step=1)
    assert status(page) == "No kernel was launched in this step. Kernels were launched in steps 1, 3."
    assert page.locator(".ipl-picks").is_hidden()
    change(page, step=2)
    assert page.locator("svg text.ipl-title:visible").text_content() == "exp_"
    launch = page.get_by_role("combobox", name="Launch")
    assert launch.locator("option").all_inner_texts() == ["2: exp_ (line 3)", "3: sin_ (line 3)"]
    launch.select_option("2")
    assert page.locator("svg text.ipl-title:visible").text_content() == "sin_"


def test_what_python_draws_again_is_shown(page: Any) -> None:
    other = KernelView(LAUNCHES, block=9, thread=70, language="en")
    change(page, block=9, thread=70, _payload=other._payload)
    page.get_by_text("Can be picked: blocks 0–5, 9, 15 of 16").wait_for()
    assert status(page).startswith("Thread 70 of block 9 takes")
    assert page.locator(".ipl").count() == 1


def test_the_keys_are_listed_and_escape_closes_them(page: Any) -> None:
    press(page, "?")
    assert "previous and next block" in page.get_by_role("dialog").inner_text()
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog").count() == 0


def test_keys_that_are_none_of_ours_are_left_to_the_page(page: Any) -> None:
    page.evaluate("document.addEventListener('keydown', (event) => { window.passed = event.key; })")
    press(page, "b")
    assert page.evaluate("window.passed") == "b"
    press(page, "ArrowDown")
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
    until_it_presents(shown)
    press(shown, "Escape")
    until_it_presents_no_more(shown)
    # The player is unpacked into a blob URL of the page.
    assert [address for address in asked if not address.startswith("blob:")] == [file.as_uri()]
    shown.close()


def test_a_picture_is_as_high_as_it_is(page: Any) -> None:
    pane = page.locator(".ipl-kernel")
    assert pane.evaluate("(pane) => pane.scrollHeight - pane.clientHeight") <= 0


def test_on_a_projector_a_tall_picture_is_scrolled_and_not_shrunk(page: Any) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    change(page, launch=1)
    press(page, "f")
    until_it_presents(page)
    pane = page.locator(".ipl-kernel")
    assert pane.locator("svg").bounding_box()["width"] >= 1.19 * 824
    across, down = pane.evaluate("(pane) => [pane.scrollWidth - pane.clientWidth, pane.scrollTop]")
    assert across <= 0
    assert down == 0, "its head must be visible first"
    assert page.locator(".ipl-tongue").bounding_box()["x"] + page.locator(".ipl-tongue").bounding_box()["width"] < 1270


def test_what_a_pointed_at_thread_touches_lights_up_in_every_operand(page: Any) -> None:
    change(page, launch=1)
    cell = page.locator("[data-k='pick:lane:20']:visible").first.bounding_box()
    page.mouse.move(cell["x"] + 5, cell["y"] + 5)
    lit = page.locator(".ipl-hit[data-related]:visible")
    assert [mark.get_attribute("data-k") for mark in lit.all()] == ["pick:lane:20"] * 2
