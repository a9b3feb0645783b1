"""`import inplacelab` is light: NumPy and nothing else, and quick."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ONLY_ON_DEMAND = {
    "IPython",
    "anywidget",
    "cupy",
    "inplacelab_widgets",
    "ipykernel",
    "ipywidgets",
    "jupyter_client",
    "jupyter_core",
    "matplotlib",
    "nbformat",
    "paddle",
    "scipy",
    "torch",
    "traitlets",
}

LOADED = "import sys, inplacelab; print(*{name.partition('.')[0] for name in sys.modules})"

SECONDS = """
import time, numpy
start = time.process_time()
import inplacelab
print(time.process_time() - start)
"""
LIMIT = 0.15
ATTEMPTS = 10


def run(program: str, **environment: str) -> str:
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=inherited | environment).stdout


def test_import_takes_no_jupyter_no_cupy_and_no_other_framework() -> None:
    assert set(run(LOADED).split()) & ONLY_ON_DEMAND == set()


def test_import_takes_little_longer_than_numpy_alone(tmp_path: Path) -> None:
    """The processor's time, and the quickest of some attempts: what else the machine does can only add to it.

    The first attempt compiles, as the first import after an installation does; the others find what it has compiled.
    """
    assert any(float(run(SECONDS, PYTHONPYCACHEPREFIX=str(tmp_path))) < LIMIT for _ in range(ATTEMPTS))
