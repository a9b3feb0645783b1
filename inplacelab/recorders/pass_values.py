"""Keeps the losses and gradients of backward passes, so that an edited program can be compared with the original."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from inplacelab.recorders.updates import brief, checksum

MOST = 1 << 22
"""So many elements are kept, of the last passes: the one that fails in the original is among these (see `trial_end.py`)."""


class PassValues:
    """The values of the last passes of one run, always with those of the very last.

    Args:
        most: so many elements are kept.

    Attributes:
        checksum: of all values, to the bit.
    """

    def __init__(self, most: int = MOST) -> None:
        self._room = most
        self.checksum = 0
        self._kept: deque[dict[str, Any]] = deque()

    def add(self, values: Mapping[str, Any]) -> None:
        """Adds a pass.

        Args:
            values: its losses and gradients by names, as arrays or None.
        """
        self.checksum = checksum(values, self.checksum)
        kept = {name: None if each is None else brief(each) for name, each in values.items()}
        self._kept.append(kept)
        self._room -= _size(kept)
        while self._room < 0 and len(self._kept) > 1:
            self._room += _size(self._kept.popleft())

    def correct(self, values: Mapping[str, Any]) -> None:
        """Replaces values of the last pass."""
        self._kept[-1].update({name: brief(each) for name, each in values.items()})

    @property
    def found(self) -> list[dict[str, Any]]:
        """The values of each pass, in order."""
        return list(self._kept)


def _size(values: Mapping[str, Any]) -> int:
    return sum(each.size for each in values.values() if each is not None)
