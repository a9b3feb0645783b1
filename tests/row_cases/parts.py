"""Cases for the rows of `ops/joining_and_splitting.py` and `ops/rearranging.py`."""

from __future__ import annotations

import numpy as np

from tests.row_cases.case import case

CASES = [
    case("_framed", lambda x, pairs, value: np.pad(x, pairs, constant_values=value), pairs=((1, 0), (0, 2)), value=1.5),
    case("_part", lambda x, axis, start, stop: x[:, 1:3], (2, 4), axis=1, start=1, stop=3),
    case("_part", lambda x, axis, start, stop: x[2:2], (3, 2), axis=0, start=2, stop=2),
    case("_place", lambda x, axis, place: x[:, 1], (2, 3), axis=1, place=1),
    case("_place", lambda x, axis, place: x[2], (3,), axis=0, place=2),
    case("flip", np.flip, axis=0),
    case("flip", np.flip, (2, 3, 2), axis=(0, -1)),
    case("roll", lambda x, shifts: np.roll(x, shifts), shifts=2),
    case("roll", lambda x, shifts, axis: np.roll(x, shifts, axis), (3, 4), shifts=[1, -2], axis=[0, 1]),
    case("tile", lambda x, repeat_times: np.tile(x, repeat_times), repeat_times=2),
    case("tile", lambda x, repeat_times: np.tile(x, repeat_times), (2, 1), repeat_times=[3, 1, 2]),
]  # fmt: skip
