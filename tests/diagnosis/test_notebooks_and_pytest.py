"""`%explain` and `pytest --explain`."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from inplacelab.ipython import load_ipython_extension

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


def test_a_failing_test_says_the_lines(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import torch\n"
        "def test_it():\n"
        "    a = torch.ones(3, requires_grad=True)\n"
        "    h = torch.exp(a)\n"
        "    h.add_(1)\n"
        "    h.sum().backward()\n"
        "def test_other():\n"
        "    assert False\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(tmp_path)]
    if b"--explain" not in subprocess.run([*command, "--help"], capture_output=True, check=False).stdout:
        command += ["-p", "inplacelab.diagnosis.pytest_plugin"]  # the package is on the path, but not installed
    ran = subprocess.run([*command, "--explain"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ran.returncode == 1
    assert "overwritten by `add_`: version 0 → 1" in ran.stdout, ran.stdout
    assert "2 failed" in ran.stdout
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "overwritten by" not in ran.stdout
