"""Measures the time of `import inplacelab` against that of `import numpy`, which it includes. `compare.py` calls it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from benchmarks.contestants import BEFORE, NUMPY, OURS, TWIN
from benchmarks.interleaved import ONE_THREAD, ROOT, Measured

_PROGRAM = "from time import perf_counter as t; s = t(); import {}; print(t() - s)"
MODULES = {NUMPY: "numpy", TWIN: "numpy", OURS: "inplacelab", BEFORE: "inplacelab"}


def seconds(module: str, package: Path) -> float:
    """The time that an import takes in a new interpreter.

    Args:
        module: what is imported.
        package: the folder that has `inplacelab` in it.
    """
    environment = os.environ | ONE_THREAD | {"PYTHONPATH": str(package)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # as a user imports it: compiled before
    command = [sys.executable, "-P", "-c", _PROGRAM.format(module)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


def measured(rounds: int, earlier: Path | None = None) -> Measured:
    """Measure the imports in turns.

    Args:
        rounds: how often.
        earlier: a folder with an earlier version of the package.
    """
    packages: Mapping[str, Path | None] = {NUMPY: ROOT, TWIN: ROOT, OURS: ROOT, BEFORE: earlier}
    there = {name: package for name, package in packages.items() if package}
    found: dict[str, list[float]] = {name: [] for name in there}
    for number in range(-1, rounds):
        for name, package in there.items():
            taken = seconds(MODULES[name], package)
            if number >= 0:  # the first import may compile and read from the disk
                found[name].append(taken)
    return Measured(found, frozenset())
