"""Measures the memory that in-place operations save: peaks of small networks in and out of place, recorded and not.

    python benchmarks/memory.py

The numbers are exact and the same on every machine: they come from the ledger, not from the operating system.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import inplacelab as paddle
from inplacelab import Tensor, device

SHAPE = [1, 64, 128, 128]
"""One feature map: 4 MiB in single precision."""


def peak(program: Callable[[], object]) -> int:
    """The most bytes of live storages while `program` runs."""
    before = device.memory_allocated()
    device.reset_max_memory_allocated()
    program()
    return device.max_memory_allocated() - before


def recorded(program: Callable[[], object]) -> Callable[[], object]:
    """The same program under a recorder."""

    def run() -> None:
        with paddle.record():
            program()

    return run


def chain(function: str, *, in_place: bool, gradient: bool) -> Callable[[], object]:
    """The forward pass of four layers, each a scaling and a function. Only the function is in place."""

    def run() -> None:
        start = paddle.zeros(SHAPE)
        start.stop_gradient = not gradient
        x: Tensor = start
        for _ in range(4):
            x = getattr(x.scale(0.5), function + "_" * in_place)()

    return run


def main() -> None:
    """Print the peaks, in feature maps."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    unit = peak(lambda: paddle.zeros(SHAPE))
    print(f"Peaks of the forward pass, in feature maps of {unit} bytes: four layers of a scaling and a function")
    print(f"{'':10}{'':12}{'ordinary':>10}{'in place':>10}{'saved':>8}{'recorded':>10}")
    for function in ("relu", "exp", "sin", "square", "scale"):
        for gradient in (False, True):
            ordinary = peak(chain(function, in_place=False, gradient=gradient))
            program = chain(function, in_place=True, gradient=gradient)
            in_place, observed = peak(program), peak(recorded(program))
            mode = "gradient" if gradient else "no gradient"
            figures = f"{ordinary / unit:10.1f}{in_place / unit:10.1f}{(ordinary - in_place) / unit:8.1f}"
            print(f"{function:10}{mode:12}{figures}{'the same' if observed == in_place else observed / unit:>10}")


if __name__ == "__main__":
    main()
