"""Fixtures: the compiler, or the reason that it is missing; and arrays as arguments of kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import errors, kernels
from inplacelab.kernels import on_cpu, sources
from inplacelab.kernels.geometry import Grid
from inplacelab.kernels.launch import Memory
from inplacelab.kernels.on_cpu import Trace
from inplacelab.kernels.sources import Source

OFTEN = (
    *(make(dtype) for dtype in ("float32", "float64") for make in (
        sources.normalize, sources.transpose, sources.transpose_square, sources.scatter_add)),
    *(kernels.source(name, dtype) for name in ("relu_", "relu", "add_", "scale_", "abs_", "scale", "abs", "exp_", "greater_than")
      for dtype in ("float32", "float64")),
    *(kernels.source(name, "float32", "strided") for name in ("relu_", "relu", "add_")),
)  # fmt: skip
"""Kernels that several tests run."""


@pytest.fixture(autouse=True)
def _on_the_cpu() -> Iterator[None]:
    yield
    paddle.set_device("cpu")


@pytest.fixture(scope="session")
def compiler() -> str:
    """The C++ compiler; without one, the tests that run kernels are skipped."""
    try:
        found = on_cpu.compiler()
    except errors.MissingLibraryError as refusal:
        pytest.skip(f"needs a C++ compiler: {refusal.fix}")
    on_cpu.compile_together(list(OFTEN))  # together: most of the time is the compiler's start
    return found


@pytest.fixture
def run(compiler: str) -> Callable[..., Trace]:
    """Runs a kernel with arrays, numbers and layouts, and returns the trace."""

    def run(source: Source, grid: Grid, *arguments: Any, order: str = "forward") -> Trace:
        given = [_address(a) if isinstance(a, np.ndarray) else a for a in arguments]
        return on_cpu.run(source, *grid, given, order=order, trace=True)

    return run


def _address(array: Any) -> Memory:
    """The memory of an array, in the storage that it is a window of."""
    return on_cpu.memory(array, array if array.base is None else array.base)
