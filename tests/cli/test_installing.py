"""Tests what is said about installing: the command for the Python that runs, and where this package came from."""

from __future__ import annotations

import importlib.metadata
import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from inplacelab import installing
from inplacelab.language import Text

ROOT = Path(__file__).parents[2]


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """What pip has recorded about where this package came from: its `origin` can be set."""
    said = SimpleNamespace(origin=None)

    def distribution(_: str) -> SimpleNamespace:
        if said.origin == "none":
            raise importlib.metadata.PackageNotFoundError
        return SimpleNamespace(read_text=lambda _: said.origin and json.dumps(said.origin))

    monkeypatch.setattr(importlib.metadata, "distribution", distribution)
    installing._came_from.cache_clear()
    yield said
    installing._came_from.cache_clear()


def test_the_name_is_asked_for_if_it_came_from_an_index(recorded: SimpleNamespace) -> None:
    assert installing.requirement() == "inplacelab"
    assert installing.requirement("png") == "inplacelab[png]"


@pytest.mark.parametrize("editable", [False, True])
def test_a_clone_is_installed_from_again(recorded: SimpleNamespace, tmp_path: Path, *, editable: bool) -> None:
    clone = tmp_path / "my clone"
    clone.mkdir()
    recorded.origin = {"url": clone.as_uri(), "dir_info": {"editable": editable}}
    assert installing.requirement("png") == f"{clone}[png]"
    assert shlex.split(installing.command(installing.requirement("png"))) == [
        sys.executable,
        *["-m", "pip", "install"],
        f"{clone}[png]",
    ]


def test_a_clone_that_is_gone_is_not_named(recorded: SimpleNamespace, tmp_path: Path) -> None:
    recorded.origin = {"url": (tmp_path / "gone").as_uri(), "dir_info": {}}
    assert installing.requirement("png") == "inplacelab[png]"


def test_a_repository_is_named_as_pip_takes_it(recorded: SimpleNamespace) -> None:
    recorded.origin = {"url": "https://example.org/a.git", "vcs_info": {"vcs": "git", "commit_id": "0" * 40}}
    assert installing.requirement("png") == "inplacelab[png] @ git+https://example.org/a.git"


def test_a_clone_on_the_path_is_named(recorded: SimpleNamespace) -> None:
    recorded.origin = "none"
    assert installing.requirement() == str(ROOT)


@pytest.mark.parametrize("written", ["'inplacelab[mpi]'", '"inplacelab[mpi]"', "inplacelab[mpi]"])
def test_texts_are_spelled_for_this_machine(written: str) -> None:
    said = installing.spelled(Text(f"Run `pip install {written}`.", f"运行 `pip install {written}`。"))
    command = installing.command(installing.requirement("mpi"))
    assert (said.en, said.zh) == (f"Run `{command}`.", f"运行 `{command}`。")


@pytest.mark.standard
@pytest.mark.parametrize("command", ["explain", "record"])
def test_without_pytorch_the_python_is_named_and_both_ways_are_said(command: str, tmp_path: Path) -> None:
    """An engineer's script, run with a Python that lacks PyTorch."""
    (tmp_path / "train.py").write_text("import torch\n")
    hidden = "import sys; sys.modules['torch'] = None; from inplacelab.cli import main; sys.exit(main(sys.argv[1:]))"
    words = [sys.executable, "-c", hidden, command, "train.py"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    for said in (sys.executable, installing.command("torch"), f"python -m pip install {installing.requirement()}"):
        assert said in done.stderr
