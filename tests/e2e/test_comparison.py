"""axe-core finds no violation in a comparison, in light and dark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inplacelab_widgets import comparison_exports as exports
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
