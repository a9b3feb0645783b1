"""Tests a notebook that was run and saved, without kernel and widget: in JupyterLab, trusted and not, and with nbconvert."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.in_lab import IS_OPEN, new_page, until_equal

pytestmark = pytest.mark.e2e

TRUSTED = "() => [...window.theNotebook().content.model.cells].every(cell => cell.trusted)"
SHUT_DOWN = "() => { void window.theNotebook().sessionContext.shutdown() }"
IS_GONE = "() => !window.theNotebook().sessionContext.session?.kernel"
PICTURE = "img[src^='data:image/svg+xml']"
IS_DRAWN = "image => image.complete && image.naturalWidth >= 848"


@pytest.mark.parametrize(
    ("name", "trusted", "kernel"),
    [
        pytest.param("executed", False, True, id="opened again"),
        pytest.param("bare", False, False, id="as committed, without a kernel"),
        pytest.param("trusted", True, False, id="as committed, trusted, without a kernel"),
    ],
)
def test_a_saved_notebook_shows_the_picture_and_the_tables(
    lab: str, chromium: Any, screenshots: Path, name: str, trusted: bool, kernel: bool
) -> None:
    """JupyterLab starts a new kernel for an opened notebook, which does not have the old widget. (For a trusted notebook with a
    widget's id, see `test_reopened.py`.)
    """
    page = new_page(chromium, viewport={"width": 1280, "height": 1000})
    page.goto(f"{lab}/lab/tree/{name}.ipynb?reset")
    page.wait_for_function(IS_OPEN)
    if not kernel:
        page.evaluate(SHUT_DOWN)
        page.wait_for_function(IS_GONE)
    picture = page.locator(PICTURE)
    picture.wait_for()
    until_equal(page, lambda: picture.evaluate(IS_DRAWN), wanted=True)
    assert page.evaluate(TRUSTED) == trusted
    assert "Line 5 scale_ wrote slots 0-2 of S1" in picture.get_attribute("alt")
    page.locator("summary", has_text="Read as a table").click()
    tables = page.locator("details table")
    titles = [each.inner_text() for each in tables.locator("caption").all()]
    assert titles[:4] == ["Storages", "Tensors", "Kept for backward", "Grad nodes"]
    assert "stale, now v1" in tables.nth(2).inner_text()
    page.screenshot(path=screenshots / f"saved-{name}.png")
    page.context.close()


@pytest.fixture(scope="module")
def converted(executed: Path) -> Path:
    pytest.importorskip("nbconvert", reason="needs nbconvert: python -m pip install --group e2e", exc_type=ImportError)
    subprocess.run([sys.executable, "-m", "nbconvert", "--to", "html", str(executed)], check=True, capture_output=True)
    return executed.with_suffix(".html")


def test_nbconvert_s_page_has_the_picture_without_a_network(converted: Path, chromium: Any, screenshots: Path) -> None:
    """The page of nbconvert requests its own libraries; none of them is needed, and the output requests nothing."""
    context = chromium.new_context(viewport={"width": 1100, "height": 1000}, offline=True)
    context.route("**/*", lambda route: route.continue_() if route.request.url.startswith("file:") else route.abort())
    page = context.new_page()
    page.goto(converted.as_uri())
    picture = page.locator(PICTURE)
    picture.wait_for()
    until_equal(page, lambda: picture.evaluate(IS_DRAWN), wanted=True)
    page.locator("summary", has_text="Read as a table").click()
    assert "stale, now v1" in page.locator("details").inner_text()
    page.screenshot(path=screenshots / "nbconvert.png")
    context.close()


def test_what_the_stepper_leaves_asks_for_nothing(executed: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    _, stand_in = nbformat.read(executed, as_version=4).cells[1].outputs
    assert "http" not in stand_in["data"]["text/html"].replace("http://www.w3.org/2000/svg", "")
