"""Cases for the rows of `ops/views.py`."""

from __future__ import annotations

import numpy as np

from inplacelab.layout import Layout
from tests.row_cases.case import Array, case


def _window(x: Array, layout: Layout) -> Array:
    strides = [s * x.itemsize for s in layout.strides]
    return np.lib.stride_tricks.as_strided(x.reshape(-1)[layout.offset :], layout.shape, strides)


CASES = [
    case("reshape", np.reshape, shape=[3, 2]),
    case("flatten", lambda x, start_axis, stop_axis: x.reshape(2, 6), (2, 3, 2), start_axis=1, stop_axis=-1),
    case("transpose", lambda x, perm: x.transpose(perm), (2, 3, 2), perm=[2, 0, 1]),
    case("t", np.transpose),
    case("squeeze", lambda x, axis: x.squeeze(axis), (2, 1, 3), axis=1),
    case("squeeze", np.squeeze, (1, 3, 1)),
    case("unsqueeze", lambda x, axis: np.expand_dims(x, axis), axis=-1),
    case("getitem", lambda x, key: x[key], (3, 4), key=(slice(None, None, -1), slice(1, 3))),
    case("getitem", lambda x, key: x[key], (3, 4), key=(1, None, slice(0, 4, 2))),
    case("_window", _window, (3, 4), layout=Layout((2, 2), (1, 4), 2)),
    case("_window", _window, (3, 4), layout=Layout((2, 3), (1, 1), 0)),
]  # fmt: skip
