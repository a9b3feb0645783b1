"""Builds the lessons: from each source in `lessons/` an executed notebook in `en/` and one in `zh/`.

    python notebooks/build.py                                        # all of them, glossary and claims
    python notebooks/build.py notebooks/lessons/01_*.md              # only these
    python notebooks/build.py --translated notebooks/lessons/01_*.md       # every Chinese paragraph has been checked

A built notebook has outputs but nothing that differs between two runs, so that building twice gives the same bytes: cell ids
count from 0, metadata is fixed, and a stepper's picture and text are kept while the live widget (whose id is random, and
which needs a kernel) is left out.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

import claims_page
import glossary
import length
import recorded_cells
import translation_lock
import unspoiled
from lesson_source import LANGUAGES, Block, Code, LessonError, Prose, read_lesson

HERE = Path(__file__).parent
SOURCES = HERE / "lessons"
GLOSSARY, CLAIMS = SOURCES / glossary.FILE, SOURCES / claims_page.FILE
PAGES: dict[str, Callable[[Sequence[Block], Sequence[Path]], Sequence[Block]]] = {
    GLOSSARY.name: glossary.page,
    CLAIMS.name: claims_page.page,
}
"""Pages that gather what all lessons say; each is made from its introduction and the lessons."""
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
SECONDS_FOR_A_CELL = 600
IGNORED = "nbval-ignore-output"
"""The tag of a cell whose outputs are neither kept nor compared."""


def lessons() -> list[Path]:
    """Returns the sources of all lessons, in order."""
    return [path for path in sorted(SOURCES.glob("*.md")) if path.name not in PAGES]


def notebook_path(source: Path, language: str) -> Path:
    """Returns the path of the notebook of `source` in `language`."""
    return HERE / language / f"{source.stem}.ipynb"


def compose(source: Path, language: str) -> nbformat.NotebookNode:
    """Returns the notebook of a lesson in one language, not executed.

    Raises:
        LessonError: if the source is malformed.
    """
    if source.name in PAGES:
        return notebook_of(PAGES[source.name](read_lesson(source), lessons()), language)
    return notebook_of(unspoiled.arranged(length.stated(read_lesson(source))), language)


def notebook_of(blocks: Iterable[Block], language: str) -> nbformat.NotebookNode:
    """Returns a notebook with one cell for each block of prose or code."""
    notebook: nbformat.NotebookNode = nbformat.v4.new_notebook(metadata=METADATA)
    for block in blocks:
        if isinstance(block, Prose):
            cell = nbformat.v4.new_markdown_cell(block.in_language(language))
        elif isinstance(block, Code):
            cell = nbformat.v4.new_code_cell(block.in_language(language))
            tags = list(block.tags)
            if any(tag.startswith(recorded_cells.TAG) for tag in tags):
                tags += recorded_cells.SKIPPED
            cell.metadata.update({"tags": tags} if tags else {})
            cell.metadata.update({"jupyter": {"source_hidden": True}} if unspoiled.COLLAPSED & {*tags} else {})
        else:
            continue
        cell.id = f"cell-{len(notebook.cells):02d}"
        notebook.cells.append(cell)
    return notebook


def execute(notebook: nbformat.NotebookNode) -> None:
    """Runs all cells in a new kernel and keeps the outputs that are the same in every run."""
    # The notebook sets its language.
    os.environ.pop("INPLACELAB_LANGUAGE", None)
    NotebookClient(
        notebook,
        timeout=SECONDS_FOR_A_CELL,
        startup_timeout=SECONDS_FOR_A_CELL,
        kernel_name="python3",
        store_widget_state=False,
        coalesce_streams=True,
    ).execute()
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", ()):
            _keep_the_stable(output)
        if cell.cell_type == "code" and IGNORED in cell.metadata.get("tags", []):
            cell.outputs = []  # they differ from run to run
        elif cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("data") != {}]


def _keep_the_stable(output: Any) -> None:
    output.get("data", {}).pop(WIDGET_VIEW, None)
    if output.output_type == "error":
        # A traceback contains paths of this machine; the lesson needs only its last line.
        output.traceback = [f"{output.ename}: {output.evalue}"]


def build(source: Path) -> None:
    """Builds and executes the notebooks of one lesson, in all languages. What it shows of other frameworks is recorded first."""
    if source.name not in PAGES:
        recorded_cells.record_again(read_lesson(source))
    for language in LANGUAGES:
        notebook = compose(source, language)
        execute(notebook)
        target = notebook_path(source, language)
        target.parent.mkdir(exist_ok=True)
        nbformat.write(notebook, target)
        print(f"built {target.relative_to(HERE)}")
    for place in translation_lock.unseen(source):
        print(f"look at the Chinese of {place}, then run: python notebooks/build.py --translated {source}")


def main() -> None:
    """Builds the lessons named on the command line, or all."""
    parser = argparse.ArgumentParser(description="Build the lessons' notebooks, executed, in English and Chinese.")
    parser.add_argument("source", nargs="*", type=Path, help="sources to build (default: all in lessons/)")
    parser.add_argument(
        "--translated", action="store_true", help="build nothing: note that you have looked at each Chinese paragraph"
    )
    options = parser.parse_args()
    work = translation_lock.note if options.translated else build
    try:
        for source in options.source or [*lessons(), GLOSSARY, CLAIMS]:
            work(source)
    except (LessonError, CellExecutionError) as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
