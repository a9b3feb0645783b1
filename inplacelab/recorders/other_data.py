"""Runs a program on other data: with other seeds, and other values of the tensors that it makes of numbers.

A fix may agree with the original by accident: with one seed a ReLU passes nothing on, a parameter is zero. So it is compared on other data, too.
The values are derived from the values that the program gives, so they are the same in the original and in the edited program.
"""

from __future__ import annotations

import random
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

__all__ = ["OWN", "OtherData"]

OWN = 0
"""The number of the program's own data."""
NEAR = 1
"""Up to this number, values are near the program's own, so that logarithms and the like still take them. Others have any sign."""
NEAREST, FARTHEST = 0.05, 0.25
"""How far a near value is from the program's own: relative to that if it is larger than 1."""
SMALLEST = 0.01
"""The smallest magnitude of another value: none is zero."""
_APART = 7919
"""How far the seeds of one set of data are from those of the next."""


class OtherData:
    """One set of data.

    Args:
        number: which: `OWN`, or another one.
    """

    def __init__(self, number: int = OWN) -> None:
        self.number = number
        self._made: Counter[tuple[int, ...]] = Counter()

    def seed(self, seed: Any) -> Any:
        """Returns the seed that takes the place of the program's own; what is no integer stays as it is."""
        return (seed + self.number * _APART) % (1 << 32) if self.number and type(seed) is int else seed

    def values(self, own: Any) -> Any:
        """Returns an array of floating-point values in place of the program's own, none of them zero.

        Args:
            own: the array; it is not changed.
        """
        if not self.number:
            return own
        key = (zlib.crc32(np.ascontiguousarray(own).tobytes()), *own.shape)
        self._made[key] += 1
        draw = np.random.default_rng([self.number, self._made[key], *key])
        size, signs = np.maximum(np.abs(own), 1), draw.choice([-1.0, 1.0], own.shape)
        if self.number > NEAR:
            found = draw.uniform(FARTHEST, 1.5, own.shape) * size * signs
        else:
            found = own + draw.uniform(NEAREST, FARTHEST, own.shape) * size * signs
        return np.where(np.abs(found) < SMALLEST, SMALLEST, found).astype(own.dtype)

    @contextmanager
    def seeded(self) -> Iterator[None]:
        """Seeds Python's and NumPy's generators inside a `with` block, and changes the seeds that the program gives them."""
        with self.reseeding((random, "seed"), (np.random, "seed"), (np.random, "default_rng")):
            random.seed(0)
            np.random.seed(0)  # noqa: NPY002  # the program may draw from it
            yield

    @contextmanager
    def reseeding(self, *places: tuple[Any, str]) -> Iterator[None]:
        """Changes, inside a `with` block, the seeds that the program gives to functions.

        Args:
            *places: the module or class of each function, and its name.
        """
        before = [(owner, name, getattr(owner, name)) for owner, name in places if hasattr(owner, name)]
        try:
            for owner, name, function in before:
                setattr(owner, name, self._reseeded(function))
            yield
        finally:
            for owner, name, function in before:
                setattr(owner, name, function)

    def _reseeded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def reseeded(*args: Any, **kwargs: Any) -> Any:
            return function(*map(self.seed, args), **{name: self.seed(each) for name, each in kwargs.items()})

        return reseeded
