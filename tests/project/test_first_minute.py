"""The README's first commands, in a fresh environment that has PyTorch: from a clone to the lines responsible."""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
import venv
from importlib.util import find_spec
from pathlib import Path

import pytest

import draw
from inplacelab.lessons import recorded

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(?P<kind>console|output)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)

pytestmark = [pytest.mark.standard, pytest.mark.oracle]


def commands(readme: str, python: Path) -> list[str]:
    """The first commands of a README, for this clone and a Python."""
    text = (ROOT / readme).read_text(encoding="utf-8")
    block = next(text for kind, text in BLOCK.findall(text) if kind == "console")
    filled = block.replace("PATH_OF_THE_CLONE", f'"{ROOT}"')
    return [f'"{python}" {line.removeprefix("python ")}' for line in filled.splitlines()]


def ran(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.run(command, shell=True, cwd=folder, env=kept, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh environment with PyTorch, after the README's first command."""
    pytorch = find_spec("torch")
    if pytorch is None or pytorch.origin is None:
        pytest.skip("needs PyTorch: python -m pip install --group oracle")
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True, symlinks=os.name != "nt")
    paths = {
        name: Path(sysconfig.get_path(name, "venv", vars={"base": str(folder)})) for name in ("purelib", "scripts")
    }
    # PyTorch and what it needs are not copied, but found where they are.
    (paths["purelib"] / "pytorch.pth").write_text(str(Path(pytorch.origin).parents[1]))
    python = paths["scripts"] / "python"
    installed = ran(commands("README.md", python)[0], folder)
    if "No matching distribution found for hatchling" in installed.stderr:
        pytest.skip("needs a network: pip builds the package with hatchling")
    assert installed.returncode == 0, installed.stderr
    assert (paths["purelib"] / "inplacelab").is_dir()
    return python


@pytest.mark.parametrize("readme", ["README.md", "README.zh.md"])
def test_one_installation_and_one_command_give_the_lines(readme: str, python: Path, tmp_path: Path) -> None:
    install, explain = commands(readme, python)
    assert install == commands("README.md", python)[0]
    (tmp_path / "train.py").write_text(recorded(draw.FAILING).source)
    explained = ran(explain, tmp_path)
    assert explained.returncode == 1
    text = (ROOT / readme).read_text(encoding="utf-8")
    shown = next(text for kind, text in BLOCK.findall(text) if kind == "output")
    assert shown.rstrip("\n") in explained.stderr
