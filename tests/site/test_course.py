"""Opens the course in a real JupyterLite: a link opens a lesson, its cells run, and steppers step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.site, pytest.mark.course]


@pytest.fixture(scope="module")
def course(build_site: Callable[..., Path]) -> Path:
    pytest.importorskip("jupyterlite_core", reason="needs JupyterLite: python -m pip install --group site")
    return build_site("course")


def _run_all(page: Any) -> None:
    """Runs all cells, and waits for the last one."""
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=60_000)
    page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel")
    page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'"
    )
    page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }")
    page.wait_for_function(
        """() => {
            const cells = window.jupyterapp.shell.currentWidget.content.model.cells;
            for (let k = cells.length - 1; k >= 0; k -= 1)
                if (cells.get(k).type === 'code') return cells.get(k).executionCount !== null;
        }"""
    )


def _outputs(page: Any) -> list[dict[str, Any]]:
    """What each code cell has: its tags, whether it was run, and the outputs by kind."""
    found: list[dict[str, Any]] = page.evaluate(
        """() => [...window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells]
            .filter(cell => cell.cell_type === 'code')
            .map(cell => ({ source: cell.source, count: cell.execution_count, tags: cell.getMetadata('tags') ?? [],
                errors: cell.outputs.filter(each => each.output_type === 'error').map(each => each.ename + ': ' + each.evalue) }))"""
    )
    return found


@pytest.mark.parametrize(
    ("language", "lesson"), [("en", "07_saved_tensors_and_versions"), ("zh", "01_storage_and_views")]
)
def test_a_link_opens_a_lesson_and_run_all_runs_all(
    course: Path, serve: Callable[..., Any], visitor: Callable[..., Any], language: str, lesson: str
) -> None:
    with serve(course) as server:
        page = visitor().open(f"{server.url}course/lab/index.html?path={language}/{lesson}.ipynb")
        _run_all(page)
        cells = _outputs(page)
        assert all(cell["count"] for cell in cells), [cell["source"] for cell in cells if not cell["count"]]
        assert [cell for cell in cells if cell["errors"]] == []  # what is meant to raise is shown by %%raises
        steppers = page.locator(".jp-OutputArea-output .ipl .ipl-toolbar")
        assert steppers.count() > 3
        # Jupyter hides cells that are scrolled away, so the button is pressed from within the page.
        counter = page.locator(".jp-OutputArea-output .ipl .ipl-counter").first
        before = counter.text_content()
        steppers.first.locator(".ipl-button").nth(3).evaluate("button => button.click()")
        assert counter.text_content() != before
