"""`%explain` and `pytest --explain`."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from inplacelab.diagnosis.cells import Cells
from inplacelab.ipython import load_ipython_extension
from tests.tiers import choose

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
pytestmark = pytest.mark.oracle

CELL = """\
import torch
a = torch.ones(3, requires_grad=True)
h = torch.exp(a)
h.add_(1)
h.sum().backward()
"""


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    made = InteractiveShell.instance()
    load_ipython_extension(made)
    yield made
    made.reset()
    InteractiveShell.clear_instance()


def printed(shell: InteractiveShell, *cells: str) -> str:
    with capture_output() as captured:
        for cell in cells:
            shell.run_cell(cell, store_history=True)
    return str(captured.stdout)


def test_the_last_cell_is_run_again(shell: InteractiveShell) -> None:
    said = printed(shell, CELL, "%explain -y")
    assert "h.add_(1)" in said
    assert "overwritten by `add_`: version 0 → 1" in said


@pytest.mark.parametrize(("answer", "runs"), [("y", True), ("", False), ("no", False)])
def test_it_asks_first(shell: InteractiveShell, answer: str, runs: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", lambda _: answer)
    said = printed(shell, CELL, "%explain")
    assert ("overwritten by" in said) is runs
    assert ("The cell was not run." in said) is not runs


def test_where_nobody_can_answer(shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", refuse)
    assert "write `%explain -y`" in printed(shell, CELL, "%explain")


@pytest.mark.parametrize(
    "cells", [(CELL,), ("import torch\n%precision 3\n", "k = 3\n" + CELL.replace("import torch\n", ""))]
)
def test_fixes_are_tried_on_all_cells(shell: InteractiveShell, cells: tuple[str, ...]) -> None:
    said = printed(shell, *cells, "%explain --try -y")
    assert "checked: it runs, and the loss and the gradients are right, on other data, too" in said, said
    assert "+h = h.add(1)" in said


def test_cells_that_do_not_fail_get_no_fix(shell: InteractiveShell) -> None:
    said = printed(shell, CELL.replace("h.add_(1)\n", ""), "%explain --try -y")
    assert "the cells do not fail in backward" in said


def test_cells_that_fail_otherwise_where_they_are_tried(shell: InteractiveShell, tmp_path: Path) -> None:
    """There the folder is empty."""
    (tmp_path / "data.txt").touch()
    with contextlib.chdir(tmp_path):
        said = printed(shell, "open('data.txt').close()\n" + CELL, "%explain --try -y")
    assert "the cells fail elsewhere: FileNotFoundError" in said


MODULE = """\
import torch
def gate(x):
    h = torch.sigmoid(x)
    h.mul_(0.5)
    return h
"""


@pytest.mark.parametrize("imports", ["import torch, gates_of_user\n", "from gates_of_user import gate, torch\n"])
def test_a_line_in_a_module_is_not_edited(
    shell: InteractiveShell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, imports: str
) -> None:
    (tmp_path / "gates_of_user.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    monkeypatch.delitem(sys.modules, "gates_of_user", raising=False)
    name = "gate" if "from" in imports else "gates_of_user.gate"
    cell = f"{imports}{name}(torch.ones(3, requires_grad=True)).sum().backward()\n"
    said = printed(shell, cell, "%explain --try -y")
    monkeypatch.delitem(sys.modules, "gates_of_user")
    assert "`%explain --try` edits cells only" in said, said
    assert "gates_of_user.py, line 4: `h.mul_(0.5)`" in said
    assert "`inplacelab explain --try script.py`" in said
    assert "No known edit" not in said


@pytest.mark.parametrize("option", ["--what", "--yes", "y"])
def test_an_unknown_option(shell: InteractiveShell, option: str) -> None:
    said = printed(shell, CELL, f"%explain -y {option}")
    assert f"%explain has no option {option}." in said
    assert "Usage: %explain" in said
    assert "overwritten" not in said.partition("Usage")[0]  # it was not run


def test_the_usage_says_what_each_option_does(shell: InteractiveShell) -> None:
    usage = str(shell.find_line_magic("explain").__doc__)  # which `%explain?` shows
    assert usage in printed(shell, "%explain --help")
    for option in ("-y", "--try"):
        assert re.search(rf"^  {option} +\w", usage, re.MULTILINE)


TEST = """\
import torch
def net(a):
    h = torch.exp(a)
    h.add_(1)
    return h
def test_it():
    net(torch.ones(3, requires_grad=True)).sum().backward()
def test_other():
    try:
        torch.nn.functional.linear(torch.ones(2), torch.ones(3, 3))
    except RuntimeError as error:
        raise ValueError("no such shape") from error
"""


def shows_the_tool(traceback: str) -> bool:
    """Whether a traceback has frames of this package, or of stand-ins."""
    package = re.escape(os.path.join("inplacelab", ""))
    return bool(re.search(rf"{package}|stand-in", traceback))


@pytest.mark.parametrize("style", choose(["short"], ["short"], ["short", "long", "native"]))
def test_a_failing_test_says_the_lines(tmp_path: Path, style: str) -> None:
    (tmp_path / "test_it.py").write_text(TEST)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(tmp_path)]
    if b"--explain" not in subprocess.run([*command, "--help"], capture_output=True, check=False).stdout:
        command += ["-p", "inplacelab.diagnosis.pytest_plugin"]  # the package is on the path, but not installed
    command.append(f"--tb={style}")
    watched = subprocess.run([*command, "--explain"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert watched.returncode == 1
    assert "overwritten by `add_`: version 0 → 1" in watched.stdout, watched.stdout
    assert "2 failed" in watched.stdout
    plain = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "overwritten by" not in plain.stdout
    for ran in (watched, plain):
        assert not shows_the_tool(ran.stdout), ran.stdout


def test_the_traceback_of_a_block_is_that_of_an_unwatched_run(tmp_path: Path) -> None:
    called = "{}\n    net(torch.ones(3, requires_grad=True)).sum().backward()\n"
    shown = []
    for block in ("if True:", "with inplacelab.explain():"):
        script = tmp_path / "script.py"
        script.write_text("import inplacelab\n" + TEST + called.format(block))
        ran = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
        shown.append(ran.stderr)
    assert "overwritten by" in shown[1]
    assert shown[1].startswith(shown[0])
    assert not shows_the_tool(shown[1])


def notes_of(shell: InteractiveShell, *cells: str) -> list[str]:
    """What the recording of the last cell says of its failure."""
    shell.run_line_magic("load_ext", "inplacelab")
    for each in cells:
        shell.run_cell(each, store_history=True)
    recording = shell.user_ns["rec"]
    facts = recording.steps[-1].error.failure
    assert not any(site.file.startswith((os.sep, "<")) for site in facts.needed), (
        "who ran the cell is not in a file that is shared"
    )
    return [note.en for note in recording.steps[-1].error.notes]


def test_a_recorded_cell_names_views_of_its_other_lines(shell: InteractiveShell) -> None:
    program = "import torch\na = torch.ones(3, requires_grad=True)\nh = torch.sigmoid(a)\nrow = h[:2]\nrow.mul_(2)\nh.sum().backward()"
    notes = notes_of(shell, f"%%stepper --name rec\n{program}")
    assert notes[1] == "Line 5: overwritten by `mul_` through `row`, a view of `h` (`h[:2]`, line 4): version 0 → 1."


def test_a_recorded_cell_says_in_which_cell_a_line_is(shell: InteractiveShell) -> None:
    layer = "import torch\ndef layer(a):\n    h = torch.sigmoid(a)\n    h.mul_(2)\n    return h"
    notes = notes_of(
        shell, layer, "%%stepper --name rec\na = torch.ones(3, requires_grad=True)\nlayer(a).sum().backward()"
    )
    number = shell.execution_count - 2
    assert notes[0].startswith(f"Line 3 of cell [{number}]: kept")
    assert notes[1].startswith(f"Line 4 of cell [{number}]: overwritten")
    assert notes[2] == "Line 2 of “rec”: needed here: it finds version 1."


def test_lines_of_the_shown_cell_are_said_without_its_number(shell: InteractiveShell) -> None:
    shell.run_cell("import torch", store_history=True)
    notes_of(shell, f"%%stepper --name rec\n{CELL}")
    lines = Cells(shell).lines(shell.user_ns["rec"])
    assert [lines("", first, first).en for first in (1, 2, 5)] == ["line 1 of cell [1]", "line 1", "line 4"]
