"""`import inplacelab` is light: NumPy and nothing else, and quick."""

from __future__ import annotations

import subprocess
import sys

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


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout


def test_import_takes_no_jupyter_no_cupy_and_no_other_framework() -> None:
    assert set(run(LOADED).split()) & ONLY_ON_DEMAND == set()


def test_import_takes_little_longer_than_numpy_alone() -> None:
    """The processor's time, and the quickest of some attempts: what else the machine does can only add to it."""
    assert any(float(run(SECONDS)) < LIMIT for _ in range(ATTEMPTS))
