"""Tests that `import inplacelab` is fast and imports only NumPy."""

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

TIMES_NUMPYS = """
from time import process_time
begin = process_time()
import numpy
between = process_time()
import inplacelab
print((process_time() - between) / (between - begin))
"""
LIMIT = 0.7
ATTEMPTS = 10


def run(program: str, **environment: str) -> str:
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=inherited | environment).stdout


def test_import_takes_no_jupyter_no_cupy_and_no_other_framework() -> None:
    assert set(run(LOADED).split()) & ONLY_ON_DEMAND == set()


def test_import_leaves_what_a_first_program_does_not_need() -> None:
    names = (
        "inplacelab.nn",
        "inplacelab.device",
        "inplacelab.optimizer",
        "inplacelab.errors.catalogue",
        "difflib",
        "tomllib",
    )
    program = f"import sys, inplacelab; inplacelab.ones([1]).add_(inplacelab.ones([1])); print(*sys.modules.keys() & {set(names)})"
    assert run(program).split() == []


def test_import_adds_less_than_the_limit_to_numpys_time(tmp_path: Path) -> None:
    """Compares processor times with NumPy's, so that a slow or busy machine does not matter, and takes the best of some attempts.

    The first attempt compiles, as the first import after an installation does; the others use the compiled files.
    """
    assert any(float(run(TIMES_NUMPYS, PYTHONPYCACHEPREFIX=str(tmp_path))) < LIMIT for _ in range(ATTEMPTS))
