"""Programs as learners write them, running and failing: with only the imports changed they print and refuse what PyTorch does."""

from __future__ import annotations

import contextlib
import io
import re
import traceback
import warnings
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.torch_names.test_gallery import here

FOLDER = Path(__file__).with_name("programs")
PROGRAMS = sorted(FOLDER.glob("*.py"))
FAILING = {
    "backward_of_a_vector", "backward_twice", "frozen_layers", "gan_steps_too_early", "leaf_updated", "numpy_of_a_result", "recurrent_state",
    "residual_on_a_sigmoid", "shapes_do_not_fit", "slices_assigned", "view_of_a_transpose",
}  # fmt: skip
"""Those that end with an error; the others run."""

each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)


class Told(NamedTuple):
    """What a program prints, and how it fails: the kind of the error, its first line, and the lines of the program that lead to it."""

    printed: str
    error: str
    first_line: str
    lines: list[int]


def told(program: Path, text: str) -> Told:
    """Runs a text as the file of a program."""
    printed, error, first_line, lines = io.StringIO(), "", "", []
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(text, str(program), "exec"), {"__name__": "__main__"})
        except Exception as raised:  # noqa: BLE001  # any: it is compared
            error, first_line = type(raised).__name__, str(raised).split("\n")[0]
            lines = [at.lineno or 0 for at in traceback.extract_tb(raised.__traceback__) if at.filename == str(program)]
    return Told(re.sub(r" at 0x\w+", "", printed.getvalue()), error, first_line, lines)


@each_program
def test_it_runs_or_fails_here(program: Path) -> None:
    found = told(program, here(program.read_text(encoding="utf-8")))
    assert bool(found.error) == (program.stem in FAILING), found
    assert found.printed or found.error


@pytest.mark.oracle
@each_program
def test_it_prints_and_fails_as_in_pytorch(program: Path) -> None:
    pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    text = program.read_text(encoding="utf-8")
    ours, theirs = told(program, here(text)), told(program, text)
    assert ours.printed.splitlines() == theirs.printed.splitlines()
    assert ours.lines == theirs.lines
    assert ours.first_line == theirs.first_line
