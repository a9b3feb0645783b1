"""axe-core finds no violation in a comparison, in light and dark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inplacelab_widgets.side_by_side import exports
from tests.e2e.in_lab import OPEN, READY, RUN_ALL, STARTED, new_page
from tests.e2e.test_accessibility import RULES, Act, Axe, click, keys
from tests.in_browser import open_page, until_it_presents
from tests.widgets.test_comparison import PAIRS, scene

STATES: dict[str, tuple[str, list[Act]]] = {
    "at the first step": ("detach", [keys("Home")]),
    "where they differ": ("detach", []),
    "where one raises": ("detach", [keys("End")]),
    "with the table": ("detach", [click(".ipl-as-table")]),
    "in Chinese": ("detach", [click(".ipl-tongue")]),
    "with the keys": ("detach", [keys("?")]),
    "presenting": ("detach", [keys("f"), until_it_presents]),
    "one waits": ("lengths", [keys("End", "ArrowLeft")]),
    "nothing to align": ("nothing to align", []),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("comparisons")
    for name in PAIRS:
        (folder / f"{name}.html").write_text(exports.html_of(scene(name), "en"), encoding="utf-8")
    return lambda name: folder / f"{name}.html"


@pytest.mark.browser
@pytest.mark.parametrize("theme", RULES)
@pytest.mark.parametrize("state", STATES)
def test_no_violation(chromium: Any, axe: Axe, files: Callable[[str], Path], state: str, theme: Any) -> None:
    page = chromium.new_page(color_scheme=theme)
    name, acts = STATES[state]
    open_page(page, files(name), "")
    for act in acts:
        act(page)
    assert axe(page, RULES[theme]) == []
    page.close()


# The cell that raises is the last one: JupyterLab runs none below it.
CELLS = [
    "%load_ext inplacelab\nimport inplacelab as paddle",
    f"%%stepper --name copied\n{PAIRS['detach'][1]}",
    f"%%stepper --against copied --name shared\n{PAIRS['detach'][0]}",
]


@pytest.mark.e2e
def test_two_cells_stand_side_by_side_in_jupyterlab(lab: str, chromium: Any, screenshots: Path) -> None:
    page = new_page(chromium, viewport={"width": 1280, "height": 1000})
    page.goto(f"{lab}/lab?reset")
    page.wait_for_function(STARTED)
    page.evaluate(OPEN, ["beside.ipynb", CELLS])
    page.wait_for_function(READY)
    page.evaluate(RUN_ALL)
    shown = page.locator(".jp-CodeCell").nth(2).locator(".ipl-comparison")
    shown.wait_for()
    assert shown.locator(".ipl-side").count() == 2
    assert page.locator(".jp-CodeCell").nth(2).locator(".ipl-still:visible").count() == 0, "the static copy is hidden"
    shown.scroll_into_view_if_needed()
    page.screenshot(path=screenshots / "comparison.png")
    shown.focus()
    cells = page.locator(".jp-CodeCell").count()
    page.keyboard.press("Home")
    page.keyboard.press("b")
    assert page.locator(".jp-CodeCell").count() == cells, "the notebook's own keys are kept away"
    assert shown.locator("li[aria-current] .ipl-number").all_text_contents() == ["1", "1"]
    page.context.close()
