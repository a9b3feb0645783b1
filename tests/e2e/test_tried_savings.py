"""In a real JupyterLab: a stepper lists where its cell may write in place; a click, and only a click, has that tried in all cells, and the report stands in its
place.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.in_lab import OPEN, STARTED, new_page, run_all
from tests.e2e.test_tried_fixes import pictures

pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
pytestmark = pytest.mark.e2e

CELLS = [
    "%load_ext inplacelab\nimport torch",
    "import os, time\nwhile os.path.exists({gate!r}):\n    time.sleep(0.05)\nw = torch.rand(64, 64, requires_grad=True)",
    "%%stepper\nh = torch.relu(torch.ones(256, 64) @ w)\nh = torch.relu(h @ w)\nh = h + 1\nh = h * 0.5\nh.mean().backward()",
]
"""The second one goes on only if there is no file `gate`: so a trial cannot end before it is canceled."""


def test_a_click_has_it_tried_in_all_cells(lab: str, chromium: Any, tmp_path: Path, screenshots: Path) -> None:
    gate = tmp_path / "closed"
    page = new_page(chromium, viewport={"width": 1280, "height": 1000})
    try:
        page.goto(f"{lab}/lab?reset")
        page.wait_for_function(STARTED)
        page.evaluate(OPEN, ["savings.ipynb", [each.replace("{gate!r}", repr(str(gate))) for each in CELLS]])
        run_all(page)
        player = page.locator(".jp-CodeCell .ipl").last
        player.get_by_role("button", name="Save memory").click()
        panel = player.locator(".ipl-savings")
        assert "at most 40 times" in panel.inner_text()
        player.scroll_into_view_if_needed()
        pictures(page, player, screenshots, "savings_untried")

        button, cancel = (panel.get_by_role("button", name=name, exact=True) for name in ("Try", "Cancel"))
        gate.touch()
        button.focus()
        page.keyboard.press("Enter")
        cancel.wait_for()
        player.screenshot(path=screenshots / "savings_running.png")
        page.keyboard.press("Enter")  # the focus is still there
        panel.get_by_text("Canceled, so nothing was checked.").wait_for()

        gate.unlink()
        button.click()
        panel.locator("pre").wait_for()
        assert "as PyTorch counts" in panel.inner_text()
        assert "+h = torch.relu_(h @ w)" in panel.locator("pre").inner_text()
        assert button.count() == cancel.count() == 0
        pictures(page, player, screenshots, "savings_tried")
        player.focus()
        page.keyboard.press("ArrowLeft")
        assert "as PyTorch counts" in panel.inner_text()
    finally:
        page.context.close()
