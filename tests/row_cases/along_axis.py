"""Cases for the rows of `ops/along_axis.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inplacelab.ops.arguments.attributes import Along
from tests.row_cases.case import Array, case

INDICES = [[0, 1, -2], [0, -1, 1]]
"""Two values for the first column's upper position, two for the second's lower, one for each position of the third."""
NARROW = [[1, 0]]


def _along(how: str) -> Any:
    """The values for each position, one after the other, and then combined."""

    def reference(arr: Array, indices: Array, values: Array, at: Along) -> Array:
        shape = _shape(arr, indices, at.axis) if at.broadcast else indices.shape
        index, given = np.broadcast_to(indices, shape), np.broadcast_to(values, shape) if at.broadcast else values
        met: dict[Any, list[Any]] = {}
        for place in np.ndindex(shape):
            target = (*place[: at.axis], int(index[place]) % arr.shape[at.axis], *place[at.axis + 1 :])
            met.setdefault(target, [arr[target]] if at.include_self and how != "assign" else []).append(given[place])
        for target, found in met.items():
            arr[target] = COMBINED[how](found)
        return arr

    return reference


def _shape(arr: Array, indices: Array, axis: int) -> tuple[int, ...]:
    return (*arr.shape[:axis], indices.shape[axis], *arr.shape[axis + 1 :])


COMBINED: dict[str, Callable[[list[Any]], Any]] = {
    "assign": lambda found: found[-1], "add": sum, "mul": np.prod, "mean": np.mean, "amax": max, "amin": min,
}  # fmt: skip


CASES = [
    case("take_along_axis", lambda arr, indices, axis: np.take_along_axis(arr, indices, axis), fixed={"indices": INDICES}, axis=0),
    case("take_along_axis", lambda arr, indices, axis: np.take_along_axis(arr, np.tile(indices, (2, 1)), axis), (2, 3), (1, 2), fixed={"indices": NARROW}, axis=1),
    case("take_along_axis", lambda arr, indices, axis: np.take_along_axis(np.tile(arr, (2, 1)), indices, axis), (1, 3), (2, 3), fixed={"indices": INDICES}, axis=1),
    case("take_along_axis", lambda arr, indices, axis, broadcast: np.take_along_axis(arr[:, :2], indices, axis), (2, 3), (1, 2), fixed={"indices": NARROW}, axis=0, broadcast=False),
    case("_put_along", _along("assign"), fixed={"indices": INDICES}, at=Along(0)),
    case("_put_along", _along("assign"), (2, 3), (2, 1), (2, 1), fixed={"indices": [[2], [0]]}, at=Along(1)),
    case("_put_along", _along("assign"), (2, 3), (1, 2), (2, 3), fixed={"indices": NARROW}, at=Along(0, broadcast=False)),
    *(
        case(name, _along(how), fixed={"indices": INDICES}, at=Along(0, include_self=include_self))
        for name, how in (("_add_along", "add"), ("_multiply_along", "mul"), ("_mean_along", "mean"))
        for include_self in (True, False)
    ),
    case("_multiply_along", _along("mul"), fixed={"indices": [[0, 1, 0], [0, 1, 0], [0, 1, 0]], "values": [[0.0, 0.5, 2.0], [0.0, 0.0, 3.0], [1.5, 2.0, 1.2]]}, at=Along(0)),
    case("_add_along", _along("add"), (2, 3), (1, 2), (1, 3), fixed={"indices": NARROW}, at=Along(0, broadcast=False)),
    case("_mean_along", _along("mean"), (2, 3), (1, 3), (3,), fixed={"indices": [[1, 0, 1]]}, at=Along(0)),
    case("_extreme_along", _along("amin"), fixed={"indices": INDICES}, at=Along(0)),
    case("_extreme_along", _along("amax"), fixed={"indices": INDICES}, at=Along(0, largest=True)),
    case("_extreme_along", _along("amax"), fixed={"indices": INDICES}, at=Along(0, include_self=False, largest=True)),
    case("scatter_add", lambda input, index, src, dim: _along("add")(input, index, src, Along(dim, broadcast=False)), (2, 3), (2, 2), (2, 3), fixed={"index": [[1, 0], [1, 0]]}, dim=0),
]  # fmt: skip
