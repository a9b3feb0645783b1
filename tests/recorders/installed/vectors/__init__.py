"""A framework of one class: vectors of float64, views of them, and writes that raise a version. It knows of no recorder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__version__ = "1.0"


class Memory:
    """The numbers of one or several vectors, and how often they were written."""

    def __init__(self, numbers: Sequence[float]) -> None:
        self.numbers = np.array(numbers, float)
        self.version = 0


class Vector:
    """Some neighboring numbers of a memory."""

    def __init__(self, memory: Memory, start: int, size: int) -> None:
        self.memory, self.start, self.size = memory, start, size

    def _window(self) -> np.ndarray:
        return self.memory.numbers[self.start : self.start + self.size]

    def tolist(self) -> list[float]:
        """The numbers."""
        return [float(each) for each in self._window()]

    def part(self, start: int, stop: int) -> Vector:
        """A view of the numbers from `start` to before `stop`."""
        return Vector(self.memory, self.start + start, stop - start)

    def plus(self, other: Vector) -> Vector:
        """The sum, in new memory."""
        return vector(self._window() + other._window())

    def plus_(self, other: Vector) -> Vector:
        """Adds in place."""
        self._window()[:] += other._window()
        self.memory.version += 1
        return self


def vector(numbers: Sequence[float]) -> Vector:
    """A vector of these numbers."""
    return Vector(Memory(numbers), 0, len(numbers))
