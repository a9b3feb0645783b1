"""Collects what each update of parameters used and left, so that an edited program can be compared with the original although its updates run in another order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np

MOST = 256
"""So many updates are kept."""
LARGEST = 4096
"""Of a larger tensor, so many elements are kept, and their sum."""

Update = Mapping[str, Any]
"""The gradients that an update used and the parameters that it left, by names."""


class Updates:
    """The updates of one run.

    Attributes:
        found: the updates, in order.
        is_whole: whether these are all of them.
        checksum: of all values, to the bit.
    """

    def __init__(self) -> None:
        self.found: list[Update] = []
        self.is_whole = True
        self.checksum = 0

    @property
    def has_room(self) -> bool:
        """Whether another update is kept."""
        self.is_whole = self.is_whole and len(self.found) < MOST
        return self.is_whole

    def add(self, gradients: Sequence[Any], parameters: Iterable[Any]) -> None:
        """Adds an update.

        Args:
            gradients: the gradient of each parameter before it, as an array or None.
            parameters: the values of each parameter after it.
        """
        used = {f"gradient {k}": each for k, each in enumerate(gradients)}
        values = used | {f"parameter {k}": each for k, each in enumerate(parameters)}
        self.checksum = checksum(values, self.checksum)
        self.found.append({name: None if each is None else brief(each) for name, each in values.items()})


def brief(array: Any) -> Any:
    """Returns an array, or, for a large one, some of its elements and the sum of all."""
    if array.size <= LARGEST:
        return array
    flat = array.reshape(-1)
    return np.append(flat[:: -(-flat.size // LARGEST)], flat.sum())


def checksum(values: Mapping[str, Any], before: int = 0) -> int:
    """Returns a number that is another one if a bit of some arrays is, or of those of which `before` is the checksum."""
    for name, each in values.items():
        whole = b"" if each is None else np.ascontiguousarray(each).tobytes()
        before = crc32(whole, crc32(f"{name} {each is None or each.dtype}".encode(), before))
    return before


def close(one: Any, other: Any) -> bool:
    """Whether two arrays are equal, or nearly: an edit may change the order of a sum. None is equal to None."""
    if one is None or other is None:
        return one is other
    same = one.shape == other.shape and one.dtype == other.dtype
    return bool(same and np.allclose(one, other, rtol=1e-4, atol=1e-6, equal_nan=True))


def equal(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two groups have nearly the same values under the same names."""
    return one.keys() == other.keys() and all(close(one[name], value) for name, value in other.items())


def in_some_order(found: Sequence[Mapping[str, Any]], meant: Sequence[Mapping[str, Any]]) -> bool:
    """Whether two runs have nearly the same groups of values, in whatever order."""
    left = list(found)
    for each in meant:
        same = next((k for k, other in enumerate(left) if equal(other, each)), None)
        if same is None:
            return False
        del left[same]
    return not left
