"""Tests the stepper outside JupyterLab: in Notebook 7, in Voila, and on a page from the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.e2e.in_lab import new_page, run_all
from tests.in_browser import open_page

pytestmark = pytest.mark.e2e

_OWN = ("file:", "blob:")
"""Addresses of a page and of what it makes itself."""
CHANGE = "() => { window.theNotebook().content.model.dirty = true }"
IS_SAVED = "() => !window.theNotebook().content.model.dirty"
NUMBER_OF_CELLS = "() => window.theNotebook().content.model.cells.length"
PROGRAM = """\
import inplacelab as paddle
a = paddle.ones([3])
a.stop_gradient = False
b = a * 2.
c = b * b
b.scale_(3.)
c.sum().backward()
"""


@contextmanager
def opened(chromium: Any, url: str, screenshot: Path, *, habit: str = " ") -> Iterator[Any]:
    """Opens a page at `url`. Requests to other machines are blocked and fail the test, except those of the server's pages that
    contain `habit`.
    """
    page = new_page(chromium, viewport={"width": 1280, "height": 900})
    foreign: list[str] = []

    def refuse(route: Any) -> None:
        foreign.append(route.request.url)
        route.abort()

    page.context.route(lambda asked: _is_foreign(asked, url), refuse)
    page.goto(url)
    yield page
    page.screenshot(path=screenshot)
    page.context.close()
    assert [asked for asked in foreign if habit not in asked] == []


def _is_foreign(url: str, home: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme not in {"blob", "data", "file"} and parts.hostname != urlsplit(home).hostname


def step_through(page: Any) -> list[str]:
    """Returns the sentences of the first four steps, reached with the keyboard. The kernel sends them one after the other."""
    player = page.locator(".ipl")
    sentence = player.locator("[role=status]", has_not_text="still to come")
    player.wait_for()
    player.focus()
    page.keyboard.press("Home")
    said = [sentence.inner_text()]
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        said.append(sentence.inner_text())
    return said


def test_notebook_7_plays_it_and_keeps_its_own_keys(notebook7: str, chromium: Any, screenshots: Path) -> None:
    with opened(chromium, notebook7, screenshots / "notebook7.png") as page:
        run_all(page)
        said = step_through(page)
        assert len(set(said)) == 4
        cells = page.evaluate(NUMBER_OF_CELLS)
        page.keyboard.press("b")
        page.keyboard.press("ArrowDown")
        assert page.evaluate(NUMBER_OF_CELLS) == cells
        assert page.evaluate("() => document.activeElement.closest('.ipl') !== null")
        # Keys with Ctrl always go to the notebook: the browser must not save the page.
        page.evaluate(CHANGE)
        assert not page.evaluate(IS_SAVED)
        page.keyboard.press("Control+s")
        page.wait_for_function(IS_SAVED)


def test_voila_plays_it(voila: str, chromium: Any, screenshots: Path) -> None:
    with opened(chromium, voila, screenshots / "voila.png", habit="fontawesome") as page:
        assert len(set(step_through(page))) == 4
        assert not page.locator("img[src^='data:image/svg+xml']").is_visible()


def test_a_page_from_the_command_line_plays_without_a_network(chromium: Any, tmp_path: Path, screenshots: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", "inplacelab", "record", "program.py", "-o", "page.html"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "RuntimeError: (PermissionDenied)" in done.stderr

    context = chromium.new_context(viewport={"width": 848, "height": 900}, offline=True)
    page, asked, errors = context.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    context.route("**/*", lambda route: route.continue_() if route.request.url.startswith(_OWN) else route.abort())
    open_page(page, tmp_path / "page.html")
    assert len(set(step_through(page))) == 4
    page.keyboard.press("End")
    assert "RuntimeError" in page.locator("[role=status]").inner_text()
    page.screenshot(path=screenshots / "page.png")
    assert [address for address in asked if not address.startswith("blob:")] == [(tmp_path / "page.html").as_uri()]
    assert errors == []
    context.close()
