"""Lines and edits are those of the user's own files, wherever the libraries that she uses are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
from inplacelab.diagnosis import trials
from inplacelab.diagnosis.trials import Trials
from tests.tiers import choose

pytestmark = pytest.mark.oracle

PROGRAM = """\
import torch
import steps
a = torch.ones(3, requires_grad=True)
h = torch.sigmoid(a)
h = steps.double_(h)
h.sum().backward()
"""
LIBRARY = """\
def double_(x):
    x = x.mul_(2)
    return x
"""


def write(folder: Path, *, installed: bool = True) -> Path:
    """Writes the library into a folder, as `pip install --target` does, or without a record of it."""
    (folder / "steps").mkdir(parents=True)
    (folder / "steps" / "__init__.py").write_text(LIBRARY)
    if installed:
        (folder / "steps-1.0.dist-info").mkdir()
        (folder / "steps-1.0.dist-info" / "RECORD").write_text("steps/__init__.py,,\nsteps-1.0.dist-info/RECORD,,\n")
    return folder


def explained(project: Path, *options: str, python: str = sys.executable, path: Path | None = None) -> str:
    """Explains the program. Returns what is said."""
    (project / "train.py").write_text(PROGRAM)
    command = [python, "-m", "inplacelab", "explain", *options, "--lang", "en", "train.py"]
    given = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, filter(None, [path, *sys.path])))}
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=project, env=given)
    assert ran.returncode == 1, ran.stderr
    return ran.stderr


def is_said_of_the_program(said: str) -> bool:
    """Whether the three lines of the explanation are the program's, and none is the library's."""
    _, _, told = said.partition("RuntimeError")
    return "5 | h = steps.double_(h)" in told and "x.mul_(2)" not in told and "steps/__init__.py" not in told


@pytest.mark.parametrize("folder", ["deps", "project/deps", "other/lib/python3.11/site-packages", "project"])
def test_the_line_is_the_users_where_a_library_is_on_the_path(tmp_path: Path, folder: str) -> None:
    (tmp_path / "project").mkdir()
    write(tmp_path / folder)
    said = explained(tmp_path / "project", path=tmp_path / folder)
    assert is_said_of_the_program(said), said


def test_a_package_of_the_user_on_the_path_is_hers(tmp_path: Path) -> None:
    said = explained(tmp_path, path=write(tmp_path / "src", installed=False))
    assert not is_said_of_the_program(said)
    assert "2 |     x = x.mul_(2)" in said, said


@pytest.mark.parametrize("reached", ["pth", "link"])
def test_a_library_of_another_environment(tmp_path: Path, reached: str) -> None:
    other = write(tmp_path / "other" / "site-packages")
    folder = tmp_path / "project" / "environment"
    venv.create(folder, symlinks=os.name != "nt")
    python = str(next(each for each in folder.glob("*/python*") if each.is_file()))
    asked = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    library = Path(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip())
    if reached == "pth":
        (library / "other.pth").write_text(f"{other}\n")
    else:
        (library / "steps").symlink_to(other / "steps")
    said = explained(tmp_path / "project", python=python)
    assert is_said_of_the_program(said), said


@pytest.mark.parametrize("folder", choose(["deps"], ["deps"], [".", "deps"]))
def test_no_edit_touches_a_library_in_the_folder_of_the_script(tmp_path: Path, folder: str) -> None:
    library = write(tmp_path / folder)
    said = explained(tmp_path, "--fix", path=library)
    assert "Written." in said, said
    assert (library / "steps" / "__init__.py").read_text() == LIBRARY
    assert "h = h.clone()" in (tmp_path / "train.py").read_text()


def test_the_users_own_package_is_edited_under_any_name(tmp_path: Path) -> None:
    """`env` may hold the environments of an agent."""
    library = write(tmp_path / "env", installed=False)
    said = explained(tmp_path, "--fix", path=library)
    assert "Written." in said, said
    assert "x = x.mul(2)" in (library / "steps" / "__init__.py").read_text()


def test_environments_in_the_folder_of_the_script_are_not_copied(tmp_path: Path) -> None:
    files = [
        "train.py",
        "env/agent.py",
        "data/x.bin",
        "mine/pyvenv.cfg",
        "mine/big.bin",
        "conda/conda-meta/history",
        "conda/big.bin",
    ]
    files += ["lib/site-packages/big.bin", ".git/big.bin", "__pycache__/big.bin"]
    for each in files:
        (tmp_path / each).parent.mkdir(parents=True, exist_ok=True)
        with (tmp_path / each).open("wb") as file:
            file.truncate(trials.LARGEST + 1 if "big" in each else 10)
    Trials(tmp_path / "train.py", [], framework="torch", seconds=1)  # which refuses a folder that is too large
    shutil.copytree(tmp_path, tmp_path / "run", ignore=trials._left_out)
    copied = {str(each.relative_to(tmp_path / "run")) for each in (tmp_path / "run").rglob("*") if each.is_file()}
    assert copied == {"train.py", os.path.join("env", "agent.py"), os.path.join("data", "x.bin")}
