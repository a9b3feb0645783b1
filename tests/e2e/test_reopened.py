"""Tests a learner's notebook that was run, saved with its outputs and opened again: it is trusted, and the widget is gone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.in_lab import IS_OPEN, READY, RUN_ALL, SAVE, SHUT_DOWN, new_page, until_equal

pytestmark = pytest.mark.e2e

RESTART = "async () => { await window.theNotebook().sessionContext.session.kernel.restart() }"
ALL_ARE_TRUSTED = "() => [...window.theNotebook().content.model.cells].every(cell => cell.trusted)"

# What is visible in each painted frame: the picture, the player, both; and whether the picture is too early: it may be shown only
# if a widget takes longer than a second and a half.
WATCH = """() => {
    const seen = window.seen = { picture: 0, player: 0, both: 0, early: 0 }
    let since
    const shown = (selector) => [...document.querySelectorAll(selector)].some((each) => each.checkVisibility({ visibilityProperty: true }))
    const look = (now) => {
        if (document.querySelector('.jp-OutputArea-output .ipl-still')) since ??= now
        const [picture, player] = [shown('.jp-OutputArea-output img[src^="data:image/svg+xml"]'), shown('.ipl')]
        seen.picture += picture
        seen.player += player
        seen.both += picture && player
        seen.early += picture && now - since < 1400
        requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
}"""
COMPLAINT = "Error displaying widget"
KERNELS = re.compile(r"/api/(sessions|kernels)\b")


class Notebook:
    """The learner's notebook in a browser."""

    def __init__(self, page: Any, url: str) -> None:
        self.page, self.url = page, url
        self.picture = page.locator(".jp-OutputArea-output img[src^='data:image/svg+xml']")
        self.player = page.locator(".ipl")
        self.complaint = page.get_by_text(COMPLAINT)

    def open(self) -> None:
        self.page.goto(self.url)
        self.page.wait_for_function(IS_OPEN)
        self.page.evaluate(WATCH)

    def run(self) -> None:
        self.page.wait_for_function(READY)
        self.page.evaluate(RUN_ALL)
        self.player.wait_for()

    def seen(self) -> dict[str, int]:
        found: dict[str, int] = self.page.evaluate("() => window.seen")
        return found


@pytest.fixture(scope="module", params=["JupyterLab", "Notebook 7"])
def notebook(request: pytest.FixtureRequest, chromium: Any) -> Iterator[Notebook]:
    """A notebook that was run and saved, with its widget still alive."""
    if request.param == "JupyterLab":
        url = f"{request.getfixturevalue('lab')}/lab/tree/fresh.ipynb?reset"
    else:
        url = request.getfixturevalue("notebook7")
    page = new_page(chromium, viewport={"width": 1280, "height": 1000})
    opened = Notebook(page, url)
    opened.open()
    opened.run()
    page.evaluate(SAVE)
    yield opened
    page.context.close()


def test_beside_a_live_player_there_is_never_a_picture(notebook: Notebook) -> None:
    notebook.page.wait_for_function("() => window.seen.player > 0")
    notebook.page.wait_for_timeout(2000)
    before = notebook.seen()
    assert (before["both"], before["early"]) == (0, 0)
    assert notebook.picture.count() == 1  # it is there, and waits

    # A restart of the kernel does not affect the browser.
    notebook.page.evaluate(RESTART)
    notebook.page.wait_for_timeout(2000)
    assert notebook.player.is_visible()
    assert notebook.seen()["picture"] == before["picture"]


def test_without_its_player_the_picture_stands_alone(notebook: Notebook, screenshots: Path) -> None:
    notebook.page.evaluate(SHUT_DOWN)
    notebook.open()
    notebook.picture.wait_for()
    assert notebook.page.evaluate(ALL_ARE_TRUSTED)
    notebook.page.wait_for_function(READY)
    notebook.complaint.wait_for(state="attached")  # JupyterLab has given up the widget, and its message is not shown
    until_equal(notebook.page, notebook.complaint.is_visible, wanted=False)
    until_equal(notebook.page, notebook.picture.is_visible, wanted=True)
    assert notebook.player.count() == 0
    notebook.page.locator("summary", has_text="Read as a table").click()
    assert "stale, now v1" in notebook.page.locator("details table").nth(2).inner_text()
    notebook.page.screenshot(path=screenshots / f"reopened-{'lab' if '/lab/' in notebook.url else 'notebook7'}.png")


def test_while_no_kernel_answers_the_picture_stands_alone(notebook: Notebook) -> None:
    """JupyterLab waits for the widget until there is a kernel, with a message; then it gives up."""
    notebook.page.evaluate(SHUT_DOWN)
    notebook.page.route(KERNELS, lambda route: route.abort())
    try:
        notebook.open()
        notebook.picture.wait_for()
        until_equal(notebook.page, notebook.page.get_by_text("Loading widget").is_visible, wanted=False)
    finally:
        notebook.page.unroute_all()


def test_run_again_the_player_takes_its_place(notebook: Notebook) -> None:
    notebook.open()
    notebook.run()
    notebook.page.wait_for_timeout(2000)
    assert notebook.player.count() == 1
    assert not notebook.picture.is_visible()
    assert notebook.seen()["both"] == 0
