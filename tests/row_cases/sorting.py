"""Cases for the rows of `ops/sorting_and_counting.py`."""

from __future__ import annotations

import numpy as np

from tests.row_cases.case import Array, case

TIES = [[2.0, 1.0, 2.0, 1.0], [0.5, 0.5, 0.5, 3.0]]


def _ranked(x: Array, axis: int, descending: bool) -> Array:
    """By the definition: equal elements keep their order."""
    lines = np.moveaxis(x, axis, -1)
    found = np.empty(lines.shape, np.int64)
    for place in np.ndindex(lines.shape[:-1]):
        line = lines[place]
        found[place] = sorted(range(len(line)), key=lambda k: -line[k] if descending else line[k])  # used at once
    return np.moveaxis(found, -1, axis)


def _argsort(x: Array, axis: int = -1, descending: bool = False) -> Array:
    return _ranked(x, axis, descending)


def _first(x: Array, k: int, axis: int = -1, largest: bool = True) -> Array:
    return np.take(_ranked(x, axis, largest), range(k), axis)


CASES = [
    case("argsort", _argsort, (3, 4)),
    case("argsort", _argsort, fixed={"x": TIES}, descending=True),
    case("argsort", _argsort, (3, 2, 4), axis=0),
    case("argsort", _argsort, (4, 3), axis=-2, descending=True),
    case("_first_places", _first, (3, 4), k=2),
    case("_first_places", _first, fixed={"x": TIES}, k=3, largest=False),
    case("_first_places", _first, (4, 3), k=4, axis=0),
]  # fmt: skip
