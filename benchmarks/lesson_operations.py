"""Counts the operations that the lessons run, and prints the twenty most used: the data of `operations.LESSON_COUNTS`.

    python -m benchmarks.lesson_operations

The code cells of each English lesson are run as they are delivered, with exercises unsolved; a cell that fails counts up to its error.
Counted is what the programs run: not what creates a tensor, not what backward computes, and not what a lesson defines itself.
"""

from __future__ import annotations

import argparse
import json
import os
import warnings
from collections import Counter
from collections.abc import Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.operations import LESSON_COUNTS
from inplacelab import Tensor
from inplacelab.observe import Observer, listening

LESSONS = Path(__file__).parents[1] / "notebooks" / "en"
OPERATORS = {"getitem": "__getitem__", "setitem": "__setitem__"}


class Counts(Observer):
    """Counts operations by name, outside of backward."""

    def __init__(self) -> None:
        self.found: Counter[str] = Counter()
        self._passes = 0

    def operation(
        self, name: str, category: str, inputs: Sequence[Any], output: Any, node: Any, **details: Any
    ) -> None:
        if not self._passes and category != "create":
            self.found[name] += 1

    def backward_begins(self, roots: Sequence[tuple[Any, Any]]) -> None:
        self._passes += 1

    def backward_ends(self) -> None:
        self._passes -= 1

    def backward_fails(self) -> None:
        self._passes -= 1


def cells(lesson: Path) -> list[str]:
    """The code cells of a notebook."""
    notebook = json.loads(lesson.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def counted(lesson: Path) -> Counter[str]:
    """The operations of one lesson, which runs in an empty folder."""
    from IPython.core.interactiveshell import InteractiveShell  # noqa: PLC0415  # for this command only

    InteractiveShell.clear_instance()
    shell, counts = InteractiveShell.instance(), Counts()
    with TemporaryDirectory() as folder, chdir(folder), listening(counts):
        for cell in cells(lesson):
            with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
                shell.run_cell(cell)
    return counts.found


def main() -> None:
    """Count, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    warnings.simplefilter("ignore")
    os.environ.setdefault("MPLBACKEND", "agg")
    total: Counter[str] = Counter()
    for lesson in sorted(LESSONS.glob("[0-9]*.ipynb")):
        total += counted(lesson)
    ours = {name: number for name, number in total.most_common() if hasattr(Tensor, OPERATORS.get(name, name))}
    for name, number in list(ours.items())[: len(LESSON_COUNTS)]:
        print(f"{name:12}{number:6}   in operations.py: {LESSON_COUNTS.get(name, '-')}")


if __name__ == "__main__":
    main()
