"""Several views of one recording in a real JupyterLab: linked in the browser, and to the kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.in_lab import OPEN, STARTED, new_page, run_all, until_equal

pytestmark = pytest.mark.e2e

CELLS = [
    "%load_ext inplacelab\nimport inplacelab as paddle",
    "%%stepper --name rec\na = paddle.ones([3])\na.stop_gradient = False\nb = a * 2.\nc = b * b\nb.scale_(3.)",
    "from inplacelab_widgets import GraphView, Stepper, StorageView\nfrom ipywidgets import HBox, VBox\n"
    "stepper = Stepper(rec, step=0)\nstorage, graph = StorageView(stepper), GraphView(stepper)\nVBox([stepper, HBox([storage, graph])])",
]

ASK = """async (code) => {
    const kernel = window.theNotebook().sessionContext.session.kernel
    const future = kernel.requestExecute({ code })
    let said = ''
    future.onIOPub = (message) => { if (message.header.msg_type === 'stream') said += message.content.text }
    await future.done
    return said.trim()
}"""
DIE = "async () => { await window.theNotebook().sessionContext.session.kernel.shutdown() }"


class Views:
    """The three linked views, and the kernel behind them."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.players = page.locator(".jp-CodeCell").nth(2).locator(".ipl")

    def kernel_steps(self) -> list[str]:
        """What each view says of its step: the stepper its counter, the others the description of their panel."""
        first = str(self.players.first.locator(".ipl-counter").inner_text())
        return [first, *(str(self.players.nth(k).locator("desc").first.text_content()) for k in (1, 2))]

    def ask(self, code: str) -> str:
        return str(self.page.evaluate(ASK, code))

    def wait_for(self, counter: str) -> None:
        self.page.wait_for_function(
            "(counter) => [...document.querySelectorAll('.ipl-counter')].some((each) => each.textContent.trim() === counter)",
            arg=counter,
        )


@pytest.fixture
def views(lab: str, chromium: Any) -> Iterator[Views]:
    page = new_page(chromium, viewport={"width": 1280, "height": 1400})
    page.goto(f"{lab}/lab?reset")
    page.wait_for_function(STARTED)
    page.evaluate(OPEN, ["linked.ipynb", CELLS])
    run_all(page)
    found = Views(page)
    found.players.nth(2).wait_for()
    yield found
    page.context.close()


def test_linked_views_go_together_with_a_kernel_and_without(views: Views) -> None:
    page = views.page
    start = views.kernel_steps()
    stepper, storage, graph = (each.bounding_box()["width"] for each in views.players.all())
    assert abs(storage - graph) < 2
    assert storage + graph > 0.95 * stepper
    steps = int(views.ask("print(stepper.n_steps)"))
    assert start[0] == f"1 / {steps}"

    # The reader steps in one view: all go, and the kernel is notified.
    views.players.nth(1).focus()
    page.keyboard.press("End")
    views.wait_for(f"{steps} / {steps}")
    until_equal(
        page, lambda: views.ask("print(stepper.step, storage.step, graph.step)"), " ".join([str(steps - 1)] * 3)
    )
    end = views.kernel_steps()
    assert end[1] != start[1]
    assert end[2] != start[2]

    # Python sets a step: all views go, and so do their models in the kernel.
    views.ask("stepper.step = 0; stepper.selection = 't0'")
    views.wait_for(f"1 / {steps}")
    until_equal(page, views.kernel_steps, start)
    everywhere = "print(stepper.step, storage.step, graph.step, storage.selection)"
    until_equal(page, lambda: views.ask(everywhere), "0 0 0 t0")

    # Without a kernel they still go together.
    page.evaluate(DIE)
    views.players.nth(2).focus()
    page.keyboard.press("End")
    views.wait_for(f"{steps} / {steps}")
    until_equal(page, views.kernel_steps, end)


LONG = [
    "%load_ext inplacelab\nimport inplacelab as paddle",
    "%%stepper --name rec\nx = paddle.ones([4])\nfor _ in range(400):\n    x.scale_(1.001)",
]
IS_WHOLE = "() => document.querySelector('.ipl') && !document.querySelector('.ipl[aria-busy]')"


def test_a_long_recording_is_sent_whole_after_its_first_picture(lab: str, chromium: Any) -> None:
    page = new_page(chromium, viewport={"width": 1280, "height": 1000})
    page.goto(f"{lab}/lab?reset")
    page.wait_for_function(STARTED)
    page.evaluate(OPEN, ["long.ipynb", LONG])
    run_all(page)
    page.wait_for_function(IS_WHOLE)
    counter = page.locator(".ipl-counter")
    steps = int(counter.inner_text().split("/")[1])
    assert steps > 400
    page.locator(".ipl").focus()
    page.keyboard.press("End")
    until_equal(page, lambda: counter.inner_text().strip(), f"{steps} / {steps}")
    # It is in the browser now: stepping needs the kernel no more.
    page.evaluate(DIE)
    page.keyboard.press("ArrowLeft")
    until_equal(page, lambda: counter.inner_text().strip(), f"{steps - 1} / {steps}")
    page.context.close()
