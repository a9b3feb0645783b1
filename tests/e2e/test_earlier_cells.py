"""In a real JupyterLab: a learner steps into the `forward` of a class from an earlier cell, out of it and over it, with the keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.in_lab import OPEN, STARTED, new_page, run_all

pytestmark = pytest.mark.e2e

CELLS = [
    "%load_ext inplacelab\nimport inplacelab as paddle",
    "class Block(paddle.nn.Layer):\n    def forward(self, x):\n        h = x * 2.\n        h.add_(x)\n        return h",
    "net = Block()\nx = paddle.ones([2])",
    "%%stepper\na = x * 3.\ny = net(a)\nz = y + a;",
]


def test_a_class_of_an_earlier_cell_is_stepped_into(lab: str, chromium: Any, screenshots: Path) -> None:
    page = new_page(chromium, viewport={"width": 1366, "height": 900})
    try:
        page.goto(f"{lab}/lab?reset")
        page.wait_for_function(STARTED)
        page.evaluate(OPEN, ["earlier.ipynb", CELLS])
        run_all(page)
        player = page.locator(".jp-CodeCell .ipl").last
        player.wait_for()
        player.scroll_into_view_if_needed()
        tab, code = player.get_by_role("tab", selected=True), player.locator("[aria-current=step] code")

        def press(key: str) -> tuple[str, str]:
            page.keyboard.press(key)
            return tab.inner_text(), code.inner_text()

        player.focus()
        assert press("Home") == ("the main program", "a = x * 3.")
        assert press("i") == ("the main program", "y = net(a)")
        assert press("i") == ("cell [2]", "h = x * 2.")
        assert press("i") == ("cell [2]", "h.add_(x)")
        assert " ".join(player.get_by_role("navigation").inner_text().split()) == "the main program:2 › Block.forward:4"
        player.screenshot(path=screenshots / "earlier_cell.png")
        assert press("u") == ("the main program", "y = net(a)")
        press("Home")
        press("i")
        assert press("o") == ("the main program", "z = y + a;")
    finally:
        page.context.close()
