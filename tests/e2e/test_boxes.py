"""Tests our views in boxes of ipywidgets, and a launch: run, saved and opened again without a kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.in_lab import OPEN, SAVE, SHUT_DOWN, STARTED, new_page, run_all, until_equal

pytestmark = pytest.mark.e2e

CELLS = [
    "%load_ext inplacelab\nimport inplacelab as paddle\npaddle.set_device('gpu', simulate=True);",
    "%%stepper --name rec\na = paddle.ones([3])\na.stop_gradient = False\nb = a * 2.\nc = b * b\nb.scale_(3.);",
    "from inplacelab import kernels\nfrom inplacelab_widgets import GraphView, KernelView, Stepper, StorageView\n"
    "from ipywidgets import HBox, Label, VBox\nstepper = Stepper(rec)\n"
    "VBox([Label('three'), stepper, HBox([StorageView(stepper), GraphView(stepper)])])",
    "with kernels.launches() as launched:\n    kernels.run('relu_', paddle.ones([64]))\nKernelView(launched)",
    "HBox([Label('none of ours')])",
]
PICTURES = [0, 1, 3, 1, 0]
"""How many pictures stand in for the widgets of each cell."""


def pictures(page: Any) -> list[int]:
    """Returns the number of our visible pictures under each cell."""
    cells = page.locator(".jp-CodeCell").all()
    images = [cell.locator("img[src^='data:image/svg+xml']").all() for cell in cells]
    return [sum(image.is_visible() for image in those) for those in images]


def test_a_box_leaves_pictures_where_its_widgets_are_gone(lab: str, chromium: Any, screenshots: Path) -> None:
    page = new_page(chromium, viewport={"width": 1280, "height": 5000})
    page.goto(f"{lab}/lab?reset")
    page.wait_for_function(STARTED)
    page.evaluate(OPEN, ["boxes.ipynb", CELLS])
    run_all(page)
    page.locator(".jp-CodeCell").nth(3).locator(".ipl-kernel").wait_for()
    page.locator(".jp-CodeCell").nth(2).locator(".ipl").nth(2).wait_for()
    until_equal(page, lambda: pictures(page), [0] * len(CELLS))
    page.evaluate(SAVE)
    page.evaluate(SHUT_DOWN)

    page.goto(f"{lab}/lab/tree/boxes.ipynb?reset")
    complaint = page.get_by_text("Error displaying widget")
    complaint.nth(3).wait_for(state="attached")
    until_equal(page, lambda: pictures(page), PICTURES)
    # Only the box without our widgets shows the error message, as before.
    until_equal(page, lambda: [each.is_visible() for each in complaint.all()], [False, False, False, True])
    page.screenshot(path=screenshots / "boxes-reopened.png")
    page.context.close()
