"""Measures what in-place operations save in time, and why: a new result may stand on fresh memory pages. `compare.py` calls it.

`relu(x)` and `relu_(x)` compare the same numbers. But the operating system hands out memory in pages, and provides each of them when it is
first written: a page fault. So each size is measured three times: with a new result, in place, and by NumPy into another array, which is as
ordinary as the first and needs no fresh pages. Faults are counted, not only timed.

An allocator that keeps freed memory has no fresh pages to wait for. The C library keeps what is small (glibc: up to 32 MiB); the allocators of
GPUs keep everything. NumPy asks the system for huge pages, so it has fewer faults than the others.

    python -m benchmarks.fresh_pages
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from benchmarks.contestants import installed
from benchmarks.tables import NOTHING, Table, duration, factor, markdown

MIB = 2**20
SIZES = (1, 16, 64, 256)
"""Sizes of the tensor in MiB."""
ROUNDS = 15

Relu = Callable[[Any], object]


class Measured(NamedTuple):
    """One call: the median of its seconds, and the page faults of most calls; None where the system does not count them."""

    seconds: float
    faults: int | None


def page_faults() -> int | None:
    """Returns how many pages the system has provided to this process without reading a disk; None if it does not count them."""
    try:
        import resource  # noqa: PLC0415  # not on every system
    except ImportError:  # Windows
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def measured(call: Callable[[], object], rounds: int = ROUNDS) -> Measured:
    """Returns what one call takes. Its result is freed before the next call, as in a program that goes on."""
    seconds, faults = [], []
    for _ in range(rounds):
        before, start = page_faults(), perf_counter()
        result = call()
        seconds.append(perf_counter() - start)
        after = page_faults()
        del result
        if before is not None and after is not None:
            faults.append(after - before)
    return Measured(median(seconds), int(median(faults)) if faults else None)


def _contestants() -> Iterator[tuple[str, Callable[[int], Any], Relu, Relu]]:
    """Yields for each framework: its name, a tensor of n numbers, `relu` and `relu_`."""
    import inplacelab  # noqa: PLC0415  # one framework after the other

    ours = inplacelab.nn.functional
    yield "inplacelab", lambda n: inplacelab.ones([n]), ours.relu, ours.relu_
    if "torch" in installed():
        import torch  # noqa: PLC0415

        torch.set_num_threads(1)
        yield "torch", torch.ones, torch.relu, torch.relu_
    if "paddle" in installed():
        import paddle  # noqa: PLC0415

        yield "paddle", lambda n: paddle.ones([n]), paddle.nn.functional.relu, paddle.nn.functional.relu_


def rows(sizes: tuple[int, ...] = SIZES, rounds: int = ROUNDS) -> Iterator[list[str]]:
    """Yields a row for each framework and size."""
    for name, ones, relu, relu_ in _contestants():
        for size in sizes:
            yield _row(f"{name}, {size} MiB", *_both(ones(size * MIB // 4), relu, relu_, rounds))
    for size in sizes:
        x, other = (np.ones(size * MIB // 4, np.float32) for _ in range(2))
        new = measured(lambda x=x: np.fmax(x, np.float32(0)), rounds)  # type: ignore[misc]
        old = measured(lambda x=x, other=other: np.fmax(x, np.float32(0), out=other), rounds)  # type: ignore[misc]
        yield _row(f"NumPy, into another array, {size} MiB", new, old)


def _both(x: Any, relu: Relu, relu_: Relu, rounds: int) -> tuple[Measured, Measured]:
    return measured(lambda: relu(x), rounds), measured(lambda: relu_(x), rounds)


def _row(name: str, new: Measured, old: Measured) -> list[str]:
    faults = [NOTHING if each.faults is None else f"{each.faults:,}" for each in (new, old)]
    return [name, duration(new.seconds), duration(old.seconds), factor(old.seconds / new.seconds), *faults]


def table(sizes: tuple[int, ...] = SIZES, rounds: int = ROUNDS) -> Table:
    """Returns the table."""
    header = ("relu", "new result", "no new result", "ratio", "page faults", "page faults without")
    notes = [
        "Where a call has no page faults, its result stands on memory that was freed before: there, in place saves bytes and no such time."
    ]
    return Table("Fresh pages: relu with a new result, and in place", header, list(rows(sizes, rounds)), notes)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    print(markdown(table()))
