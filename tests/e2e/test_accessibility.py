"""axe-core finds no violation, in every state of the player, in light and dark. (In JupyterLab: `test_lab.py`.)"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inplacelab.kernels.launch import Launch, Operand
from inplacelab_widgets import KernelView
from tests.in_browser import open_page, until_it_presents

# A theme changes colors and nothing else: what is no matter of color is asked once.
RULES = {"light": None, "dark": ["cat.color"]}

Act = Callable[[Any], object]
Axe = Callable[[Any, list[str] | None], list[str]]


def keys(*pressed: str) -> Act:
    """Press keys while the focus is on the player."""

    def press(page: Any) -> None:
        page.locator(".ipl").focus()
        for key in pressed:
            page.keyboard.press(key)

    return press


def asked(page: Any) -> None:
    page.locator(".ipl-predict input").first.wait_for()


def click(selector: str) -> Act:
    return lambda page: page.locator(selector).first.click()


STATES: dict[str, list[Act]] = {
    "at the first step": [keys("Home")],
    "at a write": [keys("Home", "ArrowRight", "ArrowRight", "ArrowRight")],
    "where backward begins": [keys("Home", "PageDown")],
    "at the error": [keys("End")],
    "by line": [keys("Home", "e", "ArrowRight")],
    "with the graph": [keys("End", "g")],
    "with versions and bytes": [keys("End", "l")],
    "with the elements": [keys("End", "t")],
    "with the tables": [keys("End"), click(".ipl-as-table")],
    "in Chinese": [keys("End"), click(".ipl-tongue")],
    "asking": [keys("Home", "p", "ArrowRight", "ArrowRight", "ArrowRight"), asked],
    "with the keys": [keys("?")],
    "sharing": [click("button[title='Share this step…']")],
    "sharing in Chinese": [click(".ipl-tongue"), click("button[title='分享这一步…']")],
    "presenting": [keys("End", "f"), until_it_presents],
}


@pytest.mark.browser
def test_axe_is_there_and_finds_what_is_wrong(chromium: Any, axe: Axe) -> None:
    page = chromium.new_page()
    page.set_content("<main class=ipl><img src='data:,'><p style='color:#eee;background:#fff'>pale</p></main>")
    assert {each.split(":")[0] for each in axe(page, None)} == {"image-alt", "color-contrast"}
    assert {each.split(":")[0] for each in axe(page, RULES["dark"])} == {"color-contrast"}
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("theme", RULES)
def test_axe_finds_nothing_in_any_state_of_a_page(chromium: Any, axe: Axe, page_file: Path, theme: str) -> None:
    context = chromium.new_context(color_scheme=theme, viewport={"width": 848, "height": 900})
    page = context.new_page()
    found = {}
    for state, acts in STATES.items():
        open_page(page, page_file)  # every state begins with a fresh player
        for act in acts:
            act(page)
        found[state] = axe(page, RULES[theme])
    context.close()
    assert {state: complaints for state, complaints in found.items() if complaints} == {}


@pytest.mark.browser
@pytest.mark.parametrize("theme", RULES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_axe_finds_nothing_in_a_launch(chromium: Any, axe: Axe, tmp_path: Path, theme: str, language: str) -> None:
    x = Operand("x", "reads", "float32", (64, 64), (1, 64), 0, 16384)
    out = Operand("out", "writes", "float32", (64, 64), (64, 1), 0, 16384)
    launch = Launch("relu", "strided", (16, 1, 1), (256, 1, 1), 1, "float32", (x, out), 16384, 16384)
    KernelView([launch, launch]).to_html(tmp_path / "launch.html", language=language)
    page = chromium.new_page(color_scheme=theme, viewport={"width": 848, "height": 900})
    open_page(page, tmp_path / "launch.html")
    page.locator(".ipl-as-table").click()
    page.locator("table").last.wait_for()
    assert axe(page, RULES[theme]) == []
    page.locator(".ipl").focus()
    page.keyboard.press("?")
    assert axe(page, RULES[theme]) == []
    page.close()
