"""In a real JupyterLab: a PyTorch cell fails in backward, and a click, and only a click, has fixes tried, which then stand in the same stepper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.in_lab import IS_OPEN, OPEN, SAVE, SHUT_DOWN, STARTED, new_page, run_all

pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
pytestmark = pytest.mark.e2e

CELLS = [
    "%load_ext inplacelab\nimport torch",
    "import os, time\nwhile os.path.exists({gate!r}):\n    time.sleep(0.05)\na = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)",
    "%%stepper\nh = torch.sigmoid(a)\nrow = h[:2]\nrow.mul_(2)\nh.sum().backward()",
]
"""The second one goes on only if there is no file `gate`: so a search cannot end before it is canceled."""
THEME = "theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })"


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gate") / "closed"


@pytest.fixture(scope="module")
def page(lab: str, chromium: Any, gate: Path) -> Iterator[Any]:
    page = new_page(chromium, viewport={"width": 1280, "height": 1000})
    page.goto(f"{lab}/lab?reset")
    page.wait_for_function(STARTED)
    page.evaluate(OPEN, ["tried.ipynb", [each.replace("{gate!r}", repr(str(gate))) for each in CELLS]])
    run_all(page)
    yield page
    page.context.close()


def pictures(page: Any, player: Any, folder: Path, name: str) -> None:
    """Photographs the stepper in light and dark, and in both languages."""
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        page.evaluate(THEME, theme)
        for language in ("en", "zh"):
            player.screenshot(path=folder / f"{name}_{theme.split()[1].lower()}_{language}.png")
            player.get_by_role("button", name="中文" if language == "en" else "English", exact=True).click()
    page.evaluate(THEME, "JupyterLab Light")


def test_a_click_has_fixes_tried(page: Any, screenshots: Path, gate: Path) -> None:
    player = page.locator(".jp-CodeCell .ipl").last
    player.wait_for()
    player.scroll_into_view_if_needed()
    status = player.locator("[role=status]")
    assert "(Not checked.)" in status.inner_text()
    pictures(page, player, screenshots, "fixes_untried")

    button = player.get_by_role("button", name="Try these fixes")
    button.focus()
    gate.touch()
    page.keyboard.press("Enter")
    cancel = player.get_by_role("button", name="Cancel")
    cancel.wait_for()
    player.screenshot(path=screenshots / "fixes_running.png")
    page.keyboard.press("Enter")  # the focus is still there
    status.get_by_text("Canceled, so nothing was checked.").wait_for()
    player.screenshot(path=screenshots / "fixes_canceled.png")

    gate.unlink()
    button.click()
    status.get_by_text("(Checked.)").wait_for()
    assert (
        "put h = h.clone() before line 2, so that row is a view of the clone (12 bytes more). (Checked.)"
        in status.inner_text()
    )
    assert button.count() == cancel.count() == 0
    pictures(page, player, screenshots, "fixes_tried")
    player.get_by_role("button", name="Show it fixed").click()
    assert player.get_by_role("dialog").locator("ins").all_inner_texts() == ["h = h.clone()"]
    player.screenshot(path=screenshots / "fixes_shown.png")


def test_without_a_kernel_there_is_no_button(page: Any) -> None:
    page.evaluate(SAVE)
    page.evaluate(SHUT_DOWN)
    page.reload()
    page.wait_for_function(IS_OPEN)
    page.locator(".jp-CodeCell .jp-OutputArea-output").last.wait_for()
    assert page.get_by_role("button", name="Try these fixes").count() == 0
