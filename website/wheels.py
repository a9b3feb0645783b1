"""Builds the wheel of this tree, as a browser gets it: without the lessons' notebooks, which are two thirds of its bytes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from settings import ROOT

NOTEBOOKS = "inplacelab/lessons/notebooks/"
_PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
_ALWAYS = (1980, 1, 1, 0, 0, 0)


def build_wheel(folder: Path) -> Path:
    """Builds the wheel of this tree.

    Args:
        folder: where to put it; it is created.

    Returns:
        Its path.
    """
    folder.mkdir(parents=True, exist_ok=True)
    command = [*_PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True)
    built = max(folder.glob("inplacelab-*.whl"), key=lambda path: path.stat().st_mtime)
    without_notebooks(built)
    return built


def without_notebooks(wheel: Path) -> None:
    """Removes the notebooks from a wheel, and their lines from its list of files. The same files always give the same bytes."""
    with ZipFile(wheel) as packed:
        files = {name: packed.read(name) for name in sorted(packed.namelist()) if not name.startswith(NOTEBOOKS)}
    with ZipFile(wheel, "w") as packed:
        for name, data in files.items():
            if name.endswith(".dist-info/RECORD"):
                lines = data.decode().splitlines(keepends=True)
                kept = "".join(line for line in lines if not line.startswith(NOTEBOOKS)).encode()
            else:
                kept = data
            packed.writestr(_entry(name), kept, ZIP_DEFLATED, 9)


def _entry(name: str) -> ZipInfo:
    entry = ZipInfo(name, _ALWAYS)
    entry.external_attr = 0o644 << 16
    return entry


def download(names: Sequence[str], folder: Path) -> list[Path]:
    """Downloads wheels that run on any Python and any system.

    Args:
        names: what pip is asked for, such as "anywidget>=0.9.21".
        folder: where to put them; it is created.

    Returns:
        Their paths, in order of their names.
    """
    folder.mkdir(parents=True, exist_ok=True)
    only = [
        "--no-deps",
        "--only-binary=:all:",
        "--platform",
        "any",
        "--python-version",
        "3.12",
        "--implementation",
        "py",
    ]
    subprocess.run([*_PIP, "download", *only, "--dest", str(folder), *names], check=True)
    return sorted(folder.glob("*.whl"))
