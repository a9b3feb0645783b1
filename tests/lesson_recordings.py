"""The recordings that a lesson shows, made as its reader makes them: by running its cells."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

from IPython.core.interactiveshell import InteractiveShell

from inplacelab.recording import Recording
from inplacelab.recording.codec import from_json, to_json
from inplacelab_widgets import Stepper

ROOT = Path(__file__).parents[1]
LESSONS = sorted((ROOT / "notebooks" / "en").glob("[0-9]*.ipynb"))


def recordings_of(lesson: Path) -> list[Recording]:
    """Runs the code cells of a built lesson, exercises unsolved; returns what its steppers show, in order.

    They run in a process of their own, since a lesson adds operations, chooses a device, and defines names that other tests would find.

    Args:
        lesson: one of `LESSONS`.
    """
    command = [sys.executable, "-m", __name__, str(lesson)]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "MPLBACKEND": "agg"}, capture_output=True, check=True)
    return [from_json(each) for each in json.loads(done.stdout)]


def _run(lesson: Path) -> list[Recording]:
    """Runs a lesson in this process, in an empty folder."""
    found: list[Recording] = []
    make = Stepper.__init__

    def noted(self: Stepper, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        found.append(self.recording)

    notebook = json.loads(lesson.read_text(encoding="utf-8"))
    shell = InteractiveShell.instance()
    quiet = redirect_stdout(StringIO()), redirect_stderr(StringIO())
    with (
        TemporaryDirectory() as folder,
        chdir(folder),
        mock.patch.object(Stepper, "__init__", noted),
        quiet[0],
        quiet[1],
    ):
        warnings.simplefilter("ignore")
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                shell.run_cell("".join(cell["source"]))
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps([to_json(each) for each in _run(Path(sys.argv[1]))]))
