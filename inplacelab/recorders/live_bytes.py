"""Counts the bytes of living storages, for frameworks that do not tell them."""

from __future__ import annotations


class LiveBytes:
    """The bytes of the living storages that the program has made, and their peak.

    Storages are numbered in the order in which they are first seen.

    Attributes:
        before: the bytes of the storages that existed before the recording.
    """

    def __init__(self) -> None:
        self.before = 0
        self._live = self._peak = 0
        self._given = 0  # how many storages existed before the recording

    def began(self, seen: int) -> None:
        """Takes the storages seen so far as those that existed before the recording. `seen` is how many they are."""
        self.before, self._live, self._peak, self._given = self._live, 0, 0, seen

    def count(self, storage: int, grown: int) -> None:
        """Counts the bytes by which a storage has grown; negative if it has shrunk, or is gone."""
        if storage >= self._given:
            self._live += grown
            self._peak = max(self._peak, self._live)

    def account(self) -> tuple[int, int]:
        """Returns the bytes and their peak."""
        return self._live, self._peak
