"""The recordings that a lesson shows, made as its reader makes them: by running its cells."""

from __future__ import annotations

import json
import os
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

from IPython.core.interactiveshell import InteractiveShell

import inplacelab as paddle
from inplacelab.recording import Recording
from inplacelab_widgets import Stepper

LESSONS = sorted((Path(__file__).parents[1] / "notebooks" / "en").glob("[0-9]*.ipynb"))


def recordings_of(lesson: Path) -> list[Recording]:
    """Runs the code cells of a built lesson in an empty folder, exercises unsolved; returns what its steppers show, in order.

    Args:
        lesson: one of `LESSONS`.
    """
    found: list[Recording] = []
    make = Stepper.__init__

    def noted(self: Stepper, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        found.append(self.recording)

    notebook = json.loads(lesson.read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    quiet = redirect_stdout(StringIO()), redirect_stderr(StringIO())
    before = paddle.get_default_dtype()  # a lesson may set another one
    try:
        with (
            TemporaryDirectory() as folder,
            chdir(folder),
            warnings.catch_warnings(),
            mock.patch.dict(os.environ, {"MPLBACKEND": "agg"}),
            mock.patch.object(Stepper, "__init__", noted),
            quiet[0],
            quiet[1],
        ):
            warnings.simplefilter("ignore")
            for cell in cells:
                shell.run_cell(cell)
    finally:
        InteractiveShell.clear_instance()
        paddle.set_default_dtype(before)
    return found
